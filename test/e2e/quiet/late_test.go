package quiet

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vicinal/test/e2e/harness"
)

// The scheduler sees each event half a second before vicinal, and asks at once.
func TestAPodIsPlacedThoughVicinalSeesLaterWhatMakesItPossible(t *testing.T) {
	const behind = 500 * time.Millisecond
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	for _, mode := range []string{"decide", "advise"} {
		if !slices.Contains(sides(), mode) {
			continue
		}
		t.Run(mode, func(t *testing.T) {
			proxy := harness.StartProxy(t, cp.URL)
			vicinal := harness.StartVicinal(t, cp.Run, "--mode="+mode, "--kubeconfig="+cp.VicinalKubeconfig(t, proxy.URL()))
			vicinal.WaitReady(t)
			s := &side{name: mode, cp: cp, scheduler: cp.StartQuietScheduler(t, vicinal)}
			s.cluster = &harness.Cluster{Client: cp.Admin, Observer: cp.StartObserver(t), Scheduler: s.scheduler, Vicinal: vicinal}
			t.Cleanup(func() { s.cluster.Clear(t); s.scheduler.Kill() })
			s.cluster.Apply(t, harness.NodeOf("n1"), harness.NodeOf("n2"))
			first := s.cluster.CreatePod(t, harness.RunningOn("n1", harness.PodOf("web")))
			s.cluster.CreatePod(t, harness.RunningOn("n2", harness.PodOf("web")))
			t.Run("a place becomes free", func(t *testing.T) {
				s.placedAfter(t, harness.AwayFrom("web", host, harness.PodOf("lonely")), func() {
					proxy.Delay(behind)
					s.cluster.RemovePod(t, first)
				})
				proxy.Delay(0)
			})
			t.Run("the pod that it wants beside it comes", func(t *testing.T) {
				s.placedAfter(t, harness.Beside("late", host, harness.PodOf("waiting")), func() {
					proxy.Delay(behind)
					s.cluster.SubmitPod(t, harness.RunningOn("n1", harness.PodOf("late")))
				})
				proxy.Delay(0)
			})
		})
	}
}

// placedAfter wants the pod to be refused, and to be placed after the event.
func (s *side) placedAfter(t *testing.T, pod *corev1.Pod, event func()) {
	t.Helper()
	pending := s.cluster.CreatePod(t, pod)
	if pending.Spec.NodeName != "" {
		t.Fatalf("it runs on %s already", pending.Spec.NodeName)
	}
	s.quiet(t)
	before := s.counts(t).failed
	event()
	harness.Eventually(t, harness.OutcomeTimeout, "the pod is bound", func() string {
		if s.get(t, pending).Spec.NodeName == "" {
			return "not yet"
		}
		return ""
	})
	t.Logf("%.0f failed attempts after the event", s.counts(t).failed-before)
}

// quiet waits until the scheduler tries nothing any more, and the backoff of the pods that
// it has tried is over.
func (s *side) quiet(t *testing.T) {
	t.Helper()
	const still = 3 * time.Second
	last, since := s.counts(t).failed, time.Now()
	harness.Eventually(t, 2*harness.OutcomeTimeout, "the scheduler is quiet", func() string {
		if now := s.counts(t).failed; now != last {
			last, since = now, time.Now()
		}
		if time.Since(since) < still {
			return "it still tries pods"
		}
		return ""
	})
}
