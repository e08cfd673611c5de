// Command reference runs the real descheduler, whole, on the clusters of its standard
// input: one JSON object per line with a cluster and a policy, one line back with what it
// evicts in one run. The API server is client-go's fake one, as in the descheduler's own
// tests; it records evictions and deletes nothing, so that pods stay while the run lasts,
// as terminating pods do.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"sync"

	"k8s.io/klog/v2"
	"sigs.k8s.io/descheduler/pkg/descheduler"
)

// question is one line of the input.
type question struct {
	ID      string            `json:"id"`
	Objects []json.RawMessage `json:"objects"`
	// Policy is the policy file's content.
	Policy string `json:"policy"`
}

// answer is one line of the output.
type answer struct {
	ID string `json:"id"`
	// Evicted pods as namespace/name, in the order of their evictions.
	Evicted []string `json:"evicted"`
	// Evictable are the pods that the first profile's evictor lets go.
	Evictable []string `json:"evictable"`
	Error     string   `json:"error,omitempty"`
}

func main() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	descheduler.SetupPlugins()
	if err := serve(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// serve answers lines side by side, in any order: a run mostly waits for its informers.
func serve(in io.Reader, out io.Writer) error {
	var (
		writing  sync.Mutex
		encoder  = json.NewEncoder(out)
		running  = make(chan struct{}, 16)
		answers  sync.WaitGroup
		scanner  = bufio.NewScanner(in)
		failures error
	)
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		var q question
		if err := json.Unmarshal(scanner.Bytes(), &q); err != nil {
			return fmt.Errorf("a line that is no question: %w", err)
		}
		running <- struct{}{}
		answers.Go(func() {
			defer func() { <-running }()
			a, err := run(context.Background(), q)
			a.ID = q.ID
			if err != nil {
				a.Error = err.Error()
			}
			writing.Lock()
			defer writing.Unlock()
			if err := encoder.Encode(a); err != nil {
				failures = err
			}
		})
	}
	answers.Wait()
	if failures != nil {
		return failures
	}
	return scanner.Err()
}
