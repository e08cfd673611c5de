package failure

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"vicinal/test/e2e/harness"
)

// The disk that the log is on is full, and has room again.
func (f *fixture) diskFull(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=128k"); err != nil {
		t.Skipf("cannot mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	proxy := harness.StartProxy(t, f.cp.URL)
	kubeconfig := f.cp.VicinalKubeconfig(t, proxy.URL())
	v := harness.StartVicinal(t, &harness.Run{Dir: disk}, "--mode=advise", "--kubeconfig="+kubeconfig)
	v.WaitReady(t)
	before := v.Gauge(t, residentMemory)
	filler := filepath.Join(disk, "filler")
	fill(t, filler)
	// The log's last page has room left.
	page := os.Getpagesize()
	full := (len(logOf(t, v)) + page - 1) / page * page
	logMuch(t, v, proxy, 20)
	f.wantRight(t, v)
	if now := len(logOf(t, v)); now != full {
		t.Errorf("the log has %d bytes: with a full disk it should have %d", now, full)
	}
	wantMemoryBack(t, v, before)

	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, 20*time.Second, "the log goes on", func() string {
		logMuch(t, v, proxy, 1)
		if len(logOf(t, v)) <= full {
			return "not yet"
		}
		return ""
	})
	f.wantRight(t, v)
	v.Kill() // it holds a file of the disk
}

// fill writes until there is no room for another byte.
func fill(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for size := 1 << 16; size > 0; {
		n, err := file.Write(make([]byte, size))
		switch {
		case errors.Is(err, syscall.ENOSPC) || errors.Is(err, io.ErrShortWrite):
			if n == 0 {
				size /= 2
			}
		case err != nil:
			t.Fatal(err)
		}
	}
}
