package coverage

import (
	"slices"
	"strings"
	"testing"

	"vicinal/test/conformance/stock"
)

func TestAClassThatNoCaseReachesIsUnreached(t *testing.T) {
	table := NewTable()
	if n := len(table.Unreached()); n != len(expected()) {
		t.Errorf("%d classes unreached of an empty table, want all %d", n, len(expected()))
	}
	table.Add(nil, &stock.Answer{Nodes: map[string]stock.NodeResult{
		"n1": {Code: "UnschedulableAndUnresolvable", Plugin: "NodeResourcesFit", Reason: "Too many pods, Insufficient example.com/gpu"},
	}, Trace: stock.Trace{SkippedFilters: []string{"NodeAffinity"}}})
	for _, class := range []string{
		"filter NodeName: passes", "filter NodeUnschedulable: passes", "filter TaintToleration: passes", "filter NodeAffinity: skips",
		"filter NodeResourcesFit: UnschedulableAndUnresolvable, Too many pods",
		"filter NodeResourcesFit: UnschedulableAndUnresolvable, Insufficient extended resource",
		"case: no node is feasible",
	} {
		if slices.Contains(table.Unreached(), class) {
			t.Errorf("%q is unreached", class)
		}
	}
	if n, want := len(table.Unreached()), len(expected())-7; n != want {
		t.Errorf("%d classes unreached, want %d", n, want)
	}
}

func TestTheTableMarksWhatIsUnreachedAndWhatIsUnknown(t *testing.T) {
	table := NewTable()
	table.Add(nil, &stock.Answer{Nodes: map[string]stock.NodeResult{"n1": {Code: "Unschedulable", Plugin: "TaintToleration", Reason: "a new reason"}}})
	var out strings.Builder
	table.Print(&out)
	for _, want := range []string{
		"        1  filter TaintToleration: Unschedulable, a new reason  (not in the list",
		"        0  score NodeAffinity: skips  UNREACHED",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestExpectedClassesAreDistinct(t *testing.T) {
	sorted := slices.Sorted(slices.Values(expected()))
	if n := len(slices.Compact(sorted)); n != len(expected()) {
		t.Errorf("%d of %d classes are distinct", n, len(expected()))
	}
}
