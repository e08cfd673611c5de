package placing

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"

	"vicinal/test/bench/results"
)

// Row is what one mode made of one kind of pods. As JSON it goes from the process of
// the mode to the one that prints.
type Row struct {
	Kind, Mode string
	Pods       int
	// Pods per second: bindings after the first, by the time after the first.
	PodsPerSecond float64
	// Of the attempts that ended in a binding, in milliseconds, from the buckets of
	// the scheduler's scheduling_attempt_duration_seconds, each a factor of two wide.
	AttemptP50, AttemptP99 float64
	// Of all attempts, in milliseconds, without binding: scheduling_algorithm_duration_seconds.
	AlgorithmMean  float64
	AttemptsPerPod float64
	// Who answered the attempts, and why, by the scheduler's plugin; empty without it.
	AnsweredBy map[string]int
	// Of the plugin's questions, in milliseconds; each bucket is a factor of two wide.
	QuestionP50, QuestionP99 float64
	// CPU seconds per process while the pods were placed, in the order of Print.
	CPU []float64
	// OthersCPU is the share of the machine's CPU time that went to other processes.
	OthersCPU float64
}

// Families are metrics by name.
type Families map[string]*dto.MetricFamily

// Measure fills in what the scheduler's own metrics say about the time between two
// readings.
func (r *Row) Measure(before, after Families) {
	const scheduled = "scheduled"
	attempts := histogramOf(after, "scheduler_scheduling_attempt_duration_seconds", scheduled).minus(histogramOf(before, "scheduler_scheduling_attempt_duration_seconds", scheduled))
	r.AttemptP50, r.AttemptP99 = attempts.quantile(0.5)*1e3, attempts.quantile(0.99)*1e3
	algorithm := histogramOf(after, "scheduler_scheduling_algorithm_duration_seconds", "").minus(histogramOf(before, "scheduler_scheduling_algorithm_duration_seconds", ""))
	r.AlgorithmMean = algorithm.sum / algorithm.count * 1e3
	perPod := histogramOf(after, "scheduler_pod_scheduling_attempts", "").minus(histogramOf(before, "scheduler_pod_scheduling_attempts", ""))
	r.AttemptsPerPod = perPod.sum / perPod.count
	questions := histogramOf(after, "vicinal_plugin_question_duration_seconds", "").minus(histogramOf(before, "vicinal_plugin_question_duration_seconds", ""))
	r.QuestionP50, r.QuestionP99 = questions.quantile(0.5)*1e3, questions.quantile(0.99)*1e3
	r.AnsweredBy = answeredBy(after)
	for who, count := range answeredBy(before) {
		if r.AnsweredBy[who] -= count; r.AnsweredBy[who] == 0 {
			delete(r.AnsweredBy, who)
		}
	}
}

// answeredBy is the plugin's count of attempts.
func answeredBy(families Families) map[string]int {
	counts := map[string]int{}
	for _, metric := range families["vicinal_plugin_attempts_total"].GetMetric() {
		var labels []string // in the order of their names: answered_by, reason
		for _, label := range metric.GetLabel() {
			labels = append(labels, label.GetValue())
		}
		counts[strings.Join(labels, " ")] += int(metric.GetCounter().GetValue())
	}
	return counts
}

// Placed is how many pods the metrics count as placed.
func Placed(families Families) int {
	return int(histogramOf(families, "scheduler_pod_scheduling_attempts", "").count)
}

// MachineCPU is what all CPUs have done so far, in seconds.
func MachineCPU() (busy, idle float64) {
	content, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0
	}
	// The first line: cpu user nice system idle iowait irq softirq steal …
	line, _, _ := strings.Cut(string(content), "\n")
	for i, field := range strings.Fields(line)[1:9] {
		var ticks float64
		_, _ = fmt.Sscan(field, &ticks)
		if i == 3 || i == 4 {
			idle += ticks / 100
		} else {
			busy += ticks / 100
		}
	}
	return busy, idle
}

type histogram struct {
	count, sum float64
	bounds     []float64
	cumulative []float64
}

