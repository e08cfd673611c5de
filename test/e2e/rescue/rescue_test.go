// Package rescue has a cluster that is large enough for the scheduler to look at a
// part of the nodes only, and pods that fit few of them.
package rescue

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vicinal/test/e2e/harness"
)

const (
	nodes = 600
	host  = corev1.LabelHostname
)

func TestRescue(t *testing.T) {
	controlPlane := harness.StartControlPlane(t, harness.NewRun(t))
	f := &fixture{controlPlane: controlPlane, observer: controlPlane.StartObserver(t)}
	for _, part := range []struct {
		name string
		run  func(*testing.T, *fixture)
	}{
		{"pods that fit 3 nodes of 600 are all placed, without rescue some are not", fewNodesFit},
		{"nobody is evicted for a pod that fits elsewhere, without rescue somebody is", fitsElsewhere},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(t, f) })
	}
}

type fixture struct {
	controlPlane *harness.ControlPlane
	observer     *harness.Observer
}

// with runs a part on a scheduler and a vicinal of its own, which has a flag.
func (f *fixture) with(t *testing.T, flag string, run func(*testing.T, *harness.Cluster)) {
	t.Run(flag, func(t *testing.T) {
		vicinal := harness.StartVicinal(t, f.controlPlane.Run, flag,
			"--kubeconfig="+f.controlPlane.VicinalKubeconfig(t, f.controlPlane.URL))
		cluster := f.controlPlane.StartCluster(t, f.observer, vicinal)
		t.Cleanup(func() { cluster.Clear(t) })
		var objects []runtime.Object
		for i := range nodes {
			objects = append(objects, harness.NodeOf(name(i)))
		}
		cluster.Apply(t, objects...)
		run(t, cluster)
	})
}

func name(node int) string { return fmt.Sprintf("n%03d", node) }

// fewNodesFit creates, one after the other, pods that must run beside one of three.
func fewNodesFit(t *testing.T, f *fixture) {
	const pods = 20
	// The scheduler tries a pod again after at most ten seconds once something has
	// made it worth while.
	const patience = 12 * time.Second
	anchors := map[string]bool{name(100): true, name(101): true, name(102): true}
	for _, part := range []struct {
		flag      string
		rescue    bool
		withinTwo int // pods that must be placed with two attempts
	}{
		// The scheduler may clear a nomination just before the attempt that it is for,
		// the more often the faster the machine: then there is a third.
		{"--rescue-retry=at-once", true, 0},
		{"--rescue-retry=after-backoff", true, pods},
		{"--rescue=false", false, 0},
	} {
		f.with(t, part.flag, func(t *testing.T, cluster *harness.Cluster) {
			for anchor := range anchors {
				cluster.CreatePod(t, harness.RunningOn(anchor, harness.PodOf("anchor")))
			}
			created, late := 0, 0
			var slowest time.Duration
			for range pods {
				begin := time.Now()
				pod := cluster.SubmitPod(t, harness.Beside("anchor", host, harness.PodOf("follower")))
				created++
				if node := placed(t, cluster, pod, patience); node == "" {
					late++
				} else if !anchors[node] {
					t.Errorf("%s runs on %s", pod.Name, node)
				}
				slowest = max(slowest, time.Since(begin))
				if late == 3 {
					break // more of them would show nothing new
				}
			}
			// The scheduler counts a pod only after it has bound it.
			bound, withinTwo, attempts := cluster.Scheduler.Attempts(t)
			harness.Eventually(t, 5*time.Second, "the scheduler has counted those bound", func() string {
				if bound, withinTwo, attempts = cluster.Scheduler.Attempts(t); bound+late < created {
					return fmt.Sprintf("%d of %d", bound, created-late)
				}
				return ""
			})
			m := vicinalMetrics(t, cluster)
			t.Logf("%s: %d pods bound with %d attempts, %d of them within two; %d were not after %v; the slowest took %v; rescues started %v, succeeded %v, abandoned %v",
				part.flag, bound, attempts, withinTwo, late, patience, slowest.Round(time.Millisecond),
				m.Sum("vicinal_rescues_started_total"), m.Sum("vicinal_rescues_succeeded_total"), m.Sum("vicinal_rescues_abandoned_total"))
			if !part.rescue {
				if late == 0 && withinTwo == bound {
					t.Error("the scheduler's samples had the nodes every time: this part shows nothing")
				}
				return
			}
			if late != 0 || bound != pods || withinTwo < part.withinTwo {
				t.Errorf("%d of %d pods bound, %d within two attempts", bound, pods, withinTwo)
			}
			if m.Sum("vicinal_rescues_started_total") == 0 {
				t.Error("no rescue was needed: this part shows nothing")
			}
			harness.Eventually(t, 10*time.Second, "vicinal knows that every rescue succeeded", func() string {
				m := vicinalMetrics(t, cluster)
				started, succeeded := m.Sum("vicinal_rescues_started_total"), m.Sum("vicinal_rescues_succeeded_total")
				if started != succeeded {
					return fmt.Sprintf("%v started, %v succeeded", started, succeeded)
				}
				return ""
			})
		})
	}
}

