// Package plugin compares the scheduler's plugins, with the real vicinal behind them, and
// the in-tree plugins on generated clusters. It is a module of its own, so that the
// binaries that test/go.mod pins do not depend on the plugin. A test binary cannot tell the
// release of its modules, so test/run sets it with a linker flag.
package plugin

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-base/metrics/legacyregistry"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/klog/v2"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"

	"vicinal/scheduler-plugin/plugin"
	"vicinal/test/conformance/cases"
	"vicinal/test/conformance/stock"
)

var (
	count = flag.Uint64("cases", 300, "how many cases are generated")
	seed  = flag.Uint64("seed", 1795366871240636391, "of the cases; the same in each run unless another is given")
)

const schedulerConfig = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    multiPoint:
      disabled: [{name: "*"}]
      enabled:
      - {name: PrioritySort}
      - {name: DefaultBinder}
      - {name: NodeUnschedulable}
      - {name: NodeName}
      - {name: TaintToleration, weight: 3}
      - {name: NodeAffinity, weight: 2}
      - {name: NodeResourcesFit, weight: 1}
      - {name: NodeResourcesBalancedAllocation, weight: 1}
      - {name: ImageLocality, weight: 1}
      - {name: VicinalPodTopologySpread, weight: 2}
      - {name: VicinalInterPodAffinity, weight: 2}
