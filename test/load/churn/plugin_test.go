package churn

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"vicinal/test/e2e/harness"
)

// nodesAndPods has no changes of other kinds. In-tree code reads namespaces and services
// where it needs them, and not from the snapshot of its cycle: of two answers in one cycle
// only one may know a change.
type nodesAndPods struct{ *apiCluster }

func (c nodesAndPods) relabelNamespace(string, string) error {
	return c.relabelPod(types.NamespacedName{Namespace: "default", Name: "marker"}, "t0")
}

func (c nodesAndPods) createService(*corev1.Service) error { return c.relabelNamespace("", "") }

func (c nodesAndPods) deleteService(string, string) error { return c.relabelNamespace("", "") }

// The scheduler with vicinal's plugins in mode compare: in-tree code answers each attempt,
// and vicinal's answers are compared with it. One in ten of the pods that come waits, and
// is scheduled.
func TestThePluginFindsNoDifferenceUnderChurn(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	cluster := nodesAndPods{newAPICluster(t, cp)}
	populate(t, cluster)
	socket := cp.Run.Path("plugin.sock")
	kubeconfig, config := cp.PluginConfig(t, socket, map[string]any{"mode": "compare"})
	vicinal := harness.NewPluginVicinal(t, cp.Run, socket, config)
	vicinal.Start(t)
	scheduler := cp.StartPluginScheduler(t, kubeconfig, config, "--v=0")
	metrics := func() harness.Metrics {
		m, err := scheduler.Metrics()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}

	c := &churn{cluster: cluster}
	duration := time.Duration(*minutes * float64(time.Minute))
	begin, schedulerCPU, vicinalCPU := time.Now(), scheduler.CPUSeconds(t), vicinal.CPUSeconds(t)
	pace := &pace{begin: begin, rate: *rate}
	var working sync.WaitGroup
	for i := range writers {
		working.Go(func() { c.write(begin.Add(duration), pace, rand.New(rand.NewPCG(*seed, uint64(i)))) })
	}
	working.Wait()
	for _, problem := range c.problems.all() {
		t.Error(problem)
	}
	seconds, now := time.Since(begin).Seconds(), metrics()
	for _, plugin := range []string{"PodTopologySpread", "InterPodAffinity"} {
		for _, point := range []string{"Filter", "Score"} {
			labels := map[string]string{"plugin": plugin, "extension_point": point}
			compared := now.SumWhere("vicinal_plugin_compared_total", labels)
			t.Logf("%s, %s: %.0f answers compared", plugin, point, compared)
			if compared == 0 {
				t.Errorf("%s, %s: nothing is compared", plugin, point)
			}
		}
	}
	differences := now.Sum("vicinal_plugin_differences_total")
	if differences != 0 {
		t.Errorf("%.0f differences; the scheduler's log has them", differences)
	}
	wantQuietLog(t, vicinal.LogFile)
	t.Logf("CPU per second: scheduler %.3f s, vicinal %.3f s", (scheduler.CPUSeconds(t)-schedulerCPU)/seconds, (vicinal.CPUSeconds(t)-vicinalCPU)/seconds)
	t.Logf("%d changes (%.0f per second), %.0f attempts compared of %.0f, %.0f differences", c.changes.Load(), float64(c.changes.Load())/seconds,
		now.SumWhere("vicinal_plugin_attempts_total", map[string]string{"reason": "compare"}), now.Sum("vicinal_plugin_attempts_total"), differences)
}
