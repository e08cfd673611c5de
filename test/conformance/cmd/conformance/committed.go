package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"vicinal/test/conformance/compare"
	"vicinal/test/conformance/stock"
)

// committedCases are, for a scheduler with these feature gates, the named cases (testdata/named/*.yaml), the regressions
// (testdata/regressions/*.json, one case each) and the lines of
// testdata/badlines.ndjson.
func committedCases(testdata, gates string) ([]candidate, error) {
	var out []candidate
	files, err := filepath.Glob(filepath.Join(testdata, "named", "*.yaml"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no named cases in %s", testdata)
	}
	for _, file := range files {
		c, err := namedCase(file, gates)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, c)
	}
	files, err = filepath.Glob(filepath.Join(testdata, "regressions", "*.json"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var line bytes.Buffer
		if err := json.Compact(&line, text); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, candidate{id: filepath.Base(file), line: line.Bytes()})
	}
	text, err := os.ReadFile(filepath.Join(testdata, "badlines.ndjson"))
	if err != nil {
		return nil, err
	}
	for i, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		out = append(out, candidate{id: fmt.Sprintf("badlines.ndjson:%d", i+1), line: line})
	}
	return out, nil
}

// namedFile is a named case: what it is about, the case, and what the stock code
// has to answer, as far as it matters.
type namedFile struct {
	About  string                     `json:"about"`
	Case   map[string]json.RawMessage `json:"case"`
	Expect *expectation               `json:"expect"`
	// Until has what a release and those before it answer instead, by release.
	Until map[string]*expectation `json:"until,omitempty"`
	// With has what it answers with a feature gate set, by "Name=true" or "Name=false".
	With map[string]*expectation `json:"with,omitempty"`
}

// expected is what the stock code of a release has to answer. Releases of one length
// are in the order of their texts. Nil with feature gates that the case says nothing of.
func (f *namedFile) expected(release, gates string) *expectation {
	if gates != "" {
		for _, gate := range strings.Split(gates, ",") {
			if e := f.With[gate]; e != nil {
				return e
			}
		}
		return nil
	}
	for _, last := range slices.Sorted(maps.Keys(f.Until)) {
		if release <= last {
			return f.Until[last]
		}
	}
	return f.Expect
}

type expectation struct {
	// Nodes maps a node to "code", "code plugin" or "code plugin: reason".
	Nodes map[string]string `json:"nodes,omitempty"`
	// Scores maps a plugin to its nodes' scores, or to nothing if it skips.
	Scores  map[string]map[string]stock.Score `json:"scores,omitempty"`
	Totals  map[string]int64                  `json:"totals,omitempty"`
	Message *string                           `json:"message,omitempty"`
}

func namedCase(file, gates string) (candidate, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return candidate{}, err
	}
	var named namedFile
	if err := yaml.UnmarshalStrict(text, &named); err != nil {
		return candidate{}, err
	}
	if named.About == "" || named.Case == nil || named.Expect == nil {
		return candidate{}, fmt.Errorf("about, case and expect are required")
	}
	id := strings.TrimSuffix(filepath.Base(file), ".yaml")
	if named.Case["id"], err = json.Marshal(id); err != nil {
		return candidate{}, err
	}
	line, err := json.Marshal(named.Case)
	return candidate{id: id, line: line, expect: named.expected(stock.Release, gates)}, err
}

// check compares what the file says with the stock code's answer.
func (e *expectation) check(answer *stock.Answer) []compare.Difference {
	if answer == nil {
		return []compare.Difference{{Where: "case", Want: "an answer", Got: "an error"}}
	}
	var out []compare.Difference
	add := func(where string, want, got any) {
		if want != got {
			out = append(out, compare.Difference{Where: where, Want: fmt.Sprint(want), Got: fmt.Sprint(got)})
		}
	}
	for node, want := range e.Nodes {
		n := answer.Nodes[node]
		got := n.Code
		if strings.Contains(want, " ") {
			got += " " + n.Plugin
		}
		if strings.Contains(want, ": ") {
			got += ": " + n.Reason
		}
		add("nodes["+node+"]", want, got)
	}
	for plugin, nodes := range e.Scores {
		add("scores["+plugin+"] present", nodes != nil, answer.Scores[plugin] != nil)
		for node, want := range nodes {
			add("scores["+plugin+"]["+node+"]", want, answer.Scores[plugin][node])
		}
	}
	for node, want := range e.Totals {
		add("totals["+node+"]", want, answer.Totals[node])
	}
	if e.Message != nil {
		add("message", *e.Message, answer.Message)
	}
	return out
}
