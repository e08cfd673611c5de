// Package churn is the soak test: pods, labels and workloads change all the while, against
// a real API server, and questions are asked all the while; every second everything stops
// for a moment, and what vicinal answers then must be what the stock plugins answer.
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
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

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
	// As many requests are on their way to the API server.
	writers = 32
	askers  = 4
	// Of each asker.
	questionsPerSecond = 25
	// At each stop.
	comparisons = 4
	// Memory of the last third of the time against that of the middle third.
	maxGrowth = 1.10
)

func TestAnswersStayRightAndMemoryFlatUnderChurn(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	config := rest.CopyConfig(cp.AdminREST)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	c := newChurn(t, client)
	v := harness.StartVicinal(t, cp.Run, "--mode=advise", "--kubeconfig="+cp.VicinalKubeconfig(t, cp.URL))
	v.WaitReady(t)
	observer := cp.StartObserver(t)
	oracle, err := truth.NewOracle(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	before := usedCPU(t, cp, v)
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
		working.Go(func() { asking.ask(v, end, rand.New(rand.NewPCG(*seed, uint64(1000+i)))) })
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
		c.waitKnown(t, observer, v)
		objects := observer.Objects()
		var pods []*corev1.Pod
		var answers []*truth.Answers
		for range comparisons {
			pod := question(r)
			answer, err := truth.Ask(v, objects, pod)
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
	var perChange []string
	for i, seconds := range usedCPU(t, cp, v) {
		perChange = append(perChange, fmt.Sprintf("%s %.2f", processes[i], (seconds-before[i])*1e3/float64(c.changes.Load())))
	}
	t.Logf("CPU per change in ms: %s", strings.Join(perChange, ", "))

	for _, problem := range append(c.problems.all(), asking.problems.all()...) {
		t.Error(problem)
	}
	achieved := float64(c.changes.Load()) / duration.Seconds()
	if achieved < *rate/2 {
		t.Logf("the machine is too slow: %.0f changes per second, not %.0f; %.0f %% of the time everything stood still for a comparison", achieved, *rate, 100*stopped.Seconds()/duration.Seconds())
	}
	wantFlat(t, memory)
	wantQuietLog(t, v)
	t.Logf("%d changes (%.0f per second), %d questions (p50 %v, p99 %v), %d compared, %d wrong; memory %.1f MB at the end",
		c.changes.Load(), achieved, asking.asked.Load(), asking.percentile(0.5), asking.percentile(0.99), compared, wrong, memory[len(memory)-1]/1e6)
}

var processes = []string{"kube-apiserver", "etcd", "vicinal", "the test itself"}

// usedCPU is the CPU time of the processes so far, in seconds.
func usedCPU(t *testing.T, cp *harness.ControlPlane, v *harness.Vicinal) []float64 {
	t.Helper()
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		t.Fatal(err)
	}
	apiserver, etcd := cp.CPUSeconds(t)
	return []float64{apiserver, etcd, v.CPUSeconds(t), float64(own.Utime.Nano()+own.Stime.Nano()) / 1e9}
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
func wantQuietLog(t *testing.T, v *harness.Vicinal) {
	t.Helper()
	content, err := os.ReadFile(v.LogFile)
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
