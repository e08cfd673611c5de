// Package answers is what both sides of the comparison write: what they answered
// and how long it took.
package answers

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

// Memory is the first line of a file: what the side needs to hold the cluster.
type Memory struct {
	Resident  int64 `json:"resident"`  // growth of VmRSS, in bytes
	Allocated int64 `json:"allocated"` // growth of the heap; only Go tells
	Pods      int64 `json:"pods"`
}

// Times of one question, in ms, each time that it was asked.
type Times struct {
	Question string    `json:"question"`
	Wall     []float64 `json:"wall"`
	CPU      []float64 `json:"cpu"` // of all threads that work on it
}

// Answer is about all nodes in the order of their names.
type Answer struct {
	// Verdicts are `code|plugin|reasons`, numbered by their first appearance.
	Verdicts []string `json:"verdicts"`
	Verdict  []int    `json:"verdict"`
	Error    string   `json:"error"`
	// Scores by plugin, without the plugins that had nothing to say, of the nodes
	// that were scored.
	Raw        map[string][]int64 `json:"raw"`
	Normalized map[string][]int64 `json:"normalized"`
	Totals     []int64            `json:"totals"`
}

// Feasible is how many nodes passed the filters.
func (a *Answer) Feasible() int {
	count := 0
	for _, v := range a.Verdict {
		if a.Verdicts[v] == "Success||" {
			count++
		}
	}
	return count
}

// Difference says where two answers differ first, or "".
func Difference(stock, vicinal *Answer) string {
	if stock.Error != vicinal.Error {
		return fmt.Sprintf("error %q, vicinal %q", stock.Error, vicinal.Error)
	}
	if len(stock.Verdict) != len(vicinal.Verdict) {
		return fmt.Sprintf("%d verdicts, vicinal %d", len(stock.Verdict), len(vicinal.Verdict))
	}
	for i := range stock.Verdict {
		if s, v := stock.Verdicts[stock.Verdict[i]], vicinal.Verdicts[vicinal.Verdict[i]]; s != v {
			return fmt.Sprintf("node %d: %q, vicinal %q", i, s, v)
		}
	}
	for _, scores := range []struct {
		what           string
		stock, vicinal map[string][]int64
	}{
		{"raw", stock.Raw, vicinal.Raw}, {"normalized", stock.Normalized, vicinal.Normalized},
		{"total", map[string][]int64{"": stock.Totals}, map[string][]int64{"": vicinal.Totals}},
	} {
		if s, v := slices.Sorted(maps.Keys(scores.stock)), slices.Sorted(maps.Keys(scores.vicinal)); !slices.Equal(s, v) {
			return fmt.Sprintf("%s scores by %q, vicinal by %q", scores.what, s, v)
		}
		for plugin, s := range scores.stock {
			v := scores.vicinal[plugin]
			if len(s) != len(v) {
				return fmt.Sprintf("%d %s scores, vicinal %d", len(s), scores.what, len(v))
			}
			for i := range s {
				if s[i] != v[i] {
					return fmt.Sprintf("scored node %d: %s %s score %d, vicinal %d", i, scores.what, plugin, s[i], v[i])
				}
			}
		}
	}
	return ""
}

// Reader reads a file: Memory first, then Times and Answer of each question.
type Reader struct {
	file    *os.File
	decoder *json.Decoder
}

// Open starts to read a file.
func Open(path string) (*Reader, *Memory, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	r := &Reader{file, json.NewDecoder(bufio.NewReaderSize(file, 1<<20))}
	memory := &Memory{}
	if err := r.decoder.Decode(memory); err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, memory, nil
}

// Next question; io.EOF after the last.
func (r *Reader) Next() (*Times, *Answer, error) {
	times, answer := &Times{}, &Answer{}
	if err := r.decoder.Decode(times); err != nil {
		return nil, nil, err
	}
	if err := r.decoder.Decode(answer); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, nil, err
	}
	return times, answer, nil
}

// Close ends reading.
func (r *Reader) Close() error { return r.file.Close() }
