// Package plugin runs the scheduler with vicinal's plugins, and vicinal beside it, on a
// real API server: who answers, and what happens when vicinal does not.
package plugin

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vicinal/test/e2e/harness"
)

const (
	host = corev1.LabelHostname
	zone = corev1.LabelTopologyZone
)

// fixture is a cluster, and the vicinal that its scheduler asks.
type fixture struct {
	*harness.Cluster
	vicinal *harness.PluginVicinal
}

// start starts the scheduler; vicinal, which gets the flags, is for the caller to start.
func start(t *testing.T, settings map[string]any, flags ...string) *fixture {
	t.Helper()
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	socket := cp.Run.Path("plugin.sock")
	kubeconfig, config := cp.PluginConfig(t, socket, settings)
	f := &fixture{vicinal: harness.NewPluginVicinal(t, cp.Run, socket, config, flags...)}
	f.Cluster = &harness.Cluster{Client: cp.Admin, Observer: cp.StartObserver(t), Scheduler: cp.StartPluginScheduler(t, kubeconfig, config)}
	f.Apply(t, harness.HighPriority())
	f.Apply(t, harness.SixNodes()...)
	return f
}

// answered is how many attempts vicinal, or in-tree code, has answered.
func (f *fixture) answered(t *testing.T, who string) float64 {
	t.Helper()
	return f.count(t, "vicinal_plugin_attempts_total", "answered_by", who)
}

// count adds up the counters of a name with this label.
func (f *fixture) count(t *testing.T, name, label, value string) float64 {
	t.Helper()
	metrics, err := f.Scheduler.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, metric := range metrics[name].GetMetric() {
		for _, pair := range metric.GetLabel() {
			if pair.GetName() == label && pair.GetValue() == value {
				sum += metric.GetCounter().GetValue()
			}
		}
	}
	return sum
}

// awaitVicinal places pods until vicinal answers: it must connect, and be told.
func (f *fixture) awaitVicinal(t *testing.T) {
	t.Helper()
	before := f.answered(t, "vicinal")
	harness.Eventually(t, harness.OutcomeTimeout, "vicinal answers", func() string {
		f.DeletePod(t, f.CreatePod(t, harness.GoneAtOnce(harness.PodOf("probe"))))
		if f.answered(t, "vicinal") > before {
			return ""
		}
		return "in-tree code does"
	})
}

func spread(app string, pod *corev1.Pod) *corev1.Pod {
	pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: zone, WhenUnsatisfiable: corev1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
	}}
	return pod
}

// placeOfEachKind places pods with rules of each kind and checks that they hold.
func (f *fixture) placeOfEachKind(t *testing.T, name string) {
	t.Helper()
	var pods []*corev1.Pod
	for i := range 6 {
		alone, even := name+"-alone", name+"-even"
		pods = append(pods, harness.AwayFrom(alone, host, harness.PodOf(alone)), spread(even, harness.PodOf(even)))
		if i > 0 {
			pods = append(pods, harness.Beside(name+"-even", zone, harness.PodOf(name+"-beside")))
		}
	}
	var created []*corev1.Pod
	for _, pod := range pods {
		created = append(created, f.SubmitPod(t, pod))
	}
	for _, pod := range created {
		f.waitPlaced(t, pod)
	}
	for _, broken := range harness.BrokenRules(f.Observer.Pods(t), f.Observer.Nodes(t)) {
		t.Error(broken)
	}
}

// waitPlaced waits longer than for an outcome: a pod may have to wait for another one.
func (f *fixture) waitPlaced(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	harness.Eventually(t, harness.OutcomeTimeout, pod.Name+" is placed", func() string {
		for _, seen := range f.Observer.Pods(t) {
			if seen.UID == pod.UID && seen.Spec.NodeName != "" {
				return ""
			}
		}
		return "it waits"
	})
}

