package watched

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"
)

func TestTheRowsAreThoseOfVicinal(t *testing.T) {
	header, err := os.ReadFile("../../core/model/api_resources.h")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, row := range regexp.MustCompile(`(?m)^ +\{("[a-z]+", "[a-z0-9/]+", "[A-Za-z]+")`).FindAllSubmatch(header, -1) {
		want = append(want, string(row[1]))
	}
	for _, r := range Resources {
		got = append(got, fmt.Sprintf("%q, %q, %q", r.Name, r.APIVersion, r.Kind))
	}
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("rows %q, core/model/api_resources.h has %q", got, want)
	}
}
