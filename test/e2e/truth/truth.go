// Package truth compares what a running vicinal answers with what the stock scheduler's
// own plugins answer about the same cluster.
package truth

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"vicinal/test/conformance/stock"
	"vicinal/test/e2e/harness"
)

// The plugins that an extender in advise mode answers for, and their weight in the sum.
var plugins = []string{"PodTopologySpread", "InterPodAffinity"}

const weight = 2

// Oracle runs the stock plugins. Not thread-safe.
type Oracle struct{ scheduler *stock.Scheduler }

// NewOracle makes one; it stops with ctx.
func NewOracle(ctx context.Context) (*Oracle, error) {
	scheduler, err := stock.NewScheduler(ctx)
	if err != nil {
		return nil, err
	}
	return &Oracle{scheduler}, nil
}

// Differences asks vicinal and the stock plugins where the pod can go in a cluster of
// these objects, and how well, and returns what is not the same. vicinal must be in
// advise mode, and the pod one that only the two plugins can refuse and that has no uid:
// nobody is about to place it. Error: an answer is missing.
func (o *Oracle) Differences(v *harness.Vicinal, objects []any, pod *corev1.Pod) ([]string, error) {
	c := &stock.Case{ID: json.RawMessage("0"), Pod: pod}
	if err := c.Cluster.Add(objects...); err != nil {
		return nil, err
	}
	want, err := o.scheduler.Answer(c)
	if err != nil {
		return nil, err
	}
	var nodes []string
	for node := range want.Nodes {
		nodes = append(nodes, node)
	}
	slices.Sort(nodes)
	status, got, err := v.Filter(pod, nodes...)
	if err != nil || status != http.StatusOK {
		return nil, fmt.Errorf("filter: status %d, %w", status, err)
	}
	var differences []string
	add := func(format string, args ...any) { differences = append(differences, fmt.Sprintf(format, args...)) }
	if got.Error != "" {
		add("filter: error %s", got.Error)
	}
	var feasible []string
	for _, node := range nodes {
		answer := stock.NodeResult{Code: "absent"}
		if got.NodeNames != nil && slices.Contains(*got.NodeNames, node) {
			answer.Code = "Success"
			feasible = append(feasible, node)
		} else if reason, ok := got.FailedNodes[node]; ok {
			answer = stock.NodeResult{Code: "Unschedulable", Reason: reason}
		} else if reason, ok := got.FailedAndUnresolvableNodes[node]; ok {
			answer = stock.NodeResult{Code: "UnschedulableAndUnresolvable", Reason: reason}
		}
		if w := want.Nodes[node]; answer.Code != w.Code || answer.Reason != w.Reason {
			add("%s: %s %q, stock %s %q", node, answer.Code, answer.Reason, w.Code, w.Reason)
		}
	}
	if len(feasible) == 0 || len(differences) > 0 {
		return differences, nil
	}
	status, scores, err := v.Prioritize(pod, feasible...)
	if err != nil || status != http.StatusOK {
		return nil, fmt.Errorf("prioritize: status %d, %w", status, err)
	}
	if len(scores) != len(feasible) {
		add("prioritize: %d scores for %d nodes", len(scores), len(feasible))
	}
	for _, score := range scores {
		var sum int64
		for _, plugin := range plugins {
			sum += weight * want.Scores[plugin][score.Host].Normalized
		}
		if score.Score != sum {
			add("%s: score %d, stock %d", score.Host, score.Score, sum)
		}
	}
	return differences, nil
}
