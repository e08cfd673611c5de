package security

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"vicinal/test/e2e/harness"
)

// What FilterNamed and NameNodes are asked and answer, in their JSON form.
type nodeNames struct {
	Names []string `json:"names"`
}

type namedQuestion struct {
	Pod        map[string]any `json:"pod"`
	Candidates []byte         `json:"candidates,omitempty"`
}

type namedQuestions struct {
	List      string          `json:"list"`
	Questions []namedQuestion `json:"questions"`
}

type namedAnswers struct {
	Answers []struct {
		Fitting []byte
		Refused []struct {
			Reason string
			Nodes  []int
		}
		Error *struct {
			Code    codes.Code
			Message string
		}
	}
}

// manyNames are of this length at least.
func manyNames(count, length int) []string {
	names := make([]string, count)
	for i := range names {
		name := fmt.Sprintf("w%d", i)
		names[i] = name + strings.Repeat("x", max(0, length-len(name)))
	}
	return names
}

// namedNodes are lists and questions about them that are too large, wrong or of nobody.
func namedNodes() []abuse {
	// try has a client name the list, if there are names, and ask about it.
	try := func(name string, names []string, ask namedQuestions, want codes.Code) abuse {
		return abuse{"FilterNamed, " + name, func(w *world) (string, bool) {
			client, err := w.vicinal.DialGRPCWith(w.scheduler, 10*time.Second)
			if err != nil {
				return err.Error(), false
			}
			defer client.Close()
			if names != nil {
				var list struct{ List string }
				if err := client.Call("Extender/NameNodes", nodeNames{names}, &list); err != nil {
					return err.Error(), status.Code(err) == want
				}
				ask.List = list.List
			}
			var answers namedAnswers
			if err := client.Call("Extender/FilterNamed", ask, &answers); err != nil {
				return err.Error(), status.Code(err) == want
			}
			for _, answer := range answers.Answers {
				if answer.Error == nil || answer.Error.Code != want || len(answer.Fitting) > 0 {
					return fmt.Sprint(answers), false
				}
			}
			return fmt.Sprint(answers.Answers[0].Error), true
		}}
	}
	pod := map[string]any{"metadata": map[string]any{"name": "p", "uid": "p"}}
	one := []namedQuestion{{Pod: pod}}
	two := []string{"n1", "n2"}
	about := func(bits ...byte) namedQuestions {
		return namedQuestions{Questions: []namedQuestion{{pod, bits}, {pod, bits}}}
	}
	return []abuse{
		try("a list that nobody has named", nil, namedQuestions{strings.Repeat("0", 64), one}, codes.NotFound),
		try("a list's name of a megabyte", nil, namedQuestions{strings.Repeat("0", 1<<20), one}, codes.InvalidArgument),
		try("no list", nil, namedQuestions{"", one}, codes.InvalidArgument),
		try("no names", []string{}, namedQuestions{}, codes.InvalidArgument),
		try("an empty name", []string{"n1", ""}, namedQuestions{}, codes.InvalidArgument),
		try("a name twice", []string{"n1", "n2", "n1"}, namedQuestions{}, codes.InvalidArgument),
		try("two names in one", []string{"n1\nn2"}, namedQuestions{}, codes.InvalidArgument),
		try("names of 20 MiB", manyNames(20, 1<<20), namedQuestions{}, codes.InvalidArgument),
		try("nothing asked", two, namedQuestions{}, codes.InvalidArgument),
		try("no pod", two, namedQuestions{Questions: make([]namedQuestion, 2)}, codes.InvalidArgument),
		try("a node behind the last", two, about(0x04), codes.InvalidArgument),
		try("a node far behind the last", two, about(append(make([]byte, 1<<20), 1)...), codes.InvalidArgument),
		try("a bitmap without a bit", two, about(0, 0, 0), codes.InvalidArgument),
		try("1,001 questions", two, namedQuestions{Questions: slices.Repeat(one, 1001)}, codes.ResourceExhausted),
		try("1,000 questions about 300,000 nodes", manyNames(300_000, 0), namedQuestions{Questions: slices.Repeat(one, 1000)}, codes.ResourceExhausted),
	}
}

// Who names one large list after the other is forgotten again, list by list; others name
// theirs again and are answered.
func TestManyListsOfNodesAreForgotten(t *testing.T) {
	v := harness.StartVicinal(t, harness.NewRun(t), "--sample")
	client := v.DialGRPC(t)
	name := func(names []string) string {
		t.Helper()
		var list struct{ List string }
		if err := client.Call("Extender/NameNodes", nodeNames{names}, &list); err != nil {
			t.Fatal(err)
		}
		return list.List
	}
	first := name([]string{"n1"})
	ask := func(list string) codes.Code {
		err := client.Call("Extender/FilterNamed", namedQuestions{list, []namedQuestion{{map[string]any{"metadata": map[string]any{"name": "p"}}, []byte{1}}}}, &namedAnswers{})
		return status.Code(err)
	}
	if code := ask(first); code != codes.OK {
		t.Fatalf("the first list: %v", code)
	}
	for i := range 6 {
		large := name(append([]string{fmt.Sprint(i)}, manyNames(15, 1<<20)...))
		if code := ask(large); code != codes.OK {
			t.Errorf("large list %d: %v", i, code)
		}
	}
	if code := ask(first); code != codes.NotFound {
		t.Errorf("the first list after 90 MiB of others: %v", code)
	}
	if code := ask(name([]string{"n1"})); code != codes.OK {
		t.Errorf("the first list, named again: %v", code)
	}
}
