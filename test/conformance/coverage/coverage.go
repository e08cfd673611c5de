// Package coverage counts which behaviours of the stock plugins a run of cases
// has reached.
package coverage

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"vicinal/test/conformance/stock"
)

// Table counts cases per class. It is not safe for concurrent use.
type Table struct{ counts map[string]int }

// NewTable has every expected class at zero.
func NewTable() *Table {
	t := &Table{counts: map[string]int{}}
	for _, class := range expected() {
		t.counts[class] = 0
	}
	return t
}

// Merge adds the counts of another table.
func (t *Table) Merge(other *Table) {
	for class, n := range other.counts {
		t.counts[class] += n
	}
}

// Add counts a case: its tags and its stock answer, nil for a bad line.
func (t *Table) Add(tags []string, answer *stock.Answer) {
	reached := map[string]bool{}
	reach := func(format string, args ...any) { reached[fmt.Sprintf(format, args...)] = true }
	if answer == nil {
		reach("case: not a case, answered with an error")
	} else {
		filters(answer, tags, reach)
		scores(answer, tags, reach)
		whole(answer, reach)
	}
	for class := range reached {
		t.counts[class]++
	}
}

// Unreached are the expected classes that no case has reached.
func (t *Table) Unreached() []string {
	return slices.DeleteFunc(expected(), func(class string) bool { return t.counts[class] > 0 })
}

// Print writes the table. A class that is not in the list of expected ones is
// marked: the list, or the release, has changed.
func (t *Table) Print(to io.Writer) {
	known := expected()
	for _, class := range slices.Sorted(maps.Keys(t.counts)) {
		note := ""
		switch {
		case !slices.Contains(known, class):
			note = "  (not in the list of expected classes)"
		case t.counts[class] == 0:
			note = "  UNREACHED"
		}
		fmt.Fprintf(to, "%9d  %s%s\n", t.counts[class], class, note)
	}
}

func filters(answer *stock.Answer, tags []string, reach func(string, ...any)) {
	for _, plugin := range answer.Trace.SkippedFilters {
		reach("filter %s: skips", plugin)
	}
	for name, node := range answer.Nodes {
		if node.Code == "Error" {
			reach("error: %s", headOf(node.Reason))
			continue
		}
		for _, plugin := range passed(node, answer.Trace.SkippedFilters) {
			reach("filter %s: passes", plugin)
		}
		if node.Code == "Success" {
			continue
		}
		for _, reason := range reasons(node) {
			reach("filter %s: %s, %s", orFramework(node.Plugin), node.Code, reason)
		}
		if plugin, ok := answer.Trace.DecidedByNomination[name]; ok {
			reach("filter %s: rejects because of nominated pods alone", plugin)
		}
		for _, tag := range tags {
			if tag == "args:list defaulting" && slices.Contains(tags, "defaulting") && node.Plugin == "PodTopologySpread" {
				reach("args: list defaulting rejects")
			}
		}
	}
}

// passed are the filter plugins that let a node through before one rejected it.
func passed(node stock.NodeResult, skipped []string) []string {
	order := filterOrder
	if node.Code != "Success" {
		i := slices.Index(order, node.Plugin)
		if i < 0 || strings.HasPrefix(node.Reason, "parsing pod:") || node.Reason == "pod affinity terms conflict" {
			return nil // the framework or a PreFilter rejected it: no Filter ran
		}
		order = order[:i]
	}
	return slices.DeleteFunc(slices.Clone(order), func(p string) bool { return slices.Contains(skipped, p) })
}

// reasons are a status's reasons without what varies: resource names by sort,
// parse errors by where they are.
func reasons(node stock.NodeResult) []string {
	if strings.HasPrefix(node.Reason, "parsing pod:") {
		return []string{"parsing pod: …"}
	}
	if node.Plugin != "NodeResourcesFit" {
		return []string{node.Reason}
	}
	out := strings.Split(node.Reason, ", ")
	for i, reason := range out {
		name, short := strings.CutPrefix(reason, "Insufficient ")
		switch {
		case !short:
		case strings.HasPrefix(name, "hugepages-"):
			out[i] = "Insufficient hugepages"
		case strings.HasPrefix(name, "attachable-volumes-"):
			out[i] = "Insufficient attachable volumes"
		case strings.HasPrefix(name, "kubernetes.io/"):
			out[i] = "Insufficient prefixed native resource"
		case strings.Contains(name, "/"):
			out[i] = "Insufficient extended resource"
		}
	}
	return out
}

// headOf is the part of an error that names the place.
func headOf(reason string) string {
	for _, head := range errorHeads {
		if strings.HasPrefix(reason, head) {
			return head
		}
	}
	return reason
}

func orFramework(plugin string) string {
	if plugin == "" {
		return "(framework)"
	}
	return plugin
}

func scores(answer *stock.Answer, tags []string, reach func(string, ...any)) {
	if len(answer.Totals) == 0 {
		return
	}
	for _, plugin := range answer.Trace.SkippedScores {
		reach("score %s: skips", plugin)
		if plugin == "InterPodAffinity" && slices.Contains(tags, "args:ignorePreferredTermsOfExistingPods") {
			reach("args: ignorePreferredTermsOfExistingPods skips InterPodAffinity")
		}
	}
	for plugin, nodes := range answer.Scores {
		if !differ(nodes) {
			continue
		}
		reach("score %s: not all equal", plugin)
		for _, tag := range tags {
			if slices.Contains(scoredBy[tag], plugin) {
				reach("args: %s, %s scores not all equal", strings.TrimPrefix(tag, "args:"), plugin)
			}
		}
		if plugin == "PodTopologySpread" && slices.Contains(tags, "defaulting") {
			reach("args: %s defaulting scores", defaulting(tags))
		}
	}
}

func defaulting(tags []string) string {
	if slices.Contains(tags, "args:list defaulting") {
		return "list"
	}
	return "system"
}

func differ(nodes map[string]stock.Score) bool {
	var first *int64
	for _, s := range nodes {
		if first == nil {
			first = &s.Normalized
		} else if s.Normalized != *first {
			return true
		}
	}
	return false
}

func whole(answer *stock.Answer, reach func(string, ...any)) {
	switch {
	case len(answer.Nodes) == 0:
		reach("case: no nodes")
	case len(answer.Totals) == 0:
		reach("case: no node is feasible")
	case len(answer.Totals) == 1:
		reach("case: one node is feasible")
	case len(answer.Totals) == len(answer.Nodes):
		reach("case: every node is feasible")
	default:
		reach("case: some nodes are feasible")
	}
	if strings.Contains(answer.Message, ", ") {
		reach("case: a message with several reasons")
	}
}
