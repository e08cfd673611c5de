package coverage

import (
	"strings"

	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"vicinal/test/conformance/stock"
)

// filterOrder is the order in which the default profile of the pinned release
// runs the filters.
var filterOrder = []string{
	names.NodeName, names.NodeUnschedulable, names.TaintToleration, names.NodeAffinity,
	names.NodeResourcesFit, names.PodTopologySpread, names.InterPodAffinity,
}

// errorHeads begin the Error statuses that a case can provoke.
var errorHeads = []string{
	`running PreFilter plugin "PodTopologySpread": get constraints from pod: obtaining pod's hard topology spread constraints: `,
	`running PreScore plugin "PodTopologySpread": calculating preScoreState: obtaining pod's soft topology spread constraints: `,
	`running PreScore plugin "NodeAffinity": `,
	`applying score defaultWeights on Score plugins: plugin "NodeResourcesFit" returns an invalid score `,
}

// scoredBy names the score plugins that plugin arguments, by their tag, bear on.
var scoredBy = map[string][]string{
	"args:LeastAllocated":                     {names.NodeResourcesFit},
	"args:MostAllocated":                      {names.NodeResourcesFit},
	"args:RequestedToCapacityRatio":           {names.NodeResourcesFit},
	"args:NodeResourcesBalancedAllocation":    {names.NodeResourcesBalancedAllocation},
	"args:NodeAffinity addedAffinity":         {names.NodeAffinity},
	"args:hardPodAffinityWeight 0":            {names.InterPodAffinity},
	"args:hardPodAffinityWeight 1":            {names.InterPodAffinity},
	"args:hardPodAffinityWeight 100":          {names.InterPodAffinity},
	"args:ignorePreferredTermsOfExistingPods": {names.InterPodAffinity},
	"realistic": {names.TaintToleration, names.NodeAffinity, names.NodeResourcesFit, names.NodeResourcesBalancedAllocation, names.ImageLocality, names.PodTopologySpread, names.InterPodAffinity},
}

// ofNodeName are the refusals of nodes that the pod does not name. From 1.37 on the
// plugin's PreFilter leaves only the named node, and the others get the framework's
// reason.
func ofNodeName(release string) []string {
	if release < "1.37" {
		return []string{"filter NodeName: UnschedulableAndUnresolvable, node(s) didn't match the requested node name"}
	}
	return []string{
		"filter (framework): UnschedulableAndUnresolvable, node(s) didn't satisfy plugin(s) [NodeName]",
		"filter (framework): UnschedulableAndUnresolvable, node(s) didn't satisfy plugin(s) [NodeAffinity NodeName]",
		"filter (framework): UnschedulableAndUnresolvable, node(s) didn't satisfy plugin(s) [NodeAffinity NodeName] simultaneously",
	}
}

// expected are the classes that a run has to reach, every one of them.
func expected() []string {
	out := []string{
		"case: not a case, answered with an error",
		"case: no nodes",
		"case: no node is feasible",
		"case: one node is feasible",
		"case: some nodes are feasible",
		"case: every node is feasible",
		"case: a message with several reasons",

		"filter NodeAffinity: skips",
		"filter PodTopologySpread: skips",
		"filter InterPodAffinity: skips",

		"filter (framework): UnschedulableAndUnresolvable, node(s) didn't satisfy plugin(s) [NodeAffinity]",
		"filter NodeUnschedulable: UnschedulableAndUnresolvable, node(s) were unschedulable",
		"filter TaintToleration: UnschedulableAndUnresolvable, node(s) had untolerated taint(s)",
		"filter NodeAffinity: UnschedulableAndUnresolvable, node(s) didn't match Pod's node affinity/selector",
		"filter NodeAffinity: UnschedulableAndUnresolvable, node(s) didn't match scheduler-enforced node affinity",
		"filter NodeAffinity: UnschedulableAndUnresolvable, pod affinity terms conflict",
		"filter PodTopologySpread: Unschedulable, node(s) didn't match pod topology spread constraints",
		"filter PodTopologySpread: UnschedulableAndUnresolvable, node(s) didn't match pod topology spread constraints (missing required label)",
		"filter InterPodAffinity: UnschedulableAndUnresolvable, node(s) didn't match pod affinity rules",
		"filter InterPodAffinity: Unschedulable, node(s) didn't match pod anti-affinity rules",
		"filter InterPodAffinity: Unschedulable, node(s) didn't satisfy existing pods anti-affinity rules",
		"filter InterPodAffinity: UnschedulableAndUnresolvable, parsing pod: …",

		"filter NodeResourcesFit: rejects because of nominated pods alone",
		"filter PodTopologySpread: rejects because of nominated pods alone",
		"filter InterPodAffinity: rejects because of nominated pods alone",

		"score NodeAffinity: skips",
		"score NodeResourcesBalancedAllocation: skips",
		"score PodTopologySpread: skips",
		"score InterPodAffinity: skips",

		"args: list defaulting rejects",
		"args: list defaulting scores",
		"args: system defaulting scores",
		"args: ignorePreferredTermsOfExistingPods skips InterPodAffinity",
	}
	out = append(out, ofNodeName(stock.Release)...)
	for _, plugin := range filterOrder {
		out = append(out, "filter "+plugin+": passes")
	}
	for _, reason := range []string{
		"Too many pods", "Insufficient cpu", "Insufficient memory", "Insufficient ephemeral-storage",
		"Insufficient extended resource", "Insufficient hugepages", "Insufficient attachable volumes", "Insufficient prefixed native resource",
	} {
		out = append(out, "filter NodeResourcesFit: Unschedulable, "+reason, "filter NodeResourcesFit: UnschedulableAndUnresolvable, "+reason)
	}
	for _, head := range errorHeads {
		out = append(out, "error: "+head)
	}
	for _, plugin := range scoredBy["realistic"] {
		out = append(out, "score "+plugin+": not all equal")
	}
	for tag, plugins := range scoredBy {
		for _, plugin := range plugins {
			out = append(out, "args: "+strings.TrimPrefix(tag, "args:")+", "+plugin+" scores not all equal")
		}
	}
	return out
}
