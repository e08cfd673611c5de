package answers

import (
	"strings"
	"testing"
)

func answer() *Answer {
	return &Answer{
		Verdicts:   []string{"Success||", "Unschedulable|InterPodAffinity|no"},
		Verdict:    []int{0, 1, 0},
		Raw:        map[string][]int64{"InterPodAffinity": {1, 2, 3}},
		Normalized: map[string][]int64{"InterPodAffinity": {0, 50, 100}},
		Totals:     []int64{0, 100, 200},
	}
}

func TestEqualAnswersHaveNoDifference(t *testing.T) {
	renumbered := answer()
	renumbered.Verdicts = []string{"Unschedulable|InterPodAffinity|no", "Success||"}
	renumbered.Verdict = []int{1, 0, 1}
	for _, other := range []*Answer{answer(), renumbered} {
		if d := Difference(answer(), other); d != "" {
			t.Errorf("difference %q", d)
		}
	}
}

func TestEachPartOfAnAnswerIsCompared(t *testing.T) {
	for want, change := range map[string]func(*Answer){
		"error":                  func(a *Answer) { a.Error = "broken" },
		"3 verdicts":             func(a *Answer) { a.Verdict = a.Verdict[:2] },
		`node 1: "Unschedulable`: func(a *Answer) { a.Verdict[1] = 0 },
		`node 0: "Success||", vicinal "Success|x|`: func(a *Answer) { a.Verdicts[0] = "Success|x|" },
		"raw scores by":             func(a *Answer) { a.Raw["PodTopologySpread"] = nil },
		"3 raw scores":              func(a *Answer) { a.Raw["InterPodAffinity"] = []int64{1} },
		"scored node 2: raw":        func(a *Answer) { a.Raw["InterPodAffinity"][2]++ },
		"scored node 0: normalized": func(a *Answer) { a.Normalized["InterPodAffinity"][0]++ },
		"scored node 1: total":      func(a *Answer) { a.Totals[1]++ },
	} {
		other := answer()
		change(other)
		if d := Difference(answer(), other); !strings.HasPrefix(d, want) {
			t.Errorf("difference %q, want %q", d, want)
		}
	}
}

func TestFeasibleCountsTheNodesThatPassed(t *testing.T) {
	if got := answer().Feasible(); got != 2 {
		t.Errorf("%d, want 2", got)
	}
}
