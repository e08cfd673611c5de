package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// usage looks each half second how much CPU time a process and its children have used, by
// the name of the program; the process itself has the name "".
type usage struct {
	done, stopped chan struct{}
	byPID         map[int]float64
	names         map[int]string
}

func watch(pid int) *usage {
	u := &usage{make(chan struct{}), make(chan struct{}), map[int]float64{}, map[int]string{pid: ""}}
	go func() {
		defer close(u.stopped)
		for {
			u.look(pid)
			select {
			case <-u.done:
				return
			case <-time.After(500 * time.Millisecond):
			}
		}
	}()
	return u
}

// stop returns the seconds by name. What a process has used since the last look is missing.
func (u *usage) stop() map[string]float64 {
	close(u.done)
	<-u.stopped
	sums := map[string]float64{}
	for pid, seconds := range u.byPID {
		sums[u.names[pid]] += seconds
	}
	return sums
}

func (u *usage) look(pid int) {
	name, seconds, ok := read(pid)
	if !ok {
		return
	}
	u.byPID[pid] = seconds
	if _, known := u.names[pid]; !known {
		u.names[pid] = name
	}
	tasks, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	for _, task := range tasks {
		children, err := os.ReadFile(task)
		if err != nil {
			continue // The thread has ended.
		}
		for _, child := range strings.Fields(string(children)) {
			if pid, err := strconv.Atoi(child); err == nil {
				u.look(pid)
			}
		}
	}
}

// nameOf is the name that the process of a program has.
func nameOf(program string) string {
	const limit = 15 // TASK_COMM_LEN less one
	name := filepath.Base(program)
	return name[:min(len(name), limit)]
}

// read returns the name of a process and its CPU time, as in proc(5); not ok: it has ended.
func read(pid int) (string, float64, bool) {
	const ticksPerSecond = 100
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", 0, false
	}
	text := string(stat)
	first, last := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	fields := strings.Fields(text[last+1:])
	user, _ := strconv.ParseFloat(fields[14-3], 64)
	system, _ := strconv.ParseFloat(fields[15-3], 64)
	return text[first+1 : last], (user + system) / ticksPerSecond, true
}
