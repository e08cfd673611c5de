// Package stock answers scheduling questions by running the in-tree plugins of
// the pinned k8s.io/kubernetes release through its own scheduler framework. It
// is the specification that vicinal is compared with; it decides nothing itself.
package stock

import (
	"bytes"
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	kjson "sigs.k8s.io/json"
)

// Case is one line of a batch: a cluster, a pod to place in it, and optionally
// plugin arguments as in a KubeSchedulerConfiguration v1 profile.
type Case struct {
	ID           json.RawMessage
	Cluster      Cluster
	Pod          *v1.Pod
	PluginConfig json.RawMessage
}

// NodeResult is what filtering says about one node.
type NodeResult struct {
	Code   string `json:"code"`
	Plugin string `json:"plugin"`
	Reason string `json:"reason"`
}

// Score is a plugin's score of a node, before and after NormalizeScore, without
// the plugin's weight.
type Score struct {
	Raw        int64 `json:"raw"`
	Normalized int64 `json:"normalized"`
}

// Answer is one line of the answers. Its fields are in the order of the line
// format; encoding/json sorts the map keys.
type Answer struct {
	ID      json.RawMessage             `json:"id"`
	Nodes   map[string]NodeResult       `json:"nodes"`
	Scores  map[string]map[string]Score `json:"scores"`
	Totals  map[string]int64            `json:"totals"`
	Message string                      `json:"message"`

	// Trace is not part of the line; it serves the coverage table.
	Trace Trace `json:"-"`
}

// Trace is what the framework did on the way to an answer.
type Trace struct {
	// SkippedFilters and SkippedScores are the plugins whose PreFilter or
	// PreScore returned Skip.
	SkippedFilters, SkippedScores []string
	// DecidedByNomination maps a node that is rejected only because of pods
	// nominated to it to the plugin that rejects it.
	DecidedByNomination map[string]string
}

// BadLine is the answer to a line that is not a case.
type BadLine struct {
	ID    json.RawMessage `json:"id"`
	Error string          `json:"error"`
}

type caseLine struct {
	ID           json.RawMessage   `json:"id"`
	Objects      []json.RawMessage `json:"objects"`
	Pod          json.RawMessage   `json:"pod"`
	PluginConfig json.RawMessage   `json:"pluginConfig"`
}

// ParseCase reads one line. When it fails, the returned case still carries the
// id if that much could be read.
func ParseCase(line []byte) (*Case, error) {
	c := &Case{ID: json.RawMessage("null")}
	var raw caseLine
	if err := unmarshal(line, &raw); err != nil {
		var id struct {
			ID json.RawMessage `json:"id"`
		}
		if unmarshal(line, &id) == nil && id.ID != nil {
			c.ID = compact(id.ID)
		}
		return c, err
	}
	if raw.ID != nil {
		c.ID = compact(raw.ID)
	}
	if len(raw.Pod) == 0 || string(raw.Pod) == "null" {
		return c, fmt.Errorf("no pod")
	}
	if err := c.Cluster.decode(raw.Objects); err != nil {
		return c, err
	}
	c.Pod = &v1.Pod{}
	if err := unmarshal(raw.Pod, c.Pod); err != nil {
		return c, fmt.Errorf("pod: %w", err)
	}
	if err := admit(c.Pod); err != nil {
		return c, fmt.Errorf("pod: %w", err)
	}
	if string(raw.PluginConfig) != "null" {
		c.PluginConfig = raw.PluginConfig
	}
	return c, nil
}

// unmarshal reads JSON as the API machinery does: field names are case-sensitive.
func unmarshal(data []byte, into any) error {
	return kjson.UnmarshalCaseSensitivePreserveInts(data, into)
}

func compact(id json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if err := json.Compact(&out, id); err != nil {
		return json.RawMessage("null")
	}
	return out.Bytes()
}
