package quiet

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"vicinal/test/e2e/harness"
)

var (
	stormPods = flag.Int("storm-pods", 200, "pods that fit nowhere")
	perSecond = flag.Int("per-second", 20, "plain pods that are created in a second")
)

// Pods that need a pod that is nowhere, while others come and are bound: each of these is
// an event that may concern the former.
func TestOthersAreBoundBesideAStormOfHopelessPods(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	var stock stormed
	for i, mode := range sides() {
		t.Run(mode, func(t *testing.T) {
			s := start(t, cp, mode)
			t.Cleanup(func() { s.cluster.Clear(t) })
			got := s.storm(t)
			if i == 0 {
				stock = got
				return
			}
			s.record("p99 of the others, times in-tree's", "%.1f", got.p99.Seconds()/stock.p99.Seconds())
			s.record("CPU of the scheduler, times in-tree's", "%.1f", got.scheduler/stock.scheduler)
			most := stock.failed + tolerance
			if extends(mode) {
				// The contract has no hints: each pod is tried again after each backoff.
				most = stock.failed + float64(*stormPods*attemptsWithin(float64(*seconds)))
			}
			if got.failed > most {
				t.Errorf("%.0f attempts at the hopeless pods, at most %.0f expected", got.failed, most)
			}
			if most := stock.patches + tolerance; got.patches > most {
				t.Errorf("%.0f PATCHes of a pod's status, in-tree %.0f", got.patches, stock.patches)
			}
		})
	}
}

// attemptsWithin is how often the scheduler tries a pod again within so many seconds when
// each time has twice the backoff of the one before, with one second at first.
func attemptsWithin(seconds float64) int { return int(math.Log2(seconds+1)) + 1 }

type stormed struct {
	counts
	p99 time.Duration // of the others
}

func (s *side) storm(t *testing.T) stormed {
	t.Helper()
	var objects []runtime.Object
	for i := range *nodes {
		objects = append(objects, harness.NodeOf(fmt.Sprintf("n%03d", i)))
	}
	s.cluster.Apply(t, objects...)
	var pods []*corev1.Pod
	for range *stormPods {
		pods = append(pods, harness.Beside("nobody", host, harness.PodOf("hopeless")))
	}
	s.cluster.SubmitPods(t, pods)
	late := s.cluster.SubmitPod(t, harness.Beside("late", host, harness.PodOf("waiting")))
	harness.Eventually(t, 2*harness.OutcomeTimeout, "every hopeless pod has been refused", func() string {
		refused := 0
		for _, pod := range s.cluster.Observer.Pods(t) {
			if harness.PendingMessage(pod) != "" {
				refused++
			}
		}
		if refused != len(pods)+1 {
			return fmt.Sprintf("%d of %d", refused, len(pods)+1)
		}
		return ""
	})
	bindings := s.watchBindings(t)
	before := s.counts(t)
	created := *seconds * *perSecond
	tick := time.NewTicker(time.Second / time.Duration(*perSecond))
	defer tick.Stop()
	for range created {
		<-tick.C
		bindings.create(t, s, harness.PodOf("plain"))
	}
	counted := s.counts(t).since(before)
	latencies := bindings.wait(t, created)
	// What the waiting pod needs comes.
	s.cluster.SubmitPod(t, harness.RunningOn("n000", harness.PodOf("late")))
	begin := time.Now()
	harness.Eventually(t, 5*time.Minute, "the pod that has become possible is bound", func() string {
		if s.get(t, late).Spec.NodeName == "" {
			return "not yet"
		}
		return ""
	})
	waited := time.Since(begin)
	tries("%d pods that fit nowhere, %d others a second, %d s", *stormPods, *perSecond, *seconds)
	p50, p99 := quantile(latencies, 0.5), quantile(latencies, 0.99)
	s.record("attempts at them", "%.1f/s", counted.failed/float64(*seconds))
	if counted.failed > 0 {
		s.record("an attempt at one of them takes", "%.2f ms", 1000*counted.attempting/counted.failed)
		s.record("vicinal's answers, of the time of all these attempts", "%.0f %%", 100*counted.answering/counted.attempting)
	}
	s.record("PATCHes of their status", "%.0f", counted.patches)
	s.record("others bound, p50", "%v", p50)
	s.record("others bound, p99", "%v", p99)
	s.record("a pod that becomes possible waits", "%v", waited.Round(10*time.Millisecond))
	s.recordCPU(counted)
	return stormed{counted, p99}
}

func quantile(latencies []time.Duration, q float64) time.Duration {
	slices.Sort(latencies)
	return latencies[int(q*float64(len(latencies)-1))].Round(time.Millisecond)
}

// bindings says how long after its creation each plain pod was bound.
type bindings struct {
	mu      sync.Mutex
	created map[string]time.Time // guarded by mu
	bound   map[string]time.Time // guarded by mu
}

func (b *bindings) create(t *testing.T, s *side, pod *corev1.Pod) {
	begin := time.Now()
	created := s.cluster.SubmitPod(t, pod)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.created[created.Name] = begin
}

// wait returns once so many pods are bound.
func (b *bindings) wait(t *testing.T, want int) []time.Duration {
	t.Helper()
	var latencies []time.Duration
	harness.Eventually(t, 2*harness.OutcomeTimeout, "the others are bound", func() string {
		b.mu.Lock()
		defer b.mu.Unlock()
		latencies = latencies[:0]
		for name, at := range b.bound {
			if begin, ok := b.created[name]; ok {
				latencies = append(latencies, at.Sub(begin))
			}
		}
		if len(latencies) != want {
			return fmt.Sprintf("%d of %d", len(latencies), want)
		}
		return ""
	})
	return latencies
}

func (s *side) watchBindings(t *testing.T) *bindings {
	t.Helper()
	config := rest.CopyConfig(s.cp.AdminREST)
	config.Timeout = 0 // it would end the watch
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	watching, err := client.CoreV1().Pods(metav1.NamespaceDefault).Watch(t.Context(), metav1.ListOptions{LabelSelector: "app=plain"})
	if err != nil {
		t.Fatal(err)
	}
	b := &bindings{created: map[string]time.Time{}, bound: map[string]time.Time{}}
	var reading sync.WaitGroup
	reading.Go(func() {
		for event := range watching.ResultChan() {
			pod, ok := event.Object.(*corev1.Pod)
			if !ok || pod.Spec.NodeName == "" {
				continue
			}
			b.mu.Lock()
			if _, known := b.bound[pod.Name]; !known {
				b.bound[pod.Name] = time.Now()
			}
			b.mu.Unlock()
		}
	})
	t.Cleanup(func() { watching.Stop(); reading.Wait() })
	return b
}
