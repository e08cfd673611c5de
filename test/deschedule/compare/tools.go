package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// reference is a running test/deschedule/reference, the real descheduler.
type reference struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	done    chan error

	mu      sync.Mutex
	asked   int                             // guarded by mu
	waiting map[string]chan referenceAnswer // guarded by mu; by question
	ended   error                           // guarded by mu
}

type referenceAnswer struct {
	ID        string   `json:"id"`
	Evicted   []string `json:"evicted"`
	Evictable []string `json:"evictable"`
	Error     string   `json:"error"`
}

func startReference(path string) (*reference, error) {
	r := &reference{command: exec.Command(path), done: make(chan error, 1), waiting: map[string]chan referenceAnswer{}}
	r.command.Stderr = os.Stderr
	var err error
	if r.stdin, err = r.command.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := r.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := r.command.Start(); err != nil {
		return nil, err
	}
	go r.read(stdout)
	return r, nil
}

func (r *reference) read(stdout io.Reader) {
	scanner := bufio.NewScanner(stdout)
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		var answer referenceAnswer
		if err := json.Unmarshal(scanner.Bytes(), &answer); err != nil {
			answer.Error = err.Error()
		}
		r.mu.Lock()
		if to := r.waiting[answer.ID]; to != nil {
			to <- answer
		}
		delete(r.waiting, answer.ID)
		r.mu.Unlock()
	}
	r.mu.Lock()
	r.ended = errors.Join(errors.New("the reference has ended"), scanner.Err())
	for _, to := range r.waiting {
		close(to)
	}
	r.mu.Unlock()
	r.done <- r.command.Wait()
}

// run is one run of the descheduler. Safe for concurrent use.
func (r *reference) run(c *cluster, p policy) (referenceAnswer, error) {
	objects, err := c.objects()
	if err != nil {
		return referenceAnswer{}, err
	}
	answer := make(chan referenceAnswer, 1)
	r.mu.Lock()
	if r.ended != nil {
		r.mu.Unlock()
		return referenceAnswer{}, r.ended
	}
	r.asked++
	id := fmt.Sprint(r.asked)
	r.waiting[id] = answer
	line, err := json.Marshal(map[string]any{"id": id, "objects": objects, "policy": p.file()})
	if err == nil {
		_, err = r.stdin.Write(append(line, '\n'))
	}
	r.mu.Unlock()
	if err != nil {
		return referenceAnswer{}, err
	}
	a, ok := <-answer
	switch {
	case !ok:
		return a, errors.New("the reference has ended without an answer")
	case a.Error != "":
		return a, fmt.Errorf("the reference: %s", a.Error)
	}
	return a, nil
}

// stop ends the process and says how it ended.
func (r *reference) stop() error {
	r.stdin.Close()
	return <-r.done
}

// plan is what `vicinal deschedule -o json` prints.
type plan struct {
	Evictions []struct{ Pod, Node, Destination, Strategy, Reason string }
	Kept      []struct{ Pod, Node, Strategy, Reason string }
	Before    cost
	After     cost
}

type cost struct{ HardViolations, PodsToReplace, Skew, Utilization, SoftScore int64 }

// vicinal runs the real binary.
type vicinal struct{ path string }

func (v vicinal) plan(c *cluster, p policy) (plan, error) {
	dump, err := c.dump()
	if err != nil {
		return plan{}, err
	}
	dir, err := os.MkdirTemp("", "vicinal-deschedule-")
	if err != nil {
		return plan{}, err
	}
	defer os.RemoveAll(dir)
	clusterFile, policyFile := filepath.Join(dir, "cluster.json"), filepath.Join(dir, "policy.yaml")
	if err := errors.Join(os.WriteFile(clusterFile, dump, 0o600), os.WriteFile(policyFile, []byte(p.vicinalFile()), 0o600)); err != nil {
		return plan{}, err
	}
	command := exec.Command(v.path, "deschedule", "--cluster-file", clusterFile, "--policy", policyFile, "-o", "json")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		return plan{}, fmt.Errorf("vicinal: %w\n%s", err, &stderr)
	}
	var result plan
	if err := json.Unmarshal(output, &result); err != nil {
		return plan{}, fmt.Errorf("vicinal's answer: %w\n%s", err, output)
	}
	return result, nil
}
