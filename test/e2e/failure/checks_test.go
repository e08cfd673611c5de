package failure

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"vicinal/test/e2e/harness"
)

const residentMemory = "process_resident_memory_bytes"

func resourceOf(quantity string) resource.Quantity { return resource.MustParse(quantity) }

// load asks all the while.
type load struct {
	stop   chan struct{}
	asking sync.WaitGroup

	mu       sync.Mutex
	statuses map[int]int // guarded by mu
	errors   []error     // guarded by mu
}

func startLoad(v *harness.Vicinal) *load {
	l := &load{stop: make(chan struct{}), statuses: map[int]int{}}
	l.asking.Go(func() {
		for {
			select {
			case <-l.stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			status, _, err := v.Filter(harness.PodOf("web"), "node-0", "node-1")
			l.mu.Lock()
			l.statuses[status]++
			if err != nil {
				l.errors = append(l.errors, err)
			}
			l.mu.Unlock()
		}
	})
	return l
}

// has says whether there were answers of each of these statuses.
func (l *load) has(statuses []int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !slices.ContainsFunc(statuses, func(status int) bool { return l.statuses[status] == 0 })
}

// want ends the load: there were answers of each of these statuses and of no other.
func (l *load) want(t *testing.T, statuses ...int) {
	t.Helper()
	// What the caller has just seen the load may be about to see.
	for deadline := time.Now().Add(5 * time.Second); !l.has(statuses) && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
	close(l.stop)
	l.asking.Wait()
	for _, status := range statuses {
		if l.statuses[status] == 0 {
			t.Errorf("no answer of status %d among %v", status, l.statuses)
		}
	}
	for status := range l.statuses {
		if !slices.Contains(statuses, status) {
			t.Errorf("answers of status %d among %v; errors %v", status, l.statuses, l.errors[:min(3, len(l.errors))])
		}
	}
}

// wantMemoryBack: what the failure took has been given back, but for what allocators keep.
func wantMemoryBack(t *testing.T, v *harness.Vicinal, before float64) {
	t.Helper()
	kept := harness.MemoryLimit(32e6)
	harness.Eventually(t, 30*time.Second, "the memory is back", func() string {
		if after := v.Gauge(t, residentMemory); after > before+kept {
			return fmt.Sprintf("%.1f MB before, %.1f MB after", before/1e6, after/1e6)
		}
		return ""
	})
}

// wantMemoryOfOther: v, which failed from the start, takes no more memory than a vicinal
// that did not.
func (f *fixture) wantMemoryOfOther(t *testing.T, v *harness.Vicinal) {
	t.Helper()
	other := f.start(t, f.cp.URL)
	f.wantRight(t, other)
	wantMemoryBack(t, v, other.Gauge(t, residentMemory))
}

func sumOf(t *testing.T, v *harness.Vicinal, name, resource string) float64 {
	t.Helper()
	m, err := v.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	for _, metric := range m[name].GetMetric() {
		if metric.GetLabel()[0].GetValue() == resource {
			return metric.GetHistogram().GetSampleSum()
		}
	}
	t.Fatalf("no %s of %s", name, resource)
	return 0
}

// logMuch has vicinal write into its log, times over, and wants answers meanwhile: each time
// its connections through the proxy are cut is a line for every resource.
func logMuch(t *testing.T, v *harness.Vicinal, proxy *harness.Proxy, times int) {
	t.Helper()
	for range times {
		proxy.Cut()
		proxy.Mend()
		time.Sleep(100 * time.Millisecond)
		wantGoodAnswer(t, v)
	}
}

func logOf(t *testing.T, v *harness.Vicinal) string {
	t.Helper()
	content, err := os.ReadFile(v.LogFile)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func wantLogged(t *testing.T, v *harness.Vicinal, text string) {
	t.Helper()
	if !strings.Contains(logOf(t, v), text) {
		t.Errorf("the log does not mention %s", text)
	}
}

func wantFewLogLines(t *testing.T, v *harness.Vicinal, most int) {
	t.Helper()
	if lines := strings.Count(logOf(t, v), "\n"); lines > most {
		t.Errorf("%d lines in the log, want at most %d", lines, most)
	}
}

// askUntil wants good answers, one after the other, and returns how many there were and how
// long the slowest took.
func askUntil(t *testing.T, v *harness.Vicinal, end time.Time) (asked int, slowest time.Duration) {
	t.Helper()
	for time.Now().Before(end) {
		begin := time.Now()
		wantGoodAnswer(t, v)
		slowest = max(slowest, time.Since(begin))
		asked++
	}
	return asked, slowest
}
