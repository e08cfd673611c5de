package quiet

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vicinal/test/e2e/harness"
)

// How many attempts and writes more than in-tree's are let pass.
const tolerance = 2

// A pod of high priority, kept from every node by anti-affinity to a pod there that is as
// important. Beside that one runs a pod of priority 0, whose eviction does not help.
func TestAHopelessPodIsAsQuietAsInTree(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	cp.Create(t, harness.HighPriority())
	var want outcome
	for i, mode := range sides() {
		ok := t.Run(mode, func(t *testing.T) {
			s := start(t, cp, mode)
			t.Cleanup(func() { s.cluster.Clear(t) })
			got := s.hopeless(t)
			s.evictable(t)
			if i == 0 {
				want = got
				return
			}
			for _, count := range []struct {
				of        string
				got, want float64
			}{{"attempts", got.failed, want.failed}, {"PATCHes of a pod's status", got.patches, want.patches}} {
				if count.got > count.want+tolerance {
					t.Errorf("%.0f %s in %d s, in-tree %.0f", count.got, count.of, *seconds, count.want)
				}
			}
			// The scheduler offers a sample of the nodes, so the numbers in it differ.
			const reason = "node(s) didn't match pod anti-affinity rules"
			if len(got.message) > len(want.message) || !strings.Contains(got.message, reason) {
				t.Errorf("the condition says %q, in-tree %q", got.message, want.message)
			}
		})
		if !ok && i == 0 {
			t.Fatal("nothing to compare with")
		}
	}
}

type outcome struct {
	counts
	message string
}

func (s *side) hopeless(t *testing.T) outcome {
	t.Helper()
	var objects []runtime.Object
	for i := range *nodes {
		objects = append(objects, harness.NodeOf(fmt.Sprintf("n%03d", i)))
	}
	s.cluster.Apply(t, objects...)
	var pods []*corev1.Pod
	for i := range *nodes {
		node := fmt.Sprintf("n%03d", i)
		pods = append(pods, harness.RunningOn(node, harness.Important(harness.PodOf("web"))), harness.RunningOn(node, harness.GoneAtOnce(harness.PodOf("filler"))))
	}
	s.cluster.SubmitPods(t, pods)
	harness.Eventually(t, harness.OutcomeTimeout, "the test knows all pods", func() string {
		if known := len(s.cluster.Observer.Pods(t)); known != len(pods) {
			return fmt.Sprintf("%d of %d", known, len(pods))
		}
		return ""
	})
	before := s.counts(t)
	pod := s.cluster.CreatePod(t, harness.Important(harness.AwayFrom("web", host, harness.PodOf("hopeless"))))
	time.Sleep(time.Duration(*seconds) * time.Second) // what is counted is what happens in it
	counted := s.counts(t).since(before)
	now := s.get(t, pod)
	if now.Spec.NodeName != "" {
		t.Fatalf("it runs on %s", now.Spec.NodeName)
	}
	message := harness.PendingMessage(now)
	tries("a hopeless pod, %d nodes, %d s", *nodes, *seconds)
	s.record("attempts after the first", "%.0f", max(0, counted.failed-1))
	s.record("PATCHes of its status", "%.0f", counted.patches)
	s.record("its condition", "%d bytes", len(message))
	s.recordCPU(counted)
	return outcome{counted, message}
}

// evictable creates a pod of high priority where evicting one pod of priority 0 would do.
func (s *side) evictable(t *testing.T) {
	t.Helper()
	before := len(s.cluster.ListPods(t))
	begin := time.Now()
	pod := s.cluster.SubmitPod(t, harness.Important(harness.AwayFrom("filler", host, harness.PodOf("preemptor"))))
	placed := func() bool { return s.get(t, pod).Spec.NodeName != "" }
	tries("the same where evicting one pod of priority 0 would do")
	if extends(s.name) {
		harness.Eventually(t, harness.OutcomeTimeout, "the pod is refused", func() string {
			if harness.PendingMessage(s.get(t, pod)) == "" {
				return "not yet"
			}
			return ""
		})
		// The scheduler does not preempt on nodes that only an extender refuses. What it
		// could do, it does within a backoff.
		time.Sleep(3 * time.Second)
		if placed() {
			t.Error("the pod is placed: the text of server/README.md about preemption is out of date")
		}
		s.record("it", "is not placed")
	} else {
		harness.Eventually(t, harness.OutcomeTimeout, "the pod is placed", func() string {
			if !placed() {
				return "not yet"
			}
			return ""
		})
		s.record("it", "is placed after %.1f s", time.Since(begin).Seconds())
	}
	evicted := before + 1 - len(s.cluster.ListPods(t))
	s.record("evicted", "%d", evicted)
	if want := map[bool]int{true: 0, false: 1}[extends(s.name)]; evicted != want {
		t.Errorf("%d pods are evicted, want %d", evicted, want)
	}
}

const host = corev1.LabelHostname
