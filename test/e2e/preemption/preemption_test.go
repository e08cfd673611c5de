// Package preemption lets the real scheduler evict pods for more important ones,
// with the rules of the two plugins in vicinal's hands.
package preemption

import (
	"fmt"
	"maps"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vicinal/test/e2e/harness"
)

const host = corev1.LabelHostname

func TestPreemption(t *testing.T) {
	controlPlane := harness.StartControlPlane(t, harness.NewRun(t))
	vicinal := harness.StartVicinal(t, controlPlane.Run, "--kubeconfig="+controlPlane.VicinalKubeconfig(t, controlPlane.URL))
	cluster := controlPlane.StartCluster(t, controlPlane.StartObserver(t), vicinal)
	cluster.Apply(t, harness.HighPriority())
	for _, part := range []struct {
		name string
		run  func(*testing.T, *harness.Cluster)
	}{
		{"an important pod takes the place of others, also of one that only a rule of vicinal's is against", takesTheirPlace},
		{"two compete, and a third one takes nobody else's place", twoCompete},
		{"nobody is evicted where the affinity would still fail", affinityWouldStillFail},
		{"nobody is evicted beside a pod that is in the way and stays", inTheWayAndStays},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Cleanup(func() { cluster.Clear(t) })
			cluster.Apply(t, harness.NodeOf("n1"), harness.NodeOf("n2"))
			// n2 is full for good.
			cluster.CreatePod(t, harness.RunningOn("n2", harness.Requesting("8", harness.Important(harness.PodOf("rock")))))
			part.run(t, cluster)
		})
	}
}

// filler fills n1 and may be evicted.
func filler() *corev1.Pod {
	return harness.RunningOn("n1", harness.GoneAtOnce(harness.Requesting("8", harness.PodOf("filler"))))
}

func takesTheirPlace(t *testing.T, cluster *harness.Cluster) {
	cluster.CreatePod(t, filler())
	cluster.CreatePod(t, harness.RunningOn("n1", harness.GoneAtOnce(harness.PodOf("web"))))
	bystander := cluster.CreatePod(t, harness.RunningOn("n1", harness.GoneAtOnce(harness.PodOf("bystander"))))
	important := cluster.SubmitPod(t, harness.Important(harness.Requesting("4", harness.AwayFrom("web", host, harness.PodOf("important")))))
	harness.Eventually(t, harness.OutcomeTimeout, "the important pod runs on n1 in place of filler and web", func() string {
		got := map[string]string{}
		for _, pod := range cluster.Observer.Pods(t) {
			got[pod.Labels["app"]] = pod.Spec.NodeName
		}
		if want := map[string]string{"rock": "n2", "important": "n1", "bystander": "n1"}; fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Sprintf("%v, want %v (%s)", got, want, important.Name)
		}
		return ""
	})
	wantNoBrokenRules(t, cluster)
	wantThere(t, cluster, bystander)
}

// There is room for two of three: whoever comes first, nobody is evicted but who is in
// the way of two.
func twoCompete(t *testing.T, cluster *harness.Cluster) {
	cluster.CreatePod(t, filler())
	cluster.CreatePod(t, harness.RunningOn("n1", harness.GoneAtOnce(harness.PodOf("web"))))
	bystander := cluster.CreatePod(t, harness.RunningOn("n1", harness.GoneAtOnce(harness.PodOf("bystander"))))
	var pods []*corev1.Pod
	for range 3 {
		pods = append(pods, harness.Important(harness.Requesting("4", harness.AwayFrom("web", host, harness.PodOf("important")))))
	}
	cluster.SubmitPods(t, pods)
	settled := func() string {
		got := map[string]int{}
		for _, pod := range cluster.Observer.Pods(t) {
			got[pod.Labels["app"]+" on "+pod.Spec.NodeName]++
		}
		if want := map[string]int{"rock on n2": 1, "bystander on n1": 1, "important on n1": 2, "important on ": 1}; !maps.Equal(got, want) {
			return fmt.Sprintf("%v, want %v", got, want)
		}
		return ""
	}
	woken := time.Now()
	harness.Eventually(t, harness.OutcomeTimeout, "two run on n1 in place of filler and web", func() string {
		problem := settled()
		// The scheduler wakes no pod whose last victim somebody else has deleted
		// (prepareCandidateAsync in pkg/scheduler/framework/preemption/executor.go).
		if problem != "" && time.Since(woken) > 5*time.Second {
			tryAgain(t, cluster)
			woken = time.Now()
		}
		return problem
	})
	tryAgain(t, cluster)        // The third one.
	time.Sleep(2 * time.Second) // longer than its backoff
	if problem := settled(); problem != "" {
		t.Error(problem)
	}
	wantNoBrokenRules(t, cluster)
	wantThere(t, cluster, bystander)
}

// tryAgain makes an event after which the scheduler tries the pods that wait once more.
func tryAgain(t *testing.T, cluster *harness.Cluster) {
	t.Helper()
	cluster.DeletePod(t, cluster.CreatePod(t, harness.RunningOn("n2", harness.Requesting("1", harness.PodOf("event")))))
}

func affinityWouldStillFail(t *testing.T, cluster *harness.Cluster) {
	filler := cluster.CreatePod(t, filler())
	cluster.CreatePod(t, harness.RunningOn("n2", harness.Important(harness.PodOf("anchor"))))
	wantNobodyEvicted(t, cluster, filler, harness.Beside("anchor", host, harness.PodOf("important")))
}

func inTheWayAndStays(t *testing.T, cluster *harness.Cluster) {
	filler := cluster.CreatePod(t, filler())
	cluster.CreatePod(t, harness.RunningOn("n1", harness.Important(harness.PodOf("web"))))
	wantNobodyEvicted(t, cluster, filler, harness.AwayFrom("web", host, harness.PodOf("important")))
}

// wantNobodyEvicted creates the pod, important and too large for what is free, and
// checks that the scheduler asks vicinal about evictions, twice, and makes none.
func wantNobodyEvicted(t *testing.T, cluster *harness.Cluster, filler, pod *corev1.Pod) {
	t.Helper()
	for attempt := range 2 {
		asked := questions(t, cluster)
		if attempt == 0 {
			if placed := cluster.CreatePod(t, harness.Important(harness.Requesting("4", pod))); placed.Spec.NodeName != "" {
				t.Fatalf("%s runs on %s", placed.Name, placed.Spec.NodeName)
			}
		} else {
			tryAgain(t, cluster)
		}
		harness.Eventually(t, harness.OutcomeTimeout, "the scheduler asks about evictions", func() string {
			if questions(t, cluster) == asked {
				return "not yet"
			}
			return ""
		})
	}
	// An eviction would come right after the answer.
	time.Sleep(500 * time.Millisecond)
	wantThere(t, cluster, filler)
}

// questions is how often vicinal was asked about evictions.
func questions(t *testing.T, cluster *harness.Cluster) float64 {
	t.Helper()
	metrics, err := cluster.Vicinal.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	return metrics.SumWhere("vicinal_requests_total", map[string]string{"verb": "preempt"})
}

func wantThere(t *testing.T, cluster *harness.Cluster, pod *corev1.Pod) {
	t.Helper()
	for _, other := range cluster.Observer.Pods(t) {
		if other.UID == pod.UID && other.DeletionTimestamp == nil {
			return
		}
	}
	t.Errorf("%s was evicted", pod.Name)
}

func wantNoBrokenRules(t *testing.T, cluster *harness.Cluster) {
	t.Helper()
	for _, broken := range harness.BrokenRules(cluster.Observer.Pods(t), cluster.Observer.Nodes(t)) {
		t.Error(broken)
	}
}