// histogramOf adds up a histogram over its labels; with a result only those of it.
func histogramOf(families Families, name, result string) histogram {
	var h histogram
	for _, metric := range families[name].GetMetric() {
		if result != "" && !slices.ContainsFunc(metric.GetLabel(), func(l *dto.LabelPair) bool {
			return l.GetName() == "result" && l.GetValue() == result
		}) {
			continue
		}
		one := metric.GetHistogram()
		h.count += float64(one.GetSampleCount())
		h.sum += one.GetSampleSum()
		for i, bucket := range one.GetBucket() {
			if i == len(h.bounds) {
				h.bounds, h.cumulative = append(h.bounds, bucket.GetUpperBound()), append(h.cumulative, 0)
			}
			h.cumulative[i] += float64(bucket.GetCumulativeCount())
		}
	}
	return h
}

func (h histogram) minus(earlier histogram) histogram {
	h.count -= earlier.count
	h.sum -= earlier.sum
	for i := range earlier.cumulative {
		h.cumulative[i] -= earlier.cumulative[i]
	}
	return h
}

// quantile is within the bucket where it lies, in proportion, as Prometheus does it.
func (h histogram) quantile(q float64) float64 {
	rank, below, lower := q*h.count, 0.0, 0.0
	for i, bound := range h.bounds {
		if h.cumulative[i] >= rank {
			if math.IsInf(bound, 1) {
				break
			}
			return lower + (bound-lower)*(rank-below)/max(h.cumulative[i]-below, 1)
		}
		below, lower = h.cumulative[i], bound
	}
	return lower
}

// cpuPerPod is that of all processes, in milliseconds. Unlike the rates it hardly depends
// on what else the machine does.
func (r *Row) cpuPerPod() float64 {
	total := 0.0
	for _, seconds := range r.CPU {
		total += seconds
	}
	return total / float64(r.Pods) * 1e3
}

// Median is the row whose rate is the median of theirs, the higher one of two.
func Median(rows []Row) Row {
	byRate := slices.SortedFunc(slices.Values(rows), func(a, b Row) int { return cmp.Compare(a.PodsPerSecond, b.PodsPerSecond) })
	return byRate[len(byRate)/2]
}

// Record keeps the rows for test/bench/compare; api is what the scheduler talks to.
func Record(rows []Row, api string, nodes int) error {
	for _, r := range rows {
		err := results.Record("throughput", fmt.Sprintf("%s, %d nodes, %s, %s", api, nodes, r.Kind, r.Mode), map[string]float64{
			"pods/s": r.PodsPerSecond, "CPU ms/pod": r.cpuPerPod(), "attempts/pod": r.AttemptsPerPod,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Print writes the rows as a table, by kind; ratio compares with the first mode.
func Print(w io.Writer, rows []Row, processes []string) {
	fmt.Fprint(w, "| pods | mode | pods/s | ratio | attempt p50 ms | p99 ms | algorithm mean ms | attempts/pod | CPU ms/pod |")
	for _, process := range processes {
		fmt.Fprintf(w, " CPU s %s |", process)
	}
	fmt.Fprint(w, " others' CPU % | question p50 ms | p99 ms | answered by |\n|")
	for range 13 + len(processes) {
		fmt.Fprint(w, "---|")
	}
	fmt.Fprintln(w)
	first := map[string]float64{}
	for _, r := range rows {
		if _, known := first[r.Kind]; !known {
			first[r.Kind] = r.PodsPerSecond
		}
		fmt.Fprintf(w, "| %s | %s | %.0f | %.2f | %.1f | %.1f | %.2f | %.2f | %.1f |", r.Kind, r.Mode, r.PodsPerSecond, r.PodsPerSecond/first[r.Kind],
			r.AttemptP50, r.AttemptP99, r.AlgorithmMean, r.AttemptsPerPod, r.cpuPerPod())
		for _, seconds := range r.CPU {
			fmt.Fprintf(w, " %.2f |", seconds)
		}
		fmt.Fprintf(w, " %.0f |", r.OthersCPU*100)
		if len(r.AnsweredBy) == 0 {
			fmt.Fprint(w, " | | |\n")
			continue
		}
		var answered []string
		for _, who := range slices.Sorted(maps.Keys(r.AnsweredBy)) {
			answered = append(answered, fmt.Sprintf("%s %d", who, r.AnsweredBy[who]))
		}
		fmt.Fprintf(w, " %.2f | %.2f | %s |\n", r.QuestionP50, r.QuestionP99, strings.Join(answered, ", "))
	}
}
