package cases

import (
	"bytes"
	"testing"
)

func TestACaseDependsOnItsSeedAndIndexOnly(t *testing.T) {
	later := Generate(3, 41)
	for index := range uint64(40) {
		Generate(3, index)
	}
	if again := Generate(3, 41); !bytes.Equal(later.Line, again.Line) || later.ID != again.ID {
		t.Errorf("two different cases of one index:\n%s\n%s", later.Line, again.Line)
	}
	if bytes.Equal(Generate(3, 41).Line, Generate(3, 42).Line) || bytes.Equal(Generate(3, 41).Line, Generate(4, 41).Line) {
		t.Error("another index or seed makes the same case")
	}
}
