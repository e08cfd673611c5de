// Command upstream runs upstream's scheduler_perf with vicinal and without, and prints a
// table of both. test/bench/upstream builds what it needs and starts it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"vicinal/test/bench/results"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "upstream:", err)
		os.Exit(1)
	}
}

func run() error {
	folder := flag.String("folder", "", "where each topic of scheduler_perf is a folder, with its test binary TOPIC.test in it")
	topics := flag.String("topics", "", "which of them, with spaces between")
	cases := flag.String("cases", ".", "a regular expression for the names of test cases")
	size := flag.String("size", "^500Nodes$", "a regular expression for the names of workloads")
	modes := flag.String("modes", "stock off plugin decide", "how the scheduler runs, in turns, with spaces between")
	list := flag.Bool("list", false, "only print what would run")
	flag.Parse()
	named, err := regexp.Compile(*cases)
	if err != nil {
		return fmt.Errorf("--cases: %w", err)
	}
	sized, err := regexp.Compile(*size)
	if err != nil {
		return fmt.Errorf("--size: %w", err)
	}
	var chosen []workload
	for _, topic := range strings.Fields(*topics) {
		all, err := readWorkloads(filepath.Join(*folder, topic))
		if err != nil {
			return err
		}
		for _, w := range all {
			if named.MatchString(w.Case) && sized.MatchString(w.Name) {
				chosen = append(chosen, w)
			}
		}
	}
	if len(chosen) == 0 {
		return errors.New("no workload has such names")
	}
	if *list {
		for _, w := range chosen {
			fmt.Printf("%s/%s\n", w.Case, w.Name)
		}
		return nil
	}
	fmt.Println("| workload | mode | pods/s | p50 | p99 | attempt p99, ms | CPU s: scheduler and API server | etcd | vicinal | as stock = 1 | upstream's floor |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|")
	failed := 0
	for _, w := range chosen {
		stock := 0.0
		for _, mode := range strings.Fields(*modes) {
			m, err := w.measure(mode)
			if err != nil {
				fmt.Printf("| %s/%s | %s | failed: %v |\n", w.Case, w.Name, mode, err)
				failed++
				continue
			}
			if mode == "stock" && m.throughput != nil {
				stock = m.throughput.Average
			}
			fmt.Println(m.row(w, mode, stock))
			if err := results.Record("upstream", fmt.Sprintf("%s/%s, %s", w.Case, w.Name, mode), m.values()); err != nil {
				return err
			}
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d runs have failed", failed)
	}
	return nil
}

// row is the measurement in the table. stock: pods per second in-tree, 0 if not measured.
func (m measurement) row(w workload, mode string, stock float64) string {
	throughput := fmt.Sprintf("over in %.1f s, too soon for a sample | – | –", m.duration)
	asStock := "–"
	if m.throughput != nil {
		throughput = fmt.Sprintf("%.0f | %.0f | %.0f", m.throughput.Average, m.throughput.Perc50, m.throughput.Perc99)
		asStock = ratio(m.throughput.Average, stock)
	}
	return fmt.Sprintf("| %s/%s | %s | %s | %.1f | %.1f | %.1f | %.1f | %s | %s |", w.Case, w.Name, mode,
		throughput, m.attempt.Perc99, m.scheduler, m.etcd, m.vicinal, asStock, floor(w.Threshold))
}

// values are those to keep, by name.
func (m measurement) values() map[string]float64 {
	values := map[string]float64{
		"duration_s": m.duration, "attempt_p99_ms": m.attempt.Perc99,
		"scheduler_cpu_s": m.scheduler, "etcd_cpu_s": m.etcd, "vicinal_cpu_s": m.vicinal,
	}
	if m.throughput != nil {
		values["pods_per_s"] = m.throughput.Average
	}
	return values
}

func ratio(value, of float64) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", value/of)
}

func floor(threshold float64) string {
	if threshold == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", threshold)
}
