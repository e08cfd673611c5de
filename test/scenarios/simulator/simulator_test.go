// Package simulator checks that the simulator places every pod of every scenario
// where the stock scheduler could have placed it.
package simulator

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"vicinal/test/conformance/stock"
)

const seeds = 3

// Each placement is within the stock scheduler's tied best: it has the highest total
// of all nodes that pass the filters, in the cluster as it was at that step.
func TestPlacementsAreTheSchedulersBest(t *testing.T) {
	binary := os.Getenv("VICINAL_BIN")
	if binary == "" {
		t.Skip("VICINAL_BIN does not name the binary")
	}
	files, err := filepath.Glob("../*/scenario*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	oracle, err := stock.NewScheduler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	placements := 0
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			for seed := range seeds {
				trace := filepath.Join(t.TempDir(), fmt.Sprintf("trace-%d", seed))
				out, err := exec.CommandContext(t.Context(), binary, "simulate", "--seed", fmt.Sprint(seed), "--trace", trace, file).CombinedOutput()
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, out)
				}
				placements += checkTrace(t, oracle, trace)
			}
		})
	}
	t.Logf("%d placements of %d scenarios with %d seeds", placements, len(files), seeds)
	if !t.Failed() && placements < len(files)*seeds {
		t.Errorf("only %d placements were compared", placements)
	}
}

// checkTrace compares every line of a trace with the oracle and counts them.
func checkTrace(t *testing.T, oracle *stock.Scheduler, trace string) int {
	t.Helper()
	content, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	scanner := bufio.NewScanner(bytes.NewReader(content))
	scanner.Buffer(nil, len(content)+1)
	for scanner.Scan() {
		lines++
		var line struct{ ID struct{ Pod, Node string } }
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		text, answer := oracle.AnswerLine(scanner.Bytes(), lines)
		if answer == nil {
			t.Fatalf("the oracle does not understand line %d: %s", lines, text)
		}
		total, fits := answer.Totals[line.ID.Node]
		if !fits {
			t.Errorf("%s was placed on %s, which the stock scheduler refuses: %+v", line.ID.Pod, line.ID.Node, answer.Nodes[line.ID.Node])
			continue
		}
		for node, other := range answer.Totals {
			if other > total {
				t.Errorf("%s was placed on %s with %d, but %s has %d", line.ID.Pod, line.ID.Node, total, node, other)
			}
		}
	}
	return lines
}
