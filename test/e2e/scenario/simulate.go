package scenario

import (
	"os"
	"os/exec"
	"testing"
)

// Simulate acts the scenario out in vicinal's simulator.
func (s *Scenario) Simulate(t *testing.T) {
	binary := os.Getenv("VICINAL_BIN")
	if binary == "" {
		t.Fatal("VICINAL_BIN does not name the binary")
	}
	out, err := exec.CommandContext(t.Context(), binary, "simulate", s.file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
