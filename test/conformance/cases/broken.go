package cases

import (
	"encoding/json"
	"fmt"
)

// brokenLine is a line that cannot be read as a case.
func brokenLine(d dice, id string) []byte {
	o, _ := small(d)
	o["id"] = id
	pod := o["pod"].(object)
	badArgs := func(name string, args object) { o["pluginConfig"] = list{object{"name": name, "args": args}} }
	badRequest := func(q any) {
		pod["spec"].(object)["containers"] = list{object{"name": "c", "resources": object{"requests": object{"cpu": q}}}}
	}
	switch d.IntN(14) {
	case 0:
		return []byte(fmt.Sprintf(`{"id":%q,"objects":[`, id))
	case 1:
		return []byte(pick(d, `not json`, `[]`, `"text"`, `17`, `{"id"}`, `{}`, `{"id":null,"pod":null}`, `{"id":{"a":1},"objects":[]}`))
	case 2:
		delete(o, "pod")
	case 3:
		o["pod"] = pick[any](d, "a pod", 3, list{})
	case 4:
		o["objects"] = pick[any](d, "objects", object{}, list{"node"}, list{3})
	case 5:
		badRequest(pick[any](d, "", "1x", "1.2.3", "abc", "1 Gi", "1e", "--1", "1ki", "1KI", "0x10", "1,5", true))
	case 6:
		pod["metadata"].(object)["labels"] = pick[any](d, list{}, "a=b", object{"a": 1})
	case 7:
		badArgs("InterPodAffinity", pick(d, object{"hardPodAffinityWeight": 101}, object{"hardPodAffinityWeight": -1}, object{"hardPodAffinityWeigth": 1}, object{"hardPodAffinityWeight": "1"}))
	case 8:
		badArgs("NodeResourcesFit", object{"scoringStrategy": pick(d,
			object{"type": "Best"},
			object{"type": "RequestedToCapacityRatio"},
			object{"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": object{"shape": list{}}},
			object{"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": object{"shape": list{object{"utilization": 50, "score": 1}, object{"utilization": 50, "score": 2}}}},
			object{"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": object{"shape": list{object{"utilization": 50, "score": 11}}}},
			object{"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": object{"shape": list{object{"utilization": 101, "score": 1}}}},
			object{"type": "LeastAllocated", "requestedToCapacityRatio": object{"shape": list{object{"utilization": 50, "score": 1}}}},
			object{"type": "LeastAllocated", "resources": list{object{"name": "cpu", "weight": 101}}},
			object{"type": "MostAllocated", "resources": list{object{"name": "cpu", "weight": -1}}})})
	case 9:
		badArgs("NodeResourcesFit", pick(d, object{"ignoredResourceGroups": list{"a/b"}}, object{"ignoredResources": list{"bad name!"}}))
	case 10:
		badArgs("PodTopologySpread", pick(d,
			object{"defaultingType": "Other"},
			object{"defaultConstraints": list{object{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}}},
			object{"defaultingType": "List", "defaultConstraints": list{object{"maxSkew": 0, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}}},
			object{"defaultingType": "List", "defaultConstraints": list{object{"maxSkew": 1, "topologyKey": "", "whenUnsatisfiable": "DoNotSchedule"}}},
			object{"defaultingType": "List", "defaultConstraints": list{object{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "Maybe"}}},
			object{"defaultingType": "List", "defaultConstraints": list{object{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": object{}}}},
			object{"defaultingType": "List", "defaultConstraints": list{
				object{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"},
				object{"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}}}))
	case 11:
		badArgs("NodeResourcesBalancedAllocation", object{"resources": pick(d,
			list{object{"name": "cpu", "weight": 2}},
			list{object{"name": "cpu", "weight": 1}, object{"name": "cpu", "weight": 1}})})
	case 12:
		badArgs("NodeAffinity", object{"addedAffinity": object{"requiredDuringSchedulingIgnoredDuringExecution": object{"nodeSelectorTerms": list{
			object{"matchExpressions": list{pick(d, object{"key": "num", "operator": "Gt", "values": list{"x"}}, object{"key": "num", "operator": "In"}, object{"key": "num", "operator": "Near"})}}}}}})
	default:
		o["pluginConfig"] = pick[any](d, "none", object{}, list{"x"})
	}
	line, err := json.Marshal(o)
	if err != nil {
		panic(err) // plain maps always marshal
	}
	return line
}
