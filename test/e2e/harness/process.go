package harness

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Process is a program that was started by a test and dies with it.
type Process struct {
	Name string
	// LogFile has what it writes to stderr.
	LogFile string
	cmd     *exec.Cmd
	done    chan struct{} // closed once the process has been waited for
}

// startProcess starts a process that ends with t.
func startProcess(t testing.TB, run *Run, stdout io.Writer, bin string, name string, args ...string) *Process {
	t.Helper()
	p := launch(t, run, stdout, bin, name, args...)
	t.Cleanup(p.Kill)
	return p
}

// launch starts bin with its stderr, and its stdout unless stdout is given, in a log
// file of run. The process leads a process group of its own. The caller kills it; it
// is also killed when the test binary dies.
func launch(t testing.TB, run *Run, stdout io.Writer, bin string, name string, args ...string) *Process {
	t.Helper()
	log, err := os.Create(run.nextLog(name))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(bin, args...)
	cmd.Stderr = log
	cmd.Stdout = log
	if stdout != nil {
		cmd.Stdout = stdout
	}
	cmd.Dir = run.Dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	// A grandchild that holds the stdout pipe must not hold up Wait for ever.
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	p := &Process{Name: name, LogFile: log.Name(), cmd: cmd, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // the outcome is read from ProcessState
		close(p.done)
	}()
	return p
}

// Exited says whether the process has ended, by itself or not.
func (p *Process) Exited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Kill ends the process and its group at once (SIGKILL), as a crash would.
func (p *Process) Kill() {
	if p.Exited() {
		return
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.done
}

// Signal sends it a signal.
func (p *Process) Signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
}

// Terminate asks the process to end (SIGTERM) and returns its exit code.
func (p *Process) Terminate(timeout time.Duration) (int, error) {
	if p.Exited() {
		return p.cmd.ProcessState.ExitCode(), fmt.Errorf("%s had ended before: %s", p.Name, p.cmd.ProcessState)
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return -1, err
	}
	select {
	case <-p.done:
	case <-time.After(timeout):
		return -1, fmt.Errorf("%s still runs %v after SIGTERM", p.Name, timeout)
	}
	if !p.cmd.ProcessState.Exited() {
		return -1, errors.New(p.cmd.ProcessState.String())
	}
	return p.cmd.ProcessState.ExitCode(), nil
}

// CPUSeconds is the CPU time that it has used so far.
func (p *Process) CPUSeconds(t testing.TB) float64 {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	// proc(5): state, after the name in parentheses, is field 3; utime and stime are 14 and 15.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	var user, system float64
	if _, err := fmt.Sscan(string(fields[14-3])+" "+string(fields[15-3]), &user, &system); err != nil {
		t.Fatal(err)
	}
	const ticksPerSecond = 100 // USER_HZ
	return (user + system) / ticksPerSecond
}

// await waits until check returns "" and fails the test when that takes longer than
// timeout or when the process ends meanwhile.
func (p *Process) await(t testing.TB, timeout time.Duration, what string, check func() string) {
	t.Helper()
	Eventually(t, timeout, what, func() string {
		t.Helper()
		if p.Exited() {
			t.Fatalf("%s: %s has ended: %s", what, p.Name, p.cmd.ProcessState)
		}
		return check()
	})
}

// Ports are taken below the ephemeral range: a client that keeps dialling a
// closed ephemeral port of its own host can end up connected to itself, and the
// server that comes back cannot bind.
const (
	firstPort = 15000
	lastPort  = 31000
)

// nextPort is a number of ports beyond firstPort, and begins somewhere else in each process:
// tests of several packages run at a time, and a port is free until its server listens.
var nextPort atomic.Int64

func init() { nextPort.Store(rand.Int64N(lastPort - firstPort)) }

// FreePort is a loopback port that nobody listens on at the moment, for servers
// that have to be given one or that come back on the one they had. It gives none twice, but
// after all others.
func FreePort(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := firstPort + int(nextPort.Add(1)%(lastPort-firstPort))
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		l.Close()
		return port
	}
	t.Fatal("no free port")
	return 0
}

// PID is the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }
