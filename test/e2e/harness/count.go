package harness

import (
	"os"
	"strconv"
	"testing"
)

// Count is the number in an environment variable, by which test/run makes a test longer, or
// otherwise if that is not set. It must be a positive multiple of step.
func Count(t testing.TB, variable string, otherwise, step int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < step || n%step != 0 {
		t.Fatalf("%s must be a positive multiple of %d, got %q", variable, step, text)
	}
	return n
}
