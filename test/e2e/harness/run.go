// Package harness starts the real parts a scheduling test needs - etcd,
// kube-apiserver, kube-scheduler, vicinal - as plain processes on loopback, and
// plays the parts that are missing: workload controllers and kubelets.
//
// Everything it starts belongs to a test and ends with it, also when the test
// binary itself is killed.
package harness

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// How much of each process log a failed test prints.
const logTailBytes = 6000

// Run is the working folder of a test and of its subtests: logs, keys, data.
type Run struct {
	Dir string
	// Vicinal is what StartVicinal starts; VicinalBinary if it is empty.
	Vicinal string
	// logs counts the log files, so that each start of a process has its own.
	logs int
}

// NewRun makes the folder. When t fails, the folder stays and the tails of the
// logs in it are printed; otherwise it is removed.
func NewRun(t testing.TB) *Run {
	t.Helper()
	dir, err := os.MkdirTemp("", "vicinal-e2e-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !t.Failed() {
			if err := os.RemoveAll(dir); err != nil {
				t.Error(err)
			}
			return
		}
		t.Logf("everything this run wrote stays in %s", dir)
		printTails(t, dir)
	})
	return &Run{Dir: dir}
}

// Path is a file of this run.
func (r *Run) Path(name string) string { return filepath.Join(r.Dir, name) }

// nextLog names a log file that does not exist yet.
func (r *Run) nextLog(process string) string {
	r.logs++
	return r.Path(fmt.Sprintf("%02d-%s.log", r.logs, process))
}

func printTails(t testing.TB, dir string) {
	logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		t.Error(err)
	}
	for _, log := range logs {
		b, err := os.ReadFile(log)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(b) > logTailBytes {
			b = b[len(b)-logTailBytes:]
			if i := bytes.IndexByte(b, '\n'); i >= 0 {
				b = b[i+1:]
			}
		}
		t.Logf("--- end of %s\n%s", log, b)
	}
}

// How often a condition is looked at again.
const pollInterval = 20 * time.Millisecond

// Eventually waits until check returns "", and fails the test with what check
// said last if that takes longer than timeout.
func Eventually(t testing.TB, timeout time.Duration, what string, check func() string) {
	t.Helper()
	deadline := time.Now().Add(timeout)
	for {
		problem := check()
		if problem == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v: %s", what, timeout, problem)
		}
		time.Sleep(pollInterval)
	}
}
