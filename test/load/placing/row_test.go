package placing

import (
	"math"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Ten attempts before, of which one failed; then forty that took at most 2 ms, and forty
// at most 4 ms, for 64 pods.
const before, after = `# TYPE scheduler_scheduling_attempt_duration_seconds histogram
scheduler_scheduling_attempt_duration_seconds_bucket{result="scheduled",le="0.001"} 9
scheduler_scheduling_attempt_duration_seconds_bucket{result="scheduled",le="0.002"} 9
scheduler_scheduling_attempt_duration_seconds_bucket{result="scheduled",le="0.004"} 9
scheduler_scheduling_attempt_duration_seconds_bucket{result="scheduled",le="+Inf"} 9
scheduler_scheduling_attempt_duration_seconds_sum{result="scheduled"} 1
scheduler_scheduling_attempt_duration_seconds_count{result="scheduled"} 9
scheduler_scheduling_attempt_duration_seconds_bucket{result="error",le="+Inf"} 1
scheduler_scheduling_attempt_duration_seconds_sum{result="error"} 1
scheduler_scheduling_attempt_duration_seconds_count{result="error"} 1
# TYPE scheduler_pod_scheduling_attempts histogram
scheduler_pod_scheduling_attempts_bucket{le="+Inf"} 9
scheduler_pod_scheduling_attempts_sum 10
scheduler_pod_scheduling_attempts_count 9
`, `# TYPE scheduler_scheduling_attempt_duration_seconds histogram
scheduler_scheduling_attempt_duration_seconds_bucket{result="scheduled",le="0.001"} 9
scheduler_scheduling_attempt_duration_seconds_bucket{result="scheduled",le="0.002"} 49
scheduler_scheduling_attempt_duration_seconds_bucket{result="scheduled",le="0.004"} 89
scheduler_scheduling_attempt_duration_seconds_bucket{result="scheduled",le="+Inf"} 89
scheduler_scheduling_attempt_duration_seconds_sum{result="scheduled"} 2
scheduler_scheduling_attempt_duration_seconds_count{result="scheduled"} 89
# TYPE scheduler_scheduling_algorithm_duration_seconds histogram
scheduler_scheduling_algorithm_duration_seconds_bucket{le="+Inf"} 80
scheduler_scheduling_algorithm_duration_seconds_sum 0.16
scheduler_scheduling_algorithm_duration_seconds_count 80
# TYPE scheduler_pod_scheduling_attempts histogram
scheduler_pod_scheduling_attempts_bucket{le="+Inf"} 73
scheduler_pod_scheduling_attempts_sum 90
scheduler_pod_scheduling_attempts_count 73
`

func TestARowIsAboutTheTimeBetweenTwoReadings(t *testing.T) {
	var r Row
	r.Measure(parse(t, before), parse(t, after))
	for name, pair := range map[string][2]float64{
		"p50": {r.AttemptP50, 2}, "p99": {r.AttemptP99, 3.96}, "algorithm": {r.AlgorithmMean, 2}, "attempts per pod": {r.AttemptsPerPod, 1.25},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-9 {
			t.Errorf("%s is %v, not %v", name, pair[0], pair[1])
		}
	}
	if placed := Placed(parse(t, after)); placed != 73 {
		t.Errorf("%d placed", placed)
	}
}

func TestRatiosCompareWithTheFirstModeOfTheSameKind(t *testing.T) {
	var b strings.Builder
	Print(&b, []Row{
		{Kind: "plain", Mode: "stock", Pods: 10, PodsPerSecond: 20, CPU: []float64{1}}, {Kind: "plain", Mode: "decide", Pods: 10, PodsPerSecond: 50, CPU: []float64{1}},
		{Kind: "spread", Mode: "stock", Pods: 10, PodsPerSecond: 10, CPU: []float64{1}}, {Kind: "spread", Mode: "decide", Pods: 10, PodsPerSecond: 80, CPU: []float64{1}},
	}, []string{"scheduler"})
	for _, want := range []string{"| plain | stock | 20 | 1.00 |", "| plain | decide | 50 | 2.50 |", "| spread | stock | 10 | 1.00 |", "| spread | decide | 80 | 8.00 |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func parse(t *testing.T, text string) Families {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return families
}

func TestTheMedianRowIsTheOneInTheMiddle(t *testing.T) {
	rows := []Row{{PodsPerSecond: 30, AttemptP50: 3}, {PodsPerSecond: 10, AttemptP50: 1}, {PodsPerSecond: 20, AttemptP50: 2}}
	if got := Median(rows); got.PodsPerSecond != 20 || got.AttemptP50 != 2 {
		t.Errorf("got %+v, want the row of 20 pods a second", got)
	}
	if rows[0].PodsPerSecond != 30 {
		t.Error("the rows were put into another order")
	}
}
