// Package churn is the soak test: pods, labels and workloads change all the while, in a
// real API server or over gRPC, and questions are asked all the while; every second
// everything stops for a moment, and what vicinal answers then must be what the stock
// plugins answer.
package churn

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vicinal/test/e2e/harness"
	"vicinal/test/e2e/truth"
)

var (
	minutes = flag.Float64("minutes", 0.5, "how long to churn")
	rate    = flag.Float64("rate", 500, "changes per second")
	seed    = flag.Uint64("seed", 1, "of all that is random")
)

const (
	nodes = 100
	// As many pods there are, give or take.
	population = 1500
	// As many changes are on their way.
	writers = 32
	askers  = 4
	// Of each asker.
	questionsPerSecond = 25
	// At each stop.
	comparisons = 4
	// Memory of the last third of the time against that of the middle third.
	maxGrowth = 1.10
	// Of the changes per second there must be so many over gRPC; what a real API server
	// takes depends on the machine.
	fedShare = 0.95
)

func TestAnswersStayRightAndMemoryFlatUnderChurn(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	c := newAPICluster(t, cp)
	populate(t, c)
	v := harness.StartVicinal(t, cp.Run, "--mode=advise", "--kubeconfig="+cp.VicinalKubeconfig(t, cp.URL))
	v.WaitReady(t)
	before, etcdBefore := cp.CPUSeconds(t)
	s := soak(t, v, c, v, v.DialGRPC(t))
	after, etcdAfter := cp.CPUSeconds(t)
	t.Logf("CPU per change in ms: kube-apiserver %.2f, etcd %.2f", s.perChange(after-before), s.perChange(etcdAfter-etcdBefore))
	if s.rate() < *rate/2 {
		t.Logf("the machine is too slow: %.0f changes per second, not %.0f", s.rate(), *rate)
	}
}

func TestAnswersStayRightAndMemoryFlatWhileFedOverGRPC(t *testing.T) {
	v := harness.StartVicinal(t, harness.NewRun(t), "--mode=advise", "--grpc-state")
	g := v.DialGRPC(t)
	c := newFedCluster(t, g)
	v.WaitReady(t)
	s := soak(t, v, c, v, g)
	if err := c.end(); err != nil {
		t.Error(err)
	}
	if s.rate() < fedShare**rate {
		t.Errorf("%.0f changes per second, not %.0f", s.rate(), *rate)
	}
}

// soaked is what came out.
type soaked struct {
	changes  int64
	duration time.Duration
}

func (s soaked) rate() float64 { return float64(s.changes) / s.duration.Seconds() }

func (s soaked) perChange(seconds float64) float64 { return seconds * 1e3 / float64(s.changes) }

