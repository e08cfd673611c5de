package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// oracleBinary stands in for vicinal: it ignores its arguments and speaks the
// same lines.
func oracleBinary(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "oracle")
	if out, err := exec.Command("go", "build", "-o", bin, "../oracle").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return bin
}

// script is a program that makes something of the oracle's answers.
func script(t *testing.T, format string, args ...any) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "vicinal")
	if err := os.WriteFile(file, fmt.Appendf(nil, "#!/usr/bin/env bash\n"+format+"\n", args...), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

func runWith(t *testing.T, binary string, cases uint64) *report {
	t.Helper()
	o := options{cases: cases, seed: 1, workers: 2, batch: 50, binary: binary, testdata: "../../testdata", shrunk: t.TempDir(), shrinkAtMost: 3}
	r := newReport(o)
	if err := run(t.Context(), o, r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEveryCaseIsCompared(t *testing.T) {
	oracle := oracleBinary(t)

	r := runWith(t, oracle, 230)
	committed, err := committedCases("../../testdata", "")
	if err != nil {
		t.Fatal(err)
	}
	if r.cases != 230+len(committed) || len(r.differ) != 0 {
		t.Errorf("the oracle against itself: %d cases, %v", r.cases, r.examples)
	}

	// A program that thinks that ImageLocality is always 1.
	wrong := script(t, `%s | sed -E 's/("ImageLocality":\{"[^"]*":\{"raw":)[0-9]+/\11/'`, oracle)
	r = runWith(t, wrong, 100)
	if len(r.differ) == 0 || r.byKind["scores ImageLocality"] == 0 || len(r.byKind) != 1 {
		t.Fatalf("wrong image scores make these differences: %v", r.byKind)
	}
	if r.print(t.Context()) {
		t.Error("a run with differences is a success")
	}
	files, err := filepath.Glob(filepath.Join(r.options.shrunk, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("reduced cases: %v, %v", files, err)
	}
	// One node with a slot for a pod, and a pod: less cannot have a score.
	if small, err := os.ReadFile(files[0]); err != nil || len(small) > 200 || !strings.Contains(string(small), `"kind":"Node"`) {
		t.Errorf("reduced to %s, %v", small, err)
	}

	// A program that dies of two of the cases.
	dying := script(t, `%s | while IFS= read -r line; do case $line in *'"id":"1/7"'*|*'"id":"1/60"'*) exit 3;; esac; printf '%%s\n' "$line"; done`, oracle)
	r = runWith(t, dying, 100)
	if len(r.differ) != 2 || !r.differ["1/7"] || !r.differ["1/60"] || r.byKind[diedKind] != 2 || len(r.byKind) != 1 {
		t.Errorf("deaths on two cases: %v %v", r.differ, r.byKind)
	}
}
