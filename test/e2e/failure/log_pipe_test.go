package failure

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"vicinal/test/e2e/harness"
)

// The log goes to a pipe, as in a container. Its reader hangs, reads again, and is gone.
func (f *fixture) logPipeFull(t *testing.T) {
	pipe := logPipeOfVicinal(t, f.cp.Run)
	proxy := harness.StartProxy(t, f.cp.URL)
	v := f.start(t, proxy.URL())
	before := v.Gauge(t, residentMemory)
	pipe.fill(t)
	logMuch(t, v, proxy, 10)
	f.wantRight(t, v)

	pipe.empty(t)
	harness.Eventually(t, 20*time.Second, "the log goes on", func() string {
		logMuch(t, v, proxy, 1)
		if pipe.empty(t) == 0 {
			return "not yet"
		}
		return ""
	})

	pipe.close(t)
	logMuch(t, v, proxy, 5)
	f.wantRight(t, v)
	wantMemoryBack(t, v, before)
}

// logPipe is the end that reads; it may write, too.
type logPipe int

// logPipeOfVicinal has vicinals that are started from now on in t and run log to a pipe.
func logPipeOfVicinal(t *testing.T, run *harness.Run) logPipe {
	t.Helper()
	name, wrapper := run.Path("log-pipe"), run.Path("vicinal-with-log-pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	end, err := syscall.Open(name, syscall.O_RDWR|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' \"$@\" 2>'%s'\n", harness.VicinalBinary(t), name)
	if err := os.WriteFile(wrapper, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	run.Vicinal = wrapper
	t.Cleanup(func() { run.Vicinal = "" })
	return logPipe(end)
}

func (p logPipe) fill(t *testing.T) {
	t.Helper()
	for size := 1 << 12; size > 0; {
		switch _, err := syscall.Write(int(p), make([]byte, size)); {
		case errors.Is(err, syscall.EAGAIN):
			size /= 2
		case err != nil:
			t.Fatal(err)
		}
	}
}

// empty reads all that is in the pipe; how many bytes that were.
func (p logPipe) empty(t *testing.T) int {
	t.Helper()
	buffer, total := make([]byte, 1<<16), 0
	for {
		switch n, err := syscall.Read(int(p), buffer); {
		case errors.Is(err, syscall.EAGAIN):
			return total
		case err != nil:
			t.Fatal(err)
		default:
			total += n
		}
	}
}

func (p logPipe) close(t *testing.T) {
	t.Helper()
	if err := syscall.Close(int(p)); err != nil {
		t.Fatal(err)
	}
}
