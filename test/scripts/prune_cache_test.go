// Package scripts tests scripts of this folder that have no other test.
package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Sparse files: sizes of a real cache, on no disk.
func TestPruneCacheDeletesWhatWasUsedLongestAgoOfManyGigabytes(t *testing.T) {
	folder := t.TempDir()
	hours := map[string]int{"oldest": 3, "older": 2, "new": 1}
	for name, ago := range hours {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, 3<<30); err != nil {
			t.Fatal(err)
		}
		used := time.Now().Add(-time.Duration(ago) * time.Hour)
		if err := os.Chtimes(path, used, used); err != nil {
			t.Fatal(err)
		}
	}
	prune := exec.Command("../prune_cache", folder)
	prune.Env = append(os.Environ(), "MAX_GB=7", "FREE_GB=0")
	if output, err := prune.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	for name := range hours {
		_, err := os.Stat(filepath.Join(folder, name))
		if deleted := err != nil; deleted != (name == "oldest") {
			t.Errorf("%s: deleted: %t", name, deleted)
		}
	}
}
