package preemption

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"vicinal/test/conformance/cases"
	"vicinal/test/conformance/stock"
	"vicinal/test/e2e/harness"
)

// notEnough is what may differ from a scheduler with all plugins.
const notEnough = "what in-tree evicts does not let the pod fit: when it takes a pod away that is terminating, PodTopologySpread counts one too few (updateWithPod), and the next attempt evicts more"

// A scheduler without the two plugins proposes victims, and vicinal is asked. The
// outcome must be what a scheduler with all plugins does; and wherever vicinal keeps a
// node, the pod must fit there by all plugins of the stock scheduler. Every third case has
// PodDisruptionBudgets.
func TestVictimsAreThoseOfTheSchedulerWithAllPlugins(t *testing.T) {
	run := harness.NewRun(t)
	scheduler, err := stock.NewScheduler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var asked, same, added, dropped, different, nodes int
	for index := uint64(0); asked < harness.Count(t, "VICINAL_PREEMPTION_CASES", 100, 1); index++ {
		line, ok := contested(t, cases.Generate(5, index).Line, index)
		if !ok {
			continue
		}
		c, err := stock.ParseCase(line)
		if err != nil {
			t.Fatalf("case %d: %v", index, err)
		}
		budgets := budgetsOf(c, index)
		proposed, err := scheduler.Evictions(c, budgets, names.InterPodAffinity, names.PodTopologySpread)
		if err != nil {
			t.Fatalf("case %d: %v", index, err)
		}
		if len(proposed) == 0 {
			continue
		}
		asked++
		want, err := scheduler.Evictions(c, budgets)
		if err != nil {
			t.Fatalf("case %d: %v", index, err)
		}
		got := ask(t, run, line, budgets, c, proposed)
		for node, candidate := range proposed {
			nodes++
			victims, answer := candidate.Pods, got[node]
			wanted, kept := want[node]
			switch {
			case answer == nil && !kept:
				dropped++
				continue
			case answer == nil:
				t.Errorf("case %d: %s is dropped, want %v evicted", index, node, uids(wanted.Pods))
				continue
			case !kept:
				t.Errorf("case %d: %s is kept with %v", index, node, uids(answer.Pods))
			case slices.Equal(uids(answer.Pods), uids(wanted.Pods)) && answer.NumPDBViolations == wanted.NumPDBViolations:
				same++
				if !contains(victims, answer.Pods) {
					added++
				}
			case without(t, scheduler, c, node, wanted.Pods).Code != fwk.Success.String():
				different++
			default:
				t.Errorf("case %d: on %s %v have to go, violating %d budgets, want %v and %d; proposed were %v", index, node, uids(answer.Pods), answer.NumPDBViolations, uids(wanted.Pods), wanted.NumPDBViolations, uids(victims))
			}
			if !slices.IsSortedFunc(answer.Pods, byImportance) {
				t.Errorf("case %d: on %s the victims %v are not in the order of their importance", index, node, uids(answer.Pods))
			}
			if after := without(t, scheduler, c, node, answer.Pods); after.Code != fwk.Success.String() {
				t.Errorf("case %d: on %s the pod gets %+v without %v", index, node, after, uids(answer.Pods))
			}
		}
		for node := range got {
			if _, ok := proposed[node]; !ok {
				t.Errorf("case %d: %s was not proposed", index, node)
			}
		}
	}
	t.Logf("%d questions, %d nodes: %d with the same victims (%d of them with added ones), %d dropped by both", asked, nodes, same, added, dropped)
	t.Logf("%d nodes differ: %s", different, notEnough)
	if different*100 > nodes {
		t.Errorf("%d of %d nodes differ, more than one in a hundred", different, nodes)
	}
	if same-added < asked/25 || added < asked/25 || dropped < asked/25 {
		t.Error("too few of one sort to tell anything")
	}
}

// without is what the stock scheduler says about the node once pods have gone.
func without(t *testing.T, scheduler *stock.Scheduler, c *stock.Case, node string, gone []*v1.Pod) stock.NodeResult {
	t.Helper()
	after, err := scheduler.Without(c, node, gone)
	if err != nil {
		t.Fatal(err)
	}
	return after
}

// budgetsOf gives every third case PodDisruptionBudgets, for the labels of some of its
// pods, most of which allow nothing.
func budgetsOf(c *stock.Case, seed uint64) []*policyv1.PodDisruptionBudget {
	if seed%3 != 0 {
		return nil
	}
	random := rand.New(rand.NewPCG(seed, 2))
	var budgets []*policyv1.PodDisruptionBudget
	for _, pod := range c.Pods() {
		if len(pod.Labels) == 0 || random.IntN(3) > 0 {
			continue
		}
		budgets = append(budgets, &policyv1.PodDisruptionBudget{
			TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"},
			ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: "of-" + pod.Name},
			Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: pod.Labels}},
			Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: int32(random.IntN(2))},
		})
	}
	// The stock scheduler takes them in this order, vicinal by name.
	slices.SortFunc(budgets, func(a, b *policyv1.PodDisruptionBudget) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	return budgets
}

