package scenario

import (
	"fmt"
	"io"
	"slices"
	"testing"
	"text/tabwriter"
)

// results remembers which scenario passed where.
type results struct {
	scenarios []*Scenario
	places    []string
	outcome   map[string]map[*Scenario]string // by place
}

func newResults(scenarios []*Scenario) *results {
	return &results{scenarios: scenarios, outcome: map[string]map[*Scenario]string{}}
}

// run runs a scenario as a subtest and remembers its outcome.
func (r *results) run(t *testing.T, place string, s *Scenario, test func(t *testing.T)) {
	if !slices.Contains(r.places, place) {
		r.places = append(r.places, place)
		r.outcome[place] = map[*Scenario]string{}
	}
	r.outcome[place][s] = "FAILED"
	if t.Run(s.Name, test) {
		r.outcome[place][s] = "passed"
	}
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
			outcome := r.outcome[place][s]
			if outcome == "" {
				outcome = "not run"
			}
			fmt.Fprintf(w, "\t%s", outcome)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}
