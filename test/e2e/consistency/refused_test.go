package consistency

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vicinal/test/e2e/harness"
)

// refusedBinds asks vicinal directly, as a scheduler would, and lets the binding fail
// in every way there is.
func refusedBinds(t *testing.T, f *fixture) {
	proxy, cluster := f.start(t, "--mode=decide", "--in-flight-deadline=3")
	v := cluster.Vicinal

	t.Run("a repeated binding is a success", func(t *testing.T) {
		pod := offered(t, cluster, "repeated", "n00")
		for range 2 {
			if err := v.Bind(t, pod, "n00"); err != "" {
				t.Error(err)
			}
		}
		cluster.Observer.WaitOutcome(t, pod, harness.OutcomeTimeout)
		cluster.Observer.WaitSeen(t, v)
		if err := v.Bind(t, pod, "n00"); err != "" {
			t.Error(err)
		}
		wantIndex(t, cluster, "repeated", "n00")
	})

	t.Run("pod deleted", func(t *testing.T) {
		pod := offered(t, cluster, "deleted", "n01")
		wantIndex(t, cluster, "deleted", "n01") // assumed
		proxy.DelayRequests(0)
		proxy.Delay(1500 * time.Millisecond) // so that vicinal learns it from the API server's answer
		cluster.RemovePod(t, pod)
		err := v.Bind(t, pod, "n01")
		proxy.Delay(0)
		if !strings.Contains(err, "not found") {
			t.Errorf("error %q does not pass on what the API server says", err)
		}
		cluster.Observer.WaitSeen(t, v)
		wantIndex(t, cluster, "deleted")
	})

	t.Run("another pod of that name", func(t *testing.T) {
		pod := offered(t, cluster, "replaced", "n02")
		cluster.RemovePod(t, pod)
		again := aloneBy(corev1.LabelHostname)("replaced")
		again.Name, again.GenerateName, again.Spec.SchedulerName = pod.Name, "", "nobody"
		cluster.SubmitPod(t, again)
		if err := v.Bind(t, pod, "n02"); err == "" {
			t.Error("the pod of another uid was bound")
		}
		cluster.Observer.WaitSeen(t, v)
		wantIndex(t, cluster, "replaced")
	})

	t.Run("conflict", func(t *testing.T) {
		pod := offered(t, cluster, "conflict", "n03")
		proxy.Delay(1500 * time.Millisecond)
		if err := cluster.Client.CoreV1().Pods(pod.Namespace).Bind(t.Context(), &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Name: pod.Name, UID: pod.UID},
			Target:     corev1.ObjectReference{Kind: "Node", Name: "n04"},
		}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		err := v.Bind(t, pod, "n03")
		proxy.Delay(0)
		if !strings.Contains(err, `already assigned to node \"n04\"`) && !strings.Contains(err, `already assigned to node "n04"`) {
			t.Errorf("error %q does not pass on what the API server says", err)
		}
		cluster.Observer.WaitOutcome(t, pod, harness.OutcomeTimeout)
		cluster.Observer.WaitSeen(t, v)
		wantIndex(t, cluster, "conflict", "n04")
	})

	t.Run("API server not reachable", func(t *testing.T) {
		pod := offered(t, cluster, "unreachable", "n05")
		proxy.Cut()
		answer := make(chan string, 1)
		go func() { answer <- v.Bind(t, pod, "n05") }()
		time.Sleep(time.Second)
		// It may have been written: until that is known the pod counts there.
		wantIndex(t, cluster, "unreachable", "n05")
		proxy.Mend()
		// Written again, for as long as somebody waits for it.
		if err := <-answer; err != "" {
			t.Error(err)
		}
		wantIndex(t, cluster, "unreachable", "n05")
	})

	t.Run("a binding that no answer led to is checked first", func(t *testing.T) {
		one, two := offered(t, cluster, "unasked", "n07"), created(t, cluster, "unasked")
		if err := v.Bind(t, one, "n07"); err != "" {
			t.Error(err)
		}
		if err := v.Bind(t, two, "n07"); err != "node(s) didn't match pod anti-affinity rules" {
			t.Errorf("error %q", err)
		}
		if err := v.Bind(t, two, "n08"); err != "" {
			t.Error(err)
		}
		wantIndex(t, cluster, "unasked", "n07", "n08")
	})

	if left := v.Metric(t, "vicinal_in_flight_pods"); left != 0 {
		harness.Eventually(t, 20*time.Second, "nothing is in flight any more", func() string {
			indexProblem(t, cluster, "none") // a question, with which what is due expires
			if left := v.Metric(t, "vicinal_in_flight_pods"); left != 0 {
				return fmt.Sprintf("%.0f pods are", left)
			}
			return ""
		})
	}
}

// offered is a pod that vicinal has put on that node.
func offered(t *testing.T, cluster *harness.Cluster, app, node string) *corev1.Pod {
	t.Helper()
	pod := created(t, cluster, app)
	offer(t, cluster, pod, node)
	return pod
}

func offer(t *testing.T, cluster *harness.Cluster, pod *corev1.Pod, node string) {
	t.Helper()
	status, result, err := cluster.Vicinal.Filter(pod, node)
	if err != nil || status != 200 || result.Error != "" || !slices.Equal(*result.NodeNames, []string{node}) {
		t.Fatalf("filter: status %d, %+v, %v", status, result, err)
	}
}

func wantIndex(t *testing.T, cluster *harness.Cluster, app string, want ...string) {
	t.Helper()
	if problem := indexProblem(t, cluster, app, want...); problem != "" {
		t.Error(problem)
	}
}

// indexProblem compares the nodes with pods of app, as vicinal knows it, with those
// wanted: a pod that avoids app is refused by exactly these.
func indexProblem(t *testing.T, cluster *harness.Cluster, app string, want ...string) string {
	t.Helper()
	probe := harness.PodOf("probe")
	probe.Name = "probe" // without UID: hypothetical
	probe.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{harness.TermTo(app, corev1.LabelHostname)},
	}}
	var got []string
	for name := range cluster.Observer.Nodes(t) {
		status, result, err := cluster.Vicinal.Filter(probe, name)
		if status == 503 {
			return "vicinal does not answer"
		}
		if err != nil || status != 200 || result.Error != "" {
			t.Fatalf("filter: status %d, %+v, %v", status, result, err)
		}
		if _, blocked := result.FailedAndUnresolvableNodes[name]; blocked {
			got = append(got, name)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		return fmt.Sprintf("pods of %s are on %v as vicinal knows it, want %v", app, got, want)
	}
	return ""
}
