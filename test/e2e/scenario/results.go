package scenario

import (
	"fmt"
	"io"
	"sync"
	"testing"
	"text/tabwriter"
)

// results remembers which scenario passed where. Thread-safe but for print.
type results struct {
	scenarios []*Scenario
	places    []string
	mutex     sync.Mutex
	outcome   map[where]string
}

type where struct {
	place    string
	scenario *Scenario
}

func newResults(scenarios []*Scenario, places []string) *results {
	return &results{scenarios: scenarios, places: places, outcome: map[where]string{}}
}

// run runs a scenario as a subtest and remembers its outcome.
func (r *results) run(t *testing.T, place string, s *Scenario, test func(t *testing.T)) {
	outcome := "FAILED"
	if t.Run(s.Name, test) {
		outcome = "passed"
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.outcome[where{place, s}] = outcome
}

// print writes one line per scenario and one column per place.
func (r *results) print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprint(w, "scenario")
	for _, place := range r.places {
		fmt.Fprintf(w, "\t%s", place)
	}
	fmt.Fprintln(w)
	for _, s := range r.scenarios {
		fmt.Fprint(w, s.Name)
		for _, place := range r.places {
			outcome := r.outcome[where{place, s}]
			if outcome == "" {
				outcome = "not run"
			}
			fmt.Fprintf(w, "\t%s", outcome)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}
