package recovery

import (
	"maps"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vicinal/test/e2e/harness"
)

const (
	listsTotal  = "vicinal_watch_lists_total"
	startsTotal = "vicinal_watch_starts_total"
)

// startBehindProxy starts vicinal with a proxy before the API server, and a cluster
// in which a pod of x runs on n1 and one of y on n2.
func (f *fixture) startBehindProxy(t *testing.T) (*harness.Proxy, *harness.Vicinal, *harness.Cluster, *corev1.Pod) {
	t.Helper()
	proxy := harness.StartProxy(t, f.controlPlane.URL)
	v := f.startVicinal(t, proxy.URL())
	cluster := f.startCluster(t, v)
	x := cluster.CreatePod(t, harness.RunningOn("n1", harness.PodOf("x")))
	cluster.CreatePod(t, harness.RunningOn("n2", harness.PodOf("y")))
	wantBlocked(t, v, "x", "n1")
	wantBlocked(t, v, "y", "n2")
	return proxy, v, cluster, x
}

// replaceByZ removes x and lets a pod of z run on n3, without waiting for vicinal.
func (f *fixture) replaceByZ(t *testing.T, cluster *harness.Cluster, x *corev1.Pod) {
	t.Helper()
	cluster.RemovePod(t, x)
	f.observer.WaitOutcome(t, cluster.SubmitPod(t, harness.RunningOn("n3", harness.PodOf("z"))), harness.OutcomeTimeout)
}

// wantReplaced: vicinal knows that x has gone, z has come and y has stayed.
func (f *fixture) wantReplaced(t *testing.T, v *harness.Vicinal) {
	t.Helper()
	f.observer.WaitSeen(t, v)
	wantBlocked(t, v, "x")
	wantBlocked(t, v, "y", "n2")
	wantBlocked(t, v, "z", "n3")
}

func slowWatchBreaksNoRule(t *testing.T, f *fixture) {
	proxy := harness.StartProxy(t, f.controlPlane.URL)
	v := f.startVicinal(t, proxy.URL())
	cluster := f.startCluster(t, v)
	proxy.Delay(200 * time.Millisecond)
	goOnToTheLastFreeNode(t, cluster, 0, 0)
}

func heldConnectionLosesNothing(t *testing.T, f *fixture) {
	proxy, v, cluster, x := f.startBehindProxy(t)
	lists := v.WatchMetric(t, listsTotal)

	proxy.Hold()
	f.replaceByZ(t, cluster, x)
	wantBlocked(t, v, "x", "n1") // the events are held indeed
	proxy.Mend()

	f.wantReplaced(t, v)
	if after := v.WatchMetric(t, listsTotal); !maps.Equal(after, lists) {
		t.Errorf("lists before %v, after %v", lists, after)
	}
}

func cutWatchIsResumed(t *testing.T, f *fixture) {
	proxy, v, cluster, x := f.startBehindProxy(t)
	lists, starts := v.WatchMetric(t, listsTotal), v.WatchMetric(t, startsTotal)

	proxy.Cut()
	f.replaceByZ(t, cluster, x)
	proxy.Mend()

	f.wantReplaced(t, v)
	harness.Eventually(t, 60*time.Second, "every watch has been started again", func() string {
		for resource, after := range v.WatchMetric(t, startsTotal) {
			if after <= starts[resource] {
				return resource
			}
		}
		return ""
	})
	if after := v.WatchMetric(t, listsTotal); !maps.Equal(after, lists) {
		t.Errorf("lists before %v, after %v", lists, after)
	}
	schedule(t, cluster, 2)
	wantRulesKept(t, cluster, 2+6)
}

func expiredWatchIsListedAnew(t *testing.T, f *fixture) {
	proxy, v, cluster, x := f.startBehindProxy(t)
	lists := v.WatchMetric(t, listsTotal)

	proxy.Cut()
	f.replaceByZ(t, cluster, x)
	nodes := f.controlPlane.Admin.CoreV1().Nodes()
	if err := nodes.Delete(t.Context(), "n6", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	// n2 takes n3's hostname: whoever avoids z by hostname must now avoid n2 as well.
	if _, err := nodes.Patch(t.Context(), "n2", types.MergePatchType, []byte(`{"metadata":{"labels":{"kubernetes.io/hostname":"n3"}}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	// A new API server has no events from before its start, and etcd has none either.
	f.controlPlane.CompactEtcd(t)
	f.controlPlane.KillAPIServer()
	f.controlPlane.StartAPIServer(t)
	proxy.Mend()

	harness.Eventually(t, 60*time.Second, "pods and nodes are listed again", func() string {
		after := v.WatchMetric(t, listsTotal)
		for _, resource := range []string{"pods", "nodes"} {
			if after[resource] <= lists[resource] {
				return resource
			}
		}
		return ""
	})
	f.observer.WaitSeen(t, v)
	wantBlocked(t, v, "x")
	wantBlocked(t, v, "y", "n2", "n3")
	wantBlocked(t, v, "z", "n2", "n3")
	status, result, err := v.Filter(harness.PodOf("web"), "n1", "n6")
	if err != nil || status != 200 || result.Error != "" {
		t.Fatalf("filter: status %d, %+v, %v", status, result, err)
	}
	if len(*result.NodeNames) != 1 || (*result.NodeNames)[0] != "n1" || result.FailedAndUnresolvableNodes["n6"] == "" {
		t.Errorf("the deleted node n6 is offered: %+v", result)
	}
}
