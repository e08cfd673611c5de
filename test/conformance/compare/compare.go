// Package compare tells where an answer differs from the stock scheduler's.
package compare

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vicinal/test/conformance/stock"
)

// Difference is one place where two answers to a case differ.
type Difference struct {
	// Kind is the sort of place, equal for like differences of other cases.
	Kind string
	// Where is the place itself, with the node's name.
	Where     string
	Want, Got string
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: want %s, got %s", d.Where, d.Want, d.Got)
}

// Answers compares the answer got with the stock answer want to the line of that
// number. It returns nil if they say the same. Of errors only the id and the line
// number are compared, not what is wrong.
func Answers(want, got []byte, number int) []Difference {
	if bytes.Equal(want, got) {
		return nil
	}
	w, err := parse(want)
	if err != nil {
		panic(err) // the oracle wrote it
	}
	g, err := parse(got)
	if err != nil {
		return []Difference{{Kind: "format", Where: "format", Want: "an answer", Got: fmt.Sprintf("%v in %.200s", err, got)}}
	}
	if !bytes.Equal(w.ID, g.ID) {
		return []Difference{{Kind: "id", Where: "id", Want: string(w.ID), Got: string(g.ID)}}
	}
	if w.Error != "" || g.Error != "" {
		return errors(w.Error, g.Error, number)
	}
	var out []Difference
	add := func(kind, where string, want, got any) {
		if want != got {
			out = append(out, Difference{Kind: kind, Where: where, Want: fmt.Sprintf("%+v", want), Got: fmt.Sprintf("%+v", got)})
		}
	}
	for _, node := range keys(w.Nodes, g.Nodes) {
		kind := "nodes"
		if plugin := cmp.Or(w.Nodes[node].Plugin, g.Nodes[node].Plugin); plugin != "" {
			kind += " " + plugin
		}
		add(kind, "nodes["+node+"]", lookup(w.Nodes, node), lookup(g.Nodes, node))
	}
	for _, plugin := range keys(w.Scores, g.Scores) {
		if (w.Scores[plugin] == nil) != (g.Scores[plugin] == nil) {
			add("scores "+plugin+" present", "scores["+plugin+"] present", w.Scores[plugin] != nil, g.Scores[plugin] != nil)
			continue
		}
		for _, node := range keys(w.Scores[plugin], g.Scores[plugin]) {
			add("scores "+plugin, "scores["+plugin+"]["+node+"]", lookup(w.Scores[plugin], node), lookup(g.Scores[plugin], node))
		}
	}
	for _, node := range keys(w.Totals, g.Totals) {
		add("totals", "totals["+node+"]", lookup(w.Totals, node), lookup(g.Totals, node))
	}
	add("message", "message", w.Message, g.Message)
	return out
}

type answer struct {
	stock.Answer
	Error string `json:"error"`
}

// parse takes exactly the fields of an answer, or exactly those of a bad line.
func parse(text []byte) (*answer, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(fields))
	if !slices.Equal(names, []string{"id", "message", "nodes", "scores", "totals"}) && !slices.Equal(names, []string{"error", "id"}) {
		return nil, fmt.Errorf("fields %v", names)
	}
	a := &answer{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(a); err != nil {
		return nil, err
	}
	if _, bad := fields["error"]; !bad && (a.Nodes == nil || a.Scores == nil || a.Totals == nil) {
		return nil, fmt.Errorf("null instead of an object")
	}
	return a, nil
}

func errors(want, got string, number int) []Difference {
	prefix := fmt.Sprintf("line %d: ", number)
	if want == "" {
		return []Difference{{Kind: "error", Where: "error", Want: "an answer", Got: got}}
	}
	if !strings.HasPrefix(got, prefix) {
		return []Difference{{Kind: "error", Where: "error", Want: prefix + "… (stock: " + want + ")", Got: got}}
	}
	return nil
}

func keys[V any](a, b map[string]V) []string {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return slices.Sorted(maps.Keys(both))
}

// lookup distinguishes a missing entry from a zero one.
func lookup[V any](m map[string]V, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return "nothing"
}
