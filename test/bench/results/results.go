// Package results keeps what benchmarks measure as JSON lines, so that two runs can be
// compared (test/bench/compare).
package results

import (
	"encoding/json"
	"fmt"
	"os"
)

// Line is one measurement.
type Line struct {
	Bench  string             `json:"bench"`  // such as "plugins"
	Case   string             `json:"case"`   // such as "5000 nodes, plain"
	Values map[string]float64 `json:"values"` // by name, which ends with the unit
}

// Record appends a line to the file that $VICINAL_BENCH_RESULTS names; without it, it does
// nothing.
func Record(bench, name string, values map[string]float64) error {
	path := os.Getenv("VICINAL_BENCH_RESULTS")
	if path == "" {
		return nil
	}
	line, err := json.Marshal(Line{bench, name, values})
	if err != nil {
		return fmt.Errorf("%s, %s: %w", bench, name, err)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("VICINAL_BENCH_RESULTS: %w", err)
	}
	if _, err := file.Write(append(line, '\n')); err != nil {
		file.Close()
		return fmt.Errorf("VICINAL_BENCH_RESULTS: %w", err)
	}
	return file.Close()
}
