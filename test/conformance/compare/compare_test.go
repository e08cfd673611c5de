package compare

import (
	"strings"
	"testing"
)

const answerText = `{"id":1,"nodes":{"n1":{"code":"Success","plugin":"","reason":""}},"scores":{"NodeAffinity":{"n1":{"raw":3,"normalized":100}}},"totals":{"n1":200},"message":""}`

func TestDifferencesNameTheirPlace(t *testing.T) {
	for _, test := range []struct{ old, new, kind, where string }{
		{`"code":"Success"`, `"code":"Error"`, "nodes", "nodes[n1]"},
		{`"reason":""`, `"reason":"x"`, "nodes", "nodes[n1]"},
		{`"n1":{"code"`, `"n2":{"code"`, "nodes", "nodes[n1]"},
		{`"raw":3`, `"raw":4`, "scores NodeAffinity", "scores[NodeAffinity][n1]"},
		{`"normalized":100`, `"normalized":99`, "scores NodeAffinity", "scores[NodeAffinity][n1]"},
		{`"NodeAffinity":{"n1":{"raw":3,"normalized":100}}`, ``, "scores NodeAffinity present", "scores[NodeAffinity] present"},
		{`"n1":200`, `"n1":201`, "totals", "totals[n1]"},
		{`"n1":200`, ``, "totals", "totals[n1]"},
		{`"message":""`, `"message":"x"`, "message", "message"},
		{`"id":1`, `"id":"1"`, "id", "id"},
		{`"message":""`, `"massage":""`, "format", "format"},
		{`"message":""`, `"message":"","more":1`, "format", "format"},
		{`"totals":{"n1":200}`, `"totals":null`, "format", "format"},
		{`"raw":3`, `"raw":3.5`, "format", "format"},
		{`"raw":3`, `"raw":3,"extra":1`, "format", "format"},
		{answerText, ``, "format", "format"},
		{answerText, `{"id":1,"error":"line 1: no"}`, "error", "error"},
	} {
		got := Answers([]byte(answerText), []byte(strings.Replace(answerText, test.old, test.new, 1)), 1)
		if len(got) == 0 || got[0].Kind != test.kind || got[0].Where != test.where {
			t.Errorf("%s → %s: %+v", test.old, test.new, got)
		}
	}
}

func TestFormattingDoesNotMatter(t *testing.T) {
	got := `{ "message" : "", "totals":{"n1":200},"scores":{"NodeAffinity":{"n1":{"normalized":100,"raw":3}}},"nodes":{"n1":{"code":"Success","plugin":"","reason":""}},"id":1}`
	if d := Answers([]byte(answerText), []byte(got), 1); d != nil {
		t.Errorf("%+v", d)
	}
}

func TestErrorsAreComparedByIDAndLine(t *testing.T) {
	const want = `{"id":"x","error":"line 9: stock text"}`
	for got, same := range map[string]bool{
		`{"id":"x","error":"line 4: other text"}`: true,
		`{"id":"x","error":"line 5: other text"}`: false,
		`{"id":"x","error":"other text"}`:         false,
		`{"id":null,"error":"line 4: x"}`:         false,
		answerText:                                false,
	} {
		if d := Answers([]byte(want), []byte(got), 4); (d == nil) != same {
			t.Errorf("%s: %+v", got, d)
		}
	}
}
