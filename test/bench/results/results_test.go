package results

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestRecordAppendsALineForEachMeasurement(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results")
	t.Setenv("VICINAL_BENCH_RESULTS", path)
	for _, ms := range []float64{1, 2.5} {
		if err := Record("plugins", "1000 nodes, plain", map[string]float64{"vicinal ms": ms}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"bench":"plugins","case":"1000 nodes, plain","values":{"vicinal ms":1}}
{"bench":"plugins","case":"1000 nodes, plain","values":{"vicinal ms":2.5}}
`
	if string(got) != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestRecordRefusesWhatIsNoNumber(t *testing.T) {
	t.Setenv("VICINAL_BENCH_RESULTS", filepath.Join(t.TempDir(), "results"))
	if err := Record("plugins", "plain", map[string]float64{"ms": math.NaN()}); err == nil {
		t.Error("NaN is taken")
	}
}

func TestCompareShowsBothValuesAndTheirRatio(t *testing.T) {
	folder := t.TempDir()
	a, b := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	write := func(path string, lines ...string) {
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Of several measurements of one case the median counts.
	write(a, `{"bench":"scale","case":"x","values":{"ms":2,"only in a":7}}`, `{"bench":"scale","case":"x","values":{"ms":4}}`,
		`{"bench":"scale","case":"x","values":{"ms":90}}`)
	write(b, `{"bench":"scale","case":"x","values":{"ms":5}}`)
	out, err := exec.Command("../compare", a, b).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"| scale | x | ms | 4 | 5 | 1.25 |", "| scale | x | only in a | 7 | - | - |"} {
		if !strings.Contains(string(out), want+"\n") {
			t.Errorf("no line %q in\n%s", want, out)
		}
	}
	if out, err := exec.Command("../compare", a, filepath.Join(folder, "none")).CombinedOutput(); err == nil {
		t.Errorf("a file that is not there is compared:\n%s", out)
	}
}
