package shrink

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"vicinal/test/conformance/cases"
)

func TestCaseKeepsOnlyWhatMakesItDiffer(t *testing.T) {
	// "Differs" as long as n2 is there and the pod asks for a gpu.
	text := `{"id":"x","objects":[
		{"kind":"Node","metadata":{"name":"n1","labels":{"a":"b"}}},
		{"kind":"Node","metadata":{"name":"n2","labels":{"a":"b"}}},
		{"kind":"Pod","metadata":{"name":"p"}}],
		"pluginConfig":[{"name":"NodeAffinity"}],
		"pod":{"metadata":{"name":"incoming"},"spec":{"containers":[
			{"name":"c","resources":{"requests":{"cpu":1}}},
			{"name":"d","resources":{"requests":{"cpu":1,"gpu":2}}}]}}}`
	got, err := Case([]byte(text), func(c []byte) bool {
		return bytes.Contains(c, []byte(`"n2"`)) && bytes.Contains(c, []byte(`"gpu"`))
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"x","objects":[{"metadata":{"name":"n2"}}],"pod":{"spec":{"containers":[{"resources":{"requests":{"gpu":2}}}]}}}`
	if string(got) != want {
		t.Errorf("shrunk to %s\nwant      %s", got, want)
	}
}

func TestCaseEndsWhereNothingMoreCanGo(t *testing.T) {
	for index := range uint64(30) {
		g := cases.Generate(7, index)
		if !json.Valid(g.Line) {
			continue
		}
		// Two objects at least must stay, and the pod's namespace.
		differs := func(c []byte) bool {
			var o struct {
				Objects []any
				Pod     struct{ Metadata struct{ Namespace string } }
			}
			return json.Unmarshal(c, &o) == nil && len(o.Objects) >= 2 && o.Pod.Metadata.Namespace != ""
		}
		if !differs(g.Line) {
			continue
		}
		got, err := Case(g.Line, differs)
		if err != nil {
			t.Fatal(err)
		}
		var o struct{ Objects []any }
		if err := json.Unmarshal(got, &o); err != nil || len(o.Objects) != 2 {
			t.Errorf("case %s: shrunk to %s", g.ID, got)
		}
		for _, object := range o.Objects {
			if fields, ok := object.(map[string]any); !ok || len(fields) > 0 {
				t.Errorf("case %s: %v is left", g.ID, object)
			}
		}
	}
}

func TestCaseLeavesNumbersAsWritten(t *testing.T) {
	text := `{"id":1,"pod":{"a":9223372036854775807,"b":0.50,"c":1e3}}`
	got, err := Case([]byte(text), func(c []byte) bool { return strings.Contains(string(c), `"c":1e3`) })
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"id":1,"pod":{"c":1e3}}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCaseRefusesACaseThatDoesNotDiffer(t *testing.T) {
	if _, err := Case([]byte(`{"id":1}`), func([]byte) bool { return false }); err == nil {
		t.Error("no error")
	}
}