func TestVicinalAnswersAndSchedulingGoesOnWithoutIt(t *testing.T) {
	f := start(t, nil)
	t.Run("before vicinal is there in-tree code answers", func(t *testing.T) { f.placeOfEachKind(t, "before") })
	f.vicinal.Start(t)
	f.awaitVicinal(t)
	t.Run("vicinal answers, by narrowing", func(t *testing.T) {
		inTree, narrowed := f.answered(t, "in_tree"), f.count(t, "vicinal_plugin_attempts_total", "reason", "narrowed")
		f.placeOfEachKind(t, "with")
		if got := f.answered(t, "in_tree"); got != inTree {
			t.Errorf("in-tree code answers %v attempts", got-inTree)
		}
		if got := f.count(t, "vicinal_plugin_attempts_total", "reason", "narrowed"); got < narrowed+17 {
			t.Errorf("%v attempts are narrowed, of 17 pods", got-narrowed)
		}
	})
	t.Run("an important pod takes the place of those that its anti-affinity is against", f.preempts)
	t.Run("a hopeless important pod is not tried again when nothing changes for it", f.hopeless)
	for _, trouble := range []struct {
		name       string
		begin, end func(t *testing.T)
	}{
		{"killed", func(*testing.T) { f.vicinal.Kill() }, func(*testing.T) { f.vicinal.Start(t) }},
		{"killed, its socket removed", func(t *testing.T) {
			f.vicinal.Kill()
			if err := os.RemoveAll(f.vicinal.Socket); err != nil {
				t.Fatal(err)
			}
		}, func(*testing.T) { f.vicinal.Start(t) }},
		{"stopped", func(t *testing.T) { f.vicinal.Signal(t, syscall.SIGSTOP) }, func(t *testing.T) { f.vicinal.Signal(t, syscall.SIGCONT) }},
	} {
		t.Run("vicinal is "+trouble.name+", and comes back", func(t *testing.T) {
			before := f.answered(t, "in_tree")
			trouble.begin(t)
			f.placeOfEachKind(t, fmt.Sprintf("trouble%d", len(f.Observer.Pods(t))))
			if f.answered(t, "in_tree") == before {
				t.Error("in-tree code has answered nothing meanwhile")
			}
			trouble.end(t)
			f.awaitVicinal(t)
			f.placeOfEachKind(t, fmt.Sprintf("after%d", len(f.Observer.Pods(t))))
		})
	}
}

func (f *fixture) preempts(t *testing.T) {
	for i := range 6 {
		f.CreatePod(t, harness.RunningOn(fmt.Sprint("n", i+1), harness.GoneAtOnce(harness.PodOf("rival"))))
	}
	important := f.SubmitPod(t, harness.Important(harness.AwayFrom("rival", host, harness.PodOf("important"))))
	f.waitPlaced(t, important)
	rivals := 0
	for _, pod := range f.Observer.Pods(t) {
		if pod.Labels["app"] == "rival" && pod.DeletionTimestamp == nil {
			rivals++
		}
	}
	if rivals != 5 {
		t.Errorf("%d rivals are left, want 5", rivals)
	}
	if f.count(t, "vicinal_plugin_in_tree_states_total", "plugin", "InterPodAffinity") == 0 {
		t.Error("the dry run has not used in-tree code")
	}
}

// Queueing hints are the in-tree plugins': a pod that no event can help rests.
func (f *fixture) hopeless(t *testing.T) {
	hopeless := f.SubmitPod(t, harness.Important(harness.Beside("nobody", zone, harness.PodOf("hopeless"))))
	f.Observer.WaitCondition(t, hopeless, "Unschedulable")
	failed := func() float64 { return f.count(t, "scheduler_schedule_attempts_total", "result", "unschedulable") }
	harness.Eventually(t, harness.OutcomeTimeout, "the attempt is counted", func() string {
		if failed() == 0 {
			return "not yet"
		}
		return ""
	})
	before := failed()
	for range 10 {
		f.DeletePod(t, f.CreatePod(t, harness.GoneAtOnce(harness.PodOf("passer-by"))))
	}
	if got := failed(); got != before {
		t.Errorf("%v more attempts", got-before)
	}
	f.DeletePod(t, hopeless)
}

func TestCompareFindsNoDifferenceAndLeavesThePlacementToInTreeCode(t *testing.T) {
	f := start(t, map[string]any{"mode": "compare"})
	f.vicinal.Start(t)
	harness.Eventually(t, harness.OutcomeTimeout, "vicinal is compared", func() string {
		f.DeletePod(t, f.CreatePod(t, harness.GoneAtOnce(spread("probe", harness.PodOf("probe")))))
		if f.count(t, "vicinal_plugin_compared_total", "extension_point", "Filter") > 0 {
			return ""
		}
		return "not yet"
	})
	f.placeOfEachKind(t, "compared")
	metrics, err := f.Scheduler.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	if got := metrics.Sum("vicinal_plugin_differences_total"); got != 0 {
		t.Errorf("%v differences", got)
	}
	if f.answered(t, "vicinal") != 0 {
		t.Error("vicinal has decided")
	}
}

func TestWithoutNarrowingVicinalAnswersNodeByNode(t *testing.T) {
	f := start(t, map[string]any{"narrow": false})
	f.vicinal.Start(t)
	f.awaitVicinal(t)
	f.placeOfEachKind(t, "verdicts")
	if f.count(t, "vicinal_plugin_attempts_total", "reason", "verdicts") < 17 || f.count(t, "vicinal_plugin_scorings_total", "answered_by", "vicinal") == 0 {
		t.Error("vicinal has not answered")
	}
}
