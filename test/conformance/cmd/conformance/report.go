package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"vicinal/test/conformance/compare"
	"vicinal/test/conformance/coverage"
	"vicinal/test/conformance/shrink"
	"vicinal/test/conformance/stock"
)

const (
	diedKind = "died"
	// shownAtMost bounds what a run keeps of its differences.
	shownAtMost = 20
	// deathsAtMost: a program that dies all the time is not worth the wait.
	deathsAtMost = 20
)

// report collects what a run finds. It is safe for concurrent use.
type report struct {
	options options

	mu       sync.Mutex
	cases    int
	deaths   int
	differ   map[string]bool // ids of the differing cases
	byKind   map[string]int
	examples []example
	table    *coverage.Table
}

type example struct {
	candidate
	differences []compare.Difference
}

func newReport(o options) *report {
	return &report{options: o, differ: map[string]bool{}, byKind: map[string]int{}, table: coverage.NewTable()}
}

func (r *report) count(cases int, table *coverage.Table) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cases += cases
	r.table.Merge(table)
}

func (r *report) add(c candidate, d compare.Difference) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.differ[c.id] = true
	r.byKind[d.Kind]++
	for i := range r.examples {
		if r.examples[i].id == c.id {
			r.examples[i].differences = append(r.examples[i].differences, d)
			return
		}
	}
	// Few examples of each kind, so that a common difference does not hide a rare one.
	if r.byKind[d.Kind] <= 3 && len(r.examples) < shownAtMost {
		r.examples = append(r.examples, example{c, []compare.Difference{d}})
	}
}

// died notes the case a vicinal process died of; false when it is time to give up.
func (r *report) died(c candidate, err error) bool {
	r.add(c, compare.Difference{Kind: diedKind, Where: "process", Want: "an answer", Got: err.Error()})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deaths++
	return r.deaths <= deathsAtMost
}

// print writes the report, and says whether all is well. Its last line is for
// programs to read.
func (r *report) print(ctx context.Context) bool {
	fmt.Println("   cases  class")
	r.table.Print(os.Stdout)
	unreached := r.table.Unreached()
	for _, e := range r.examples {
		fmt.Printf("\ncase %s\n", e.id)
		for i, d := range e.differences {
			if i == 6 {
				fmt.Printf("  … %d more\n", len(e.differences)-i)
				break
			}
			fmt.Printf("  %v\n", d)
		}
	}
	if len(r.byKind) > 0 {
		fmt.Println("\ndifferences by kind:", r.byKind)
		r.shrinkSome(ctx)
	}
	if r.options.binary == "" {
		fmt.Println("no vicinal binary: nothing was compared")
	}
	fmt.Printf("conformance: %d cases, %d differences, %d unreached classes\n", r.cases, len(r.differ), len(unreached))
	return len(r.differ) == 0 && len(unreached) == 0 && r.options.binary != ""
}

// shrinkSome reduces one example of each kind and writes it to a file.
func (r *report) shrinkSome(ctx context.Context) {
	s, err := stock.NewScheduler(ctx)
	if err != nil {
		fmt.Println("cannot shrink:", err)
		return
	}
	done := map[string]bool{}
	for _, e := range r.examples {
		kind := e.differences[0].Kind
		if len(done) == r.options.shrinkAtMost || done[kind] || ctx.Err() != nil {
			continue
		}
		done[kind] = true
		small, err := shrink.Case(e.line, differsLike(ctx, r.options, s, kind))
		if err != nil {
			fmt.Printf("case %s (%s) was not reduced: %v\n", e.id, kind, err)
			continue
		}
		file, err := r.save(e.id, small)
		if err != nil {
			fmt.Println("cannot save a reduced case:", err)
			return
		}
		fmt.Printf("case %s (%s) reduced: %s\n  commit it with: cp %s %s\n", e.id, kind, small, file, filepath.Join(r.options.testdata, "regressions/"))
	}
}

func (r *report) save(id string, line []byte) (string, error) {
	if err := os.MkdirAll(r.options.shrunk, 0o755); err != nil {
		return "", err
	}
	file := filepath.Join(r.options.shrunk, strings.ReplaceAll(id, "/", "-")+".json")
	return file, os.WriteFile(file, append(line, '\n'), 0o644)
}