// contested makes a generated case one about preemption: pods have priorities,
// start times and uids, and most nodes have no room for the incoming one.
func contested(t *testing.T, line []byte, seed uint64) ([]byte, bool) {
	t.Helper()
	if _, err := stock.ParseCase(line); err != nil {
		return nil, false // the generator makes bad lines too
	}
	random := rand.New(rand.NewPCG(seed, 1))
	var c map[string]any
	if err := json.Unmarshal(line, &c); err != nil {
		t.Fatal(err)
	}
	delete(c, "pluginConfig")
	var topologyKeys, labelled []map[string]any
	for i, o := range c["objects"].([]any) {
		object := o.(map[string]any)
		if labels := field(object, "metadata")["labels"]; labels != nil {
			if object["kind"] == "Node" {
				topologyKeys = append(topologyKeys, labels.(map[string]any))
			} else if object["kind"] == "Pod" {
				labelled = append(labelled, object)
			}
		}
		switch object["kind"] {
		case "Node":
			object["status"] = map[string]any{"allocatable": map[string]any{"cpu": "4", "pods": "110"}}
		case "Pod":
			contest(object, fmt.Sprint("u", i), random.IntN(3), random.IntN(4)*5)
			if random.IntN(3) > 0 {
				start := time.Date(2026, 1, 1+random.IntN(3), 0, 0, 0, 0, time.UTC)
				field(object, "status")["startTime"] = metav1.NewTime(start)
			}
		}
	}
	incoming := c["pod"].(map[string]any)
	contest(incoming, "incoming", 3, 12)
	field(incoming, "status")["nominatedNodeName"] = ""
	if len(labelled) > 0 && len(topologyKeys) > 0 && random.IntN(2) == 0 {
		// Anti-affinity between the incoming pod and one that is there, in one
		// direction or the other.
		other := labelled[random.IntN(len(labelled))]
		keys := slices.Sorted(maps.Keys(topologyKeys[random.IntN(len(topologyKeys))]))
		from, to := incoming, other
		if random.IntN(2) == 0 && field(incoming, "metadata")["labels"] != nil {
			from, to = other, incoming
		}
		field(from, "spec")["affinity"] = map[string]any{"podAntiAffinity": map[string]any{
			"requiredDuringSchedulingIgnoredDuringExecution": []any{map[string]any{
				"topologyKey":   keys[random.IntN(len(keys))],
				"namespaces":    []any{field(to, "metadata")["namespace"]},
				"labelSelector": map[string]any{"matchLabels": field(to, "metadata")["labels"]},
			}},
		}}
	}
	contestedLine, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return contestedLine, true
}

func contest(pod map[string]any, uid string, cpu, priority int) {
	field(pod, "metadata")["uid"] = uid
	spec := field(pod, "spec")
	for _, part := range []string{"initContainers", "overhead", "resources", "nodeSelector"} {
		delete(spec, part)
	}
	spec["containers"] = []any{map[string]any{"name": "c", "resources": map[string]any{"requests": map[string]any{"cpu": fmt.Sprint(cpu)}}}}
	spec["priority"] = priority
	for _, part := range []string{"conditions", "containerStatuses", "allocatedResources", "resources"} {
		delete(field(pod, "status"), part)
	}
}

func field(object map[string]any, name string) map[string]any {
	if object[name] == nil {
		object[name] = map[string]any{}
	}
	return object[name].(map[string]any)
}

// ask starts a vicinal with the cluster of the case, and returns the victims of its
// answer.
func ask(t *testing.T, run *harness.Run, line []byte, budgets []*policyv1.PodDisruptionBudget, c *stock.Case, proposed map[string]*extenderv1.Victims) map[string]*extenderv1.Victims {
	t.Helper()
	var raw struct {
		Objects []any `json:"objects"`
	}
	if err := json.Unmarshal(line, &raw); err != nil {
		t.Fatal(err)
	}
	for _, budget := range budgets {
		raw.Objects = append(raw.Objects, budget)
	}
	file, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": raw.Objects})
	if err != nil {
		t.Fatal(err)
	}
	path := run.Path("cluster.json")
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
	vicinal := harness.StartVicinal(t, run, "--cluster-file="+path)
	defer vicinal.Kill()
	args := &extenderv1.ExtenderPreemptionArgs{Pod: c.Pod, NodeNameToMetaVictims: map[string]*extenderv1.MetaVictims{}}
	for node, victims := range proposed {
		meta := &extenderv1.MetaVictims{NumPDBViolations: victims.NumPDBViolations}
		for _, victim := range victims.Pods {
			meta.Pods = append(meta.Pods, &extenderv1.MetaPod{UID: string(victim.UID)})
		}
		args.NodeNameToMetaVictims[node] = meta
	}
	result, err := vicinal.Preempt(args)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	answer := map[string]*extenderv1.Victims{}
	for node, meta := range result.NodeNameToMetaVictims {
		victims := &extenderv1.Victims{NumPDBViolations: meta.NumPDBViolations}
		on := c.PodsOn(node)
		for _, victim := range meta.Pods {
			i := slices.IndexFunc(on, func(p *v1.Pod) bool { return string(p.UID) == victim.UID })
			if i < 0 {
				t.Fatalf("%s: no pod %q there", node, victim.UID)
			}
			victims.Pods = append(victims.Pods, on[i])
		}
		answer[node] = victims
	}
	return answer
}

func uids(pods []*v1.Pod) []string {
	uids := []string{}
	for _, pod := range pods {
		uids = append(uids, string(pod.UID))
	}
	slices.Sort(uids)
	return uids
}

// contains is whether all of some are among all.
func contains(all, some []*v1.Pod) bool {
	return !slices.ContainsFunc(some, func(p *v1.Pod) bool { return !slices.Contains(all, p) })
}

// byImportance compares priorities, then start times; a pod without one has just
// started.
func byImportance(a, b *v1.Pod) int {
	if *a.Spec.Priority != *b.Spec.Priority {
		return int(*b.Spec.Priority - *a.Spec.Priority)
	}
	start := func(p *v1.Pod) time.Time {
		if p.Status.StartTime == nil {
			return time.Unix(1<<40, 0)
		}
		return p.Status.StartTime.Time
	}
	return start(a).Compare(start(b))
}
