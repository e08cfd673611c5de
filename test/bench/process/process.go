// Package process runs the programs that are measured. They die with this one.
package process

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

func command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// Output runs a program to its end and returns what it prints.
func Output(name string, args ...string) ([]byte, error) {
	output, err := command(name, args...).Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return output, nil
}

// Server is a running program that has printed its first line.
type Server struct {
	FirstLine string
	cmd       *exec.Cmd
}

// Start starts a server and waits for its first line.
func Start(name string, args ...string) (*Server, error) {
	s := &Server{cmd: command(name, args...)}
	s.cmd.Env = append(os.Environ(), "GLOG_minloglevel=1") // warnings and errors
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	if s.FirstLine, err = bufio.NewReader(stdout).ReadString('\n'); err != nil {
		s.Kill()
		return nil, fmt.Errorf("%s ended before it said anything: %w", filepath.Base(name), err)
	}
	return s, nil
}

// Kill ends the server and waits for its end.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill() // it may have ended by itself
	_ = s.cmd.Wait()         // says only that it was killed
}

// Usage is the CPU time of the server so far in seconds, and its VmRSS in bytes.
func (s *Server) Usage() (float64, int, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	// After the name in parentheses: state is field 3 of proc(5).
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	ticks := 0
	for _, field := range []int{14, 15} { // utime, stime
		n, err := strconv.Atoi(fields[field-3])
		if err != nil {
			return 0, 0, err
		}
		ticks += n
	}
	pages, err := strconv.Atoi(fields[24-3])
	if err != nil {
		return 0, 0, err
	}
	const ticksPerSecond = 100 // USER_HZ
	return float64(ticks) / ticksPerSecond, pages * os.Getpagesize(), nil
}
