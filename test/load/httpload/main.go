// httpload posts the requests of a file over HTTP, in turn, with a number of workers that
// each keep a connection, and prints a report with the fields that test/load/ghz reads of
// ghz's.
//
//	httpload --url http://127.0.0.1:8891/filter --data-file questions.json --concurrency 4 --duration 10s
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

type detail struct {
	Latency time.Duration `json:"latency"`
}

type report struct {
	RPS     float64        `json:"rps"`
	Details []detail       `json:"details"`
	Codes   map[string]int `json:"statusCodeDistribution"`
}

func main() {
	url := flag.String("url", "", "where to post")
	file := flag.String("data-file", "", "a JSON list of bodies")
	concurrency := flag.Int("concurrency", 1, "workers")
	duration := flag.Duration("duration", 10*time.Second, "for how long")
	flag.Parse()
	if err := run(*url, *file, *concurrency, *duration); err != nil {
		fmt.Fprintln(os.Stderr, "httpload:", err)
		os.Exit(1)
	}
}

func run(url, file string, concurrency int, duration time.Duration) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var bodies []json.RawMessage
	if err := json.Unmarshal(text, &bodies); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if len(bodies) == 0 {
		return fmt.Errorf("%s: no bodies", file)
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: concurrency}}
	var next atomic.Uint64
	reports := make([]report, concurrency)
	var workers sync.WaitGroup
	start := time.Now()
	for i := range reports {
		workers.Go(func() {
			reports[i].Codes = map[string]int{}
			for time.Since(start) < duration {
				reports[i].post(client, url, bodies[next.Add(1)%uint64(len(bodies))])
			}
		})
	}
	workers.Wait()
	all := report{Codes: map[string]int{}}
	for _, r := range reports {
		all.Details = append(all.Details, r.Details...)
		for code, count := range r.Codes {
			all.Codes[code] += count
		}
	}
	all.RPS = float64(len(all.Details)) / time.Since(start).Seconds()
	return json.NewEncoder(os.Stdout).Encode(all)
}

// post asks once and counts the answer: "OK", or what went wrong.
func (r *report) post(client *http.Client, url string, body []byte) {
	start := time.Now()
	code := "OK"
	response, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err == nil {
		var answer []byte
		answer, err = io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != http.StatusOK || !bytes.Contains(answer, []byte(`"Error":""`)) {
			code = response.Status
		}
	}
	if err != nil {
		code = "no answer"
	}
	r.Details = append(r.Details, detail{time.Since(start)})
	r.Codes[code]++
}