// fitsElsewhere has many nodes where an important pod would fit if somebody went, and
// one where it fits as it is.
func fitsElsewhere(t *testing.T, f *fixture) {
	const pods = 6
	free := name(305)
	for _, rescue := range []bool{true, false} {
		f.with(t, fmt.Sprintf("--rescue=%v", rescue), func(t *testing.T, cluster *harness.Cluster) {
			if rescue { // stays when the cluster is emptied
				cluster.Apply(t, harness.HighPriority())
			}
			anchor := func(node string) {
				cluster.SubmitPod(t, harness.RunningOn(node, harness.Important(harness.PodOf("anchor"))))
			}
			anchor(free)
			fillers := 0
			for i := 0; i < nodes; i += 10 {
				anchor(name(i))
				cluster.SubmitPod(t, harness.RunningOn(name(i), harness.GoneAtOnce(harness.Requesting("8", harness.PodOf("filler")))))
				fillers++
			}
			cluster.Apply(t) // waits until vicinal knows them
			elsewhere := 0
			for range pods {
				pod := cluster.SubmitPod(t, harness.Beside("anchor", host, harness.Important(harness.Requesting("1", harness.PodOf("important")))))
				switch node := placed(t, cluster, pod, harness.OutcomeTimeout); node {
				case "":
					t.Fatalf("%s is pending: %s", pod.Name, harness.PendingMessage(pod))
				case free:
				default:
					elsewhere++
				}
			}
			left := 0
			for _, pod := range cluster.Observer.Pods(t) {
				if pod.Labels["app"] == "filler" && pod.DeletionTimestamp == nil {
					left++
				}
			}
			m := vicinalMetrics(t, cluster)
			t.Logf("rescue=%v: %d of %d pods not on the free node, %d of %d fillers evicted; rescues started %v, succeeded %v, abandoned %v",
				rescue, elsewhere, pods, fillers-left, fillers,
				m.Sum("vicinal_rescues_started_total"), m.Sum("vicinal_rescues_succeeded_total"), m.Sum("vicinal_rescues_abandoned_total"))
			if evicted := fillers - left; rescue == (evicted > 0) {
				t.Errorf("rescue=%v: %d fillers evicted", rescue, evicted)
			}
			if rescue && m.Sum("vicinal_rescues_started_total") == 0 {
				t.Error("no rescue was needed: this part shows nothing")
			}
		})
	}
}

// placed is the node that the pod gets, or "" if it does not get one in time.
func placed(t *testing.T, cluster *harness.Cluster, pod *corev1.Pod, patience time.Duration) string {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		for _, other := range cluster.Observer.Pods(t) {
			if other.UID == pod.UID && other.Spec.NodeName != "" {
				return other.Spec.NodeName
			}
		}
	}
	return ""
}

func vicinalMetrics(t *testing.T, cluster *harness.Cluster) harness.Metrics {
	t.Helper()
	m, err := cluster.Vicinal.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	return m
}
