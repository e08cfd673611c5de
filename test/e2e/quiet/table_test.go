package quiet

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// table is what is printed at the end: a row for each count, a column for each mode.
var table struct {
	rows  []string
	cells map[string]map[string]string // by row and mode
	tried string                       // heads the rows that follow
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if len(table.rows) > 0 {
		fmt.Printf("\n| | %s |\n|---|%s\n", strings.Join(sides(), " | "), strings.Repeat("---|", len(sides())))
	}
	for _, row := range table.rows {
		fmt.Printf("| %s |", row)
		for _, mode := range sides() {
			fmt.Printf(" %s |", table.cells[row][mode])
		}
		fmt.Println()
	}
	os.Exit(code)
}

// tries names what the counts that follow are of.
func tries(format string, args ...any) { table.tried = fmt.Sprintf(format, args...) }

func (s *side) record(count, format string, args ...any) {
	row := table.tried + ": " + count
	if !slices.Contains(table.rows, row) {
		table.rows = append(table.rows, row)
	}
	if table.cells == nil {
		table.cells = map[string]map[string]string{}
	}
	if table.cells[row] == nil {
		table.cells[row] = map[string]string{}
	}
	table.cells[row][s.name] = fmt.Sprintf(format, args...)
}
