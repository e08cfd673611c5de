package churn

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"vicinal/test/e2e/truth"
)

// asking asks questions while the cluster changes; what the answers should be nobody
// knows, but answers there must be.
type asking struct {
	asked    atomic.Int64
	problems problems

	mu        sync.Mutex
	durations []time.Duration // guarded by mu
}

func (a *asking) ask(v truth.Extender, end time.Time, r *rand.Rand) {
	names := make([]string, nodes)
	for i := range names {
		names[i] = fmt.Sprintf("node-%d", i)
	}
	for time.Now().Before(end) {
		begin := time.Now()
		pod := question(r)
		status, result, err := v.Filter(pod, names...)
		if err != nil || status != http.StatusOK || result.Error != "" {
			a.problems.add("filter: status %d %+v %v", status, result, err)
		} else if result.NodeNames != nil && len(*result.NodeNames) > 0 {
			status, scores, err := v.Prioritize(pod, *result.NodeNames...)
			if err != nil || status != http.StatusOK || len(scores) != len(*result.NodeNames) {
				a.problems.add("prioritize: status %d, %d scores for %d nodes, %v", status, len(scores), len(*result.NodeNames), err)
			}
		}
		a.asked.Add(1)
		a.note(time.Since(begin))
		time.Sleep(time.Second/questionsPerSecond - time.Since(begin))
	}
}

func (a *asking) note(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.durations = append(a.durations, d)
}

func (a *asking) percentile(share float64) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.durations) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(a.durations))
	return sorted[int(share*float64(len(sorted)-1))].Round(10 * time.Microsecond)
}
