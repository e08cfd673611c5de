package harness

import (
	"os"
	"path/filepath"
	"testing"
)

// KubeBinary is one of the stock binaries in $KUBE_BIN_DIR, under any of its
// names.
func KubeBinary(t testing.TB, names ...string) string {
	t.Helper()
	dir := os.Getenv("KUBE_BIN_DIR")
	if dir == "" {
		t.Fatal("KUBE_BIN_DIR is not set: it names the folder that test/e2e/build has filled")
	}
	for _, name := range names {
		if path := filepath.Join(dir, name); isExecutable(path) {
			return absolute(t, path)
		}
	}
	t.Fatalf("KUBE_BIN_DIR: no executable %v in %s", names, dir)
	return ""
}

// VicinalBinary is what VICINAL_BIN names.
func VicinalBinary(t testing.TB) string {
	t.Helper()
	path := os.Getenv("VICINAL_BIN")
	if path == "" {
		t.Fatal("VICINAL_BIN is not set: it names the vicinal binary")
	}
	if !isExecutable(path) {
		t.Fatalf("VICINAL_BIN: %s is no executable file", path)
	}
	return absolute(t, path)
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// absolute, because processes run in the folder of their run.
func absolute(t testing.TB, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// RepositoryFile is a file of the repository, wherever in it the test runs.
func RepositoryFile(t testing.TB, path string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "WORKSPACE")); err == nil {
			return filepath.Join(dir, path)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no WORKSPACE file in any folder above: not inside the repository")
		}
		dir = parent
	}
}
