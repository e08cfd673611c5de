// Package scripts tests scripts of this folder that have no other test.
package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Sparse files: sizes of a real cache, on no disk.
func TestPruneCacheDeletesTheProgramsUsedLongestAgoBeforeAnyObject(t *testing.T) {
	folder := t.TempDir()
	for _, file := range []struct {
		name  string
		bytes int64
		hours int // since it was used
	}{{"object", 1 << 20, 4}, {"oldest-program", 3 << 30, 3}, {"older-program", 3 << 30, 2}, {"new-program", 3 << 30, 1}} {
		path := filepath.Join(folder, file.name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, file.bytes); err != nil {
			t.Fatal(err)
		}
		used := time.Now().Add(-time.Duration(file.hours) * time.Hour)
		if err := os.Chtimes(path, used, used); err != nil {
			t.Fatal(err)
		}
	}
	left := func(gigabytes string) []string {
		prune := exec.Command("../prune_cache", folder)
		prune.Env = append(os.Environ(), "MAX_GB="+gigabytes, "FREE_GB=0")
		if output, err := prune.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, output)
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return names
	}
	for _, step := range []struct {
		gigabytes string
		want      []string
	}{
		{"10", []string{"new-program", "object", "older-program", "oldest-program"}},
		{"7", []string{"new-program", "object", "older-program"}},
		{"1", []string{"object"}},
		{"0", nil},
	} {
		if got := left(step.gigabytes); !slices.Equal(got, step.want) {
			t.Errorf("at most %s GB: %q are left, want %q", step.gigabytes, got, step.want)
		}
	}
}
