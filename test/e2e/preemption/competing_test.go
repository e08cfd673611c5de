package preemption

import (
	"fmt"
	"maps"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vicinal/test/e2e/harness"
)

// behind is how much later than the scheduler vicinal sees everything here.
const behind = 500 * time.Millisecond

// The scheduler looks for victims as of a state that vicinal has not seen yet, or that has
// changed while it asks. Whoever is evicted must be whom in-tree would have evicted.
func TestNobodyElseIsEvictedWhileTheClusterChanges(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	proxy := harness.StartProxy(t, cp.URL)
	vicinal := harness.StartVicinal(t, cp.Run, "--kubeconfig="+cp.VicinalKubeconfig(t, proxy.URL()))
	cluster := cp.StartCluster(t, cp.StartObserver(t), vicinal)
	cluster.Apply(t, harness.HighPriority())
	for _, part := range []struct {
		name string
		run  func(*testing.T, *harness.Cluster)
	}{
		{"a pod comes that is in the way and stays", comesInTheWay},
		{"the pod goes that was in the way and stays", goesOutOfTheWay},
		{"two that keep away from each other compete for one node", keepAwayFromEachOther},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Cleanup(func() { proxy.Delay(0); cluster.Clear(t) })
			cluster.Apply(t, harness.NodeOf("n1"), harness.NodeOf("n2"))
			// n2 is full for good.
			cluster.CreatePod(t, harness.RunningOn("n2", harness.Requesting("8", harness.Important(harness.PodOf("rock")))))
			cluster.CreatePod(t, filler())
			bystander := cluster.CreatePod(t, harness.RunningOn("n1", harness.GoneAtOnce(harness.PodOf("bystander"))))
			proxy.Delay(behind)
			part.run(t, cluster)
			wantThere(t, cluster, bystander)
			wantNoBrokenRules(t, cluster)
		})
	}
}

// stays waits until the pods are at these places, by label and node, and still are after
// vicinal has seen all and each pod has been tried again.
func stays(t *testing.T, cluster *harness.Cluster, want map[string]int) {
	t.Helper()
	placed := func() string {
		got := map[string]int{}
		for _, pod := range cluster.Observer.Pods(t) {
			got[pod.Labels["app"]+" on "+pod.Spec.NodeName]++
		}
		if !maps.Equal(got, want) {
			return fmt.Sprintf("%v, want %v", got, want)
		}
		return ""
	}
	harness.Eventually(t, harness.OutcomeTimeout, "the pods are where they belong", placed)
	time.Sleep(2*behind + time.Second)
	// An event after which the scheduler tries again what still waits.
	cluster.DeletePod(t, cluster.CreatePod(t, harness.RunningOn("n2", harness.Requesting("1", harness.PodOf("event")))))
	time.Sleep(2*behind + time.Second)
	if problem := placed(); problem != "" {
		t.Error(problem)
	}
}

func important(pod *corev1.Pod) *corev1.Pod {
	return harness.Important(harness.Requesting("4", pod))
}

func comesInTheWay(t *testing.T, cluster *harness.Cluster) {
	cluster.SubmitPod(t, harness.RunningOn("n1", harness.Important(harness.PodOf("web"))))
	cluster.SubmitPod(t, important(harness.AwayFrom("web", host, harness.PodOf("important"))))
	harness.Eventually(t, harness.OutcomeTimeout, "the scheduler asks about evictions", func() string {
		if questions(t, cluster) == 0 {
			return "not yet"
		}
		return ""
	})
	stays(t, cluster, map[string]int{"rock on n2": 1, "filler on n1": 1, "bystander on n1": 1, "web on n1": 1, "important on ": 1})
}

func goesOutOfTheWay(t *testing.T, cluster *harness.Cluster) {
	web := cluster.SubmitPod(t, harness.RunningOn("n1", harness.Important(harness.PodOf("web"))))
	cluster.SubmitPod(t, important(harness.AwayFrom("web", host, harness.PodOf("important"))))
	cluster.RemovePod(t, web)
	stays(t, cluster, map[string]int{"rock on n2": 1, "important on n1": 1, "bystander on n1": 1})
}

func keepAwayFromEachOther(t *testing.T, cluster *harness.Cluster) {
	for range 2 {
		cluster.SubmitPod(t, important(harness.AwayFrom("lonely", host, harness.PodOf("lonely"))))
	}
	stays(t, cluster, map[string]int{"rock on n2": 1, "lonely on n1": 1, "lonely on ": 1, "bystander on n1": 1})
}