// soak changes the cluster and asks all the while, in the extenders' ways, and compares.
func soak(t *testing.T, v *harness.Vicinal, cluster cluster, extenders ...truth.Extender) soaked {
	t.Helper()
	oracle, err := truth.NewOracle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	own, vicinal := ownCPU(t), v.CPUSeconds(t)
	c := &churn{cluster: cluster}
	duration := time.Duration(*minutes * float64(time.Minute))
	begin := time.Now()
	end := begin.Add(duration)
	var working sync.WaitGroup
	pace := &pace{begin: begin, rate: *rate}
	for i := range writers {
		working.Go(func() { c.write(end, pace, rand.New(rand.NewPCG(*seed, uint64(i)))) })
	}
	asking := &asking{}
	for i := range askers {
		working.Go(func() { asking.ask(extenders[i%len(extenders)], end, rand.New(rand.NewPCG(*seed, uint64(1000+i)))) })
	}

	r := rand.New(rand.NewPCG(*seed, 5000))
	compared, wrong := 0, 0
	stopped := time.Duration(0)
	var memory []float64
	t.Logf("%8s %9s %9s %10s %9s %8s %10s", "seconds", "changes", "per s", "questions", "compared", "wrong", "memory MB")
	nextLine := begin.Add(duration / 12)
	for time.Now().Before(end) {
		time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second)))
		c.stop.Lock()
		stoppedAt := time.Now()
		objects := cluster.settle(t, v)
		var pods []*corev1.Pod
		var answers []*truth.Answers
		for i := range comparisons {
			pod := question(r)
			answer, err := truth.Ask(extenders[i%len(extenders)], objects, pod)
			if err != nil {
				t.Error(err)
				continue
			}
			pods, answers = append(pods, pod), append(answers, answer)
		}
		stopped += time.Since(stoppedAt)
		c.stop.Unlock()
		// What the answers should have been is no hurry.
		for i, pod := range pods {
			differences, err := oracle.Compare(objects, pod, answers[i])
			if err != nil {
				t.Error(err)
			}
			compared++
			if len(differences) > 0 {
				wrong++
				t.Errorf("%s\nof pod %s %v %v %v", strings.Join(differences[:min(5, len(differences))], "\n"), pod.Namespace, pod.Labels, pod.Spec.Affinity, pod.Spec.TopologySpreadConstraints)
			}
		}
		memory = append(memory, v.Gauge(t, "process_resident_memory_bytes"))
		if now := time.Now(); now.After(nextLine) {
			nextLine = nextLine.Add(duration / 12)
			t.Logf("%8.0f %9d %9.0f %10d %9d %8d %10.1f", now.Sub(begin).Seconds(), c.changes.Load(),
				float64(c.changes.Load())/now.Sub(begin).Seconds(), asking.asked.Load(), compared, wrong, memory[len(memory)-1]/1e6)
		}
	}
	working.Wait()

	for _, problem := range append(c.problems.all(), asking.problems.all()...) {
		t.Error(problem)
	}
	wantFlat(t, memory)
	wantQuietLog(t, v.LogFile)
	s := soaked{c.changes.Load(), duration}
	t.Logf("CPU per change in ms: vicinal %.2f, the test itself %.2f; for %.0f %% of the time everything stood still for a comparison",
		s.perChange(v.CPUSeconds(t)-vicinal), s.perChange(ownCPU(t)-own), 100*stopped.Seconds()/duration.Seconds())
	t.Logf("%d changes (%.0f per second), %d questions (p50 %v, p99 %v), %d compared, %d wrong; memory %.1f MB at the end",
		s.changes, s.rate(), asking.asked.Load(), asking.percentile(0.5), asking.percentile(0.99), compared, wrong, memory[len(memory)-1]/1e6)
	return s
}

// ownCPU is the CPU time of the test itself so far, in seconds.
func ownCPU(t *testing.T) float64 {
	t.Helper()
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		t.Fatal(err)
	}
	return float64(own.Utime.Nano()+own.Stime.Nano()) / 1e9
}

// question is a pod that the API server has not seen: without a uid it is not taken for
// one that is about to be placed.
func question(r *rand.Rand) *corev1.Pod {
	pod := truth.RandomPod(r)
	pod.Name = "question"
	return pod
}

// wantFlat: after the first third, in which caches fill, memory grows no more.
func wantFlat(t *testing.T, memory []float64) {
	t.Helper()
	third := len(memory) / 3
	if third < 3 {
		t.Fatalf("only %d readings of the memory", len(memory))
	}
	middle, last := median(memory[third:2*third]), median(memory[2*third:])
	t.Logf("memory: median of the middle third %.1f MB, of the last third %.1f MB", middle/1e6, last/1e6)
	if last > maxGrowth*middle {
		t.Errorf("memory grows: from %.1f MB to %.1f MB", middle/1e6, last/1e6)
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// wantQuietLog: glog lines begin with their severity.
func wantQuietLog(t *testing.T, file string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		if !strings.HasPrefix(line, "I") {
			t.Errorf("vicinal's log: %s", line)
		}
	}
}

// pace hands out the moments at which changes are due.
type pace struct {
	begin time.Time
	rate  float64
	next  atomic.Int64
}

func (p *pace) wait() {
	due := float64(p.next.Add(1)) / p.rate
	time.Sleep(time.Until(p.begin.Add(time.Duration(due * float64(time.Second)))))
}

// problems collects what goes wrong in other goroutines, the first few of it.
type problems struct {
	mu    sync.Mutex
	texts []string // guarded by mu
}

func (p *problems) add(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.texts) < 20 {
		p.texts = append(p.texts, fmt.Sprintf(format, args...))
	}
}

func (p *problems) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.texts
}