`

// startVicinal returns the address of a real one.
func startVicinal(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	file, socket := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "s")
	if err := os.WriteFile(file, []byte(schedulerConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(os.Getenv("VICINAL_BIN"), "serve-plugin", "--socket="+socket, "--scheduler-config="+file, "--admin-listen-address=127.0.0.1:0")
	command.Stderr = log
	if err := command.Start(); err != nil {
		t.Fatalf("VICINAL_BIN: %v", err)
	}
	t.Cleanup(func() {
		command.Process.Kill()
		command.Wait()
		if content, _ := os.ReadFile(log.Name()); t.Failed() {
			t.Logf("vicinal's log ends with\n%s", content[max(0, len(content)-3000):])
		}
	})
	return "unix:" + socket
}

// attempts are the plugin's, by who answered and why.
func attempts(t *testing.T) map[string]float64 {
	t.Helper()
	return counters(t, "vicinal_plugin_attempts_total")
}

// counters are those of a name, by the values of their labels.
func counters(t *testing.T, name string) map[string]float64 {
	t.Helper()
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			if family.GetName() != name {
				continue
			}
			var labels []string
			for _, label := range metric.GetLabel() {
				labels = append(labels, label.GetValue())
			}
			counts[strings.Join(labels, " ")] = metric.GetCounter().GetValue()
		}
	}
	return counts
}

// rig asks both about the same cases.
type rig struct {
	stock   *stock.Scheduler
	ours    *stock.Scheduler
	answers map[string]int // attempts of ours, by who answered and why
}

func newRig(t *testing.T, address, settings string) *rig {
	klog.LogToStderr(false)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	s, err := stock.NewScheduler(ctx)
	if err != nil {
		t.Fatal(err)
	}
	asked := attempts(t)["in_tree pod_unknown"]
	return &rig{stock: s, answers: map[string]int{}, ours: s.With(stock.Other{
		Registry: plugin.Registry,
		Names:    map[string]string{"PodTopologySpread": plugin.PodTopologySpread, "InterPodAffinity": plugin.InterPodAffinity},
		PluginConfig: []config.PluginConfig{{Name: plugin.InterPodAffinity, Args: &runtime.Unknown{
			ContentType: runtime.ContentTypeJSON, Raw: fmt.Appendf(nil, `{"vicinal": {"address": %q, "timeout": "20s", %s}}`, address, settings)}}},
		// A pod that nobody knows is asked about once vicinal has the whole cluster.
		Ready: func() bool {
			now := attempts(t)["in_tree pod_unknown"]
			ready := now > asked
			asked = now
			return ready
		},
	})}
}

// each calls f for the cases that a vicinal of one configuration can be asked about.
func (r *rig) each(t *testing.T, f func(t *testing.T, c *stock.Case)) {
	t.Logf("seed %d", *seed)
	for index := range *count {
		g := cases.Generate(*seed, index)
		c, err := stock.ParseCase(g.Line)
		if err != nil || c.PluginConfig != nil || c.Cluster.Has(c.Pod) {
			continue
		}
		if err := c.Cluster.Add(c.Pod); err != nil {
			t.Fatal(err)
		}
		before := attempts(t)
		t.Run(g.ID, func(t *testing.T) { f(t, c) })
		for who, n := range attempts(t) {
			if n > before[who] {
				r.answers[who]++
			}
		}
	}
	t.Logf("attempts: %v", r.answers)
}

// inTreeNames replaces the plugins' names, which the scheduler's messages have.
func inTreeNames(text string) string { return strings.ReplaceAll(text, "Vicinal", "") }

func TestVerdictsAndScoresAreEqualOnGeneratedClusters(t *testing.T) {
	r := newRig(t, startVicinal(t), `"narrow": false`)
	r.each(t, func(t *testing.T, c *stock.Case) {
		want, err := r.stock.Answer(c)
		if err != nil {
			t.Skip(err)
		}
		got, err := r.ours.Answer(c)
		if err != nil {
			t.Fatal(err)
		}
		for name, node := range want.Nodes {
			said := got.Nodes[name]
			said.Plugin, said.Reason = inTreeNames(said.Plugin), inTreeNames(said.Reason)
			if said != node {
				t.Errorf("node %s: %+v, in-tree %+v", name, said, node)
			}
		}
		if !maps.Equal(got.Totals, want.Totals) {
			t.Errorf("totals %v, in-tree %v", got.Totals, want.Totals)
		}
		if inTreeNames(got.Message) != want.Message {
			t.Errorf("message %q, in-tree %q", got.Message, want.Message)
		}
	})
	if r.answers["vicinal verdicts"] == 0 {
		t.Error("vicinal has answered nothing")
	}
}

func TestTheNarrowedNodeIsOneOfTheBestOnGeneratedClusters(t *testing.T) {
	r := newRig(t, startVicinal(t), `"narrow": true`)
	r.each(t, func(t *testing.T, c *stock.Case) {
		want, err := r.stock.Answer(c)
		if err != nil {
			t.Skip(err)
		}
		before := attempts(t)["vicinal narrowed"]
		got, err := r.ours.Answer(c)
		if err != nil {
			t.Fatal(err)
		}
		fits := slices.DeleteFunc(slices.Collect(maps.Keys(got.Nodes)), func(name string) bool { return got.Nodes[name].Code != "Success" })
		if attempts(t)["vicinal narrowed"] == before {
			if !maps.Equal(got.Totals, want.Totals) || len(want.Totals) != len(fits) {
				t.Errorf("not narrowed: totals %v, in-tree %v", got.Totals, want.Totals)
			}
			return
		}
		// An error of a score plugin, which vicinal does not see before it narrows, ends
		// both attempts.
		ended := len(fits) == 0 && len(want.Totals) == 0 && len(want.Nodes) > 0
		for name, node := range want.Nodes {
			ended = ended && node.Code == "Error" && got.Nodes[name].Code == "Error"
		}
		if ended {
			return
		}
		if len(fits) != 1 || len(want.Totals) == 0 || want.Totals[fits[0]] != slices.Max(slices.Collect(maps.Values(want.Totals))) {
			t.Errorf("narrowed to %v, in-tree totals are %v", fits, want.Totals)
		}
	})
	if r.answers["vicinal narrowed"] == 0 {
		t.Error("no attempt is narrowed")
	}
}

// Pods of one template come one after the other: vicinal is asked about each before the
// snapshot has the one before it.
func TestPodsInARowGoToNodesOfTheBestOnGeneratedClusters(t *testing.T) {
	r := newRig(t, startVicinal(t), `"narrow": true`)
	r.each(t, func(t *testing.T, c *stock.Case) {
		var pods []*v1.Pod
		for i := range 4 {
			pod := c.Pod.DeepCopy()
			pod.Name, pod.Status.NominatedNodeName = fmt.Sprint("in-a-row-", i), ""
			pod.UID = types.UID(pod.Name)
			pods = append(pods, pod)
			if err := c.Cluster.Add(pod); err != nil {
				t.Fatal(err)
			}
		}
		placed, err := r.ours.Place(c, pods)
		if err != nil {
			t.Skip(err)
		}
		for i, pod := range pods {
			c.Pod = pod
			want, err := r.stock.Answer(c)
			if err != nil {
				t.Fatal(err)
			}
			if len(want.Totals) == 0 && want.Message == "" {
				return // an error ends the attempt, unless there is only one node to score
			}
			if (placed[i] == "") != (len(want.Totals) == 0) {
				t.Fatalf("pod %d: %q, in-tree totals are %v", i, placed[i], want.Totals)
			}
			if placed[i] == "" {
				continue
			}
			if total, ok := want.Totals[placed[i]]; !ok || total != slices.Max(slices.Collect(maps.Values(want.Totals))) {
				t.Fatalf("pod %d: %s, in-tree totals are %v", i, placed[i], want.Totals)
			}
			bound := pod.DeepCopy()
			bound.Spec.NodeName = placed[i]
			if err := c.Cluster.Add(bound); err != nil {
				t.Fatal(err)
			}
		}
	})
	ahead := counters(t, "vicinal_plugin_asked_ahead_total")
	t.Logf("asked ahead, and used: %v", ahead)
	if ahead["true"] == 0 {
		t.Error("no answer to a question that was asked ahead is used")
	}
}

func TestVictimsAreEqualOnGeneratedClusters(t *testing.T) {
	r, found := newRig(t, startVicinal(t), `"narrow": true`), 0
	random := rand.New(rand.NewPCG(*seed, 0))
	r.each(t, func(t *testing.T, c *stock.Case) {
		budgets := crowd(random, c)
		// Nobody asks for victims if a node fits, or an error ends the attempt: then there
		// is no message of what is wrong with each node.
		if answer, err := r.stock.Answer(c); err != nil || answer.Message == "" {
			return
		}
		want, err := r.stock.Evictions(c, budgets)
		if err != nil {
			t.Skip(err)
		}
		got, err := r.ours.Evictions(c, budgets)
		if err != nil {
			t.Fatal(err)
		}
		if len(want) > 0 {
			found++
		}
		same := func(a, b *extenderv1.Victims) bool {
			return a.NumPDBViolations == b.NumPDBViolations && slices.EqualFunc(a.Pods, b.Pods, func(a, b *v1.Pod) bool { return a.UID == b.UID })
		}
		if !maps.EqualFunc(got, want, same) {
			t.Errorf("victims %v, in-tree %v", got, want)
		}
	})
	t.Logf("%d cases have victims", found)
	if found < int(*count)/20 {
		t.Errorf("only %d cases have victims", found)
	}
}

// crowd leaves no node room for the case's pod, which is more important than most others,
// and returns budgets that protect some of these.
func crowd(random *rand.Rand, c *stock.Case) []*policyv1.PodDisruptionBudget {
	var budgets []*policyv1.PodDisruptionBudget
	const important = 10
	priority := int32(important)
	c.Pod.Spec.Priority, c.Pod.Spec.PreemptionPolicy, c.Pod.Spec.Resources = &priority, nil, nil
	wanted := resource.MustParse("500m")
	for i := range c.Pod.Spec.Containers {
		c.Pod.Spec.Containers[i].Resources.Requests = v1.ResourceList{v1.ResourceCPU: wanted}
	}
	used := map[string]int64{}
	for _, pod := range c.Cluster.AllPods() {
		if pod == c.Pod {
			continue
		}
		priority := random.Int32N(important + 2)
		pod.Spec.Priority = &priority
		cpu := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})[v1.ResourceCPU]
		used[pod.Spec.NodeName] += cpu.MilliValue()
		if random.IntN(4) == 0 {
			budgets = append(budgets, &policyv1.PodDisruptionBudget{
				ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name},
				Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: pod.Labels}},
				Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: random.Int32N(2)},
			})
		}
	}
	for _, node := range c.Cluster.AllNodes() {
		if node.Status.Allocatable == nil {
			node.Status.Allocatable = v1.ResourceList{}
		}
		room := used[node.Name] + random.Int64N(wanted.MilliValue())
		node.Status.Allocatable[v1.ResourceCPU] = *resource.NewMilliQuantity(room, resource.DecimalSI)
	}
	return budgets
}
