// Package truth compares what a running vicinal answers with what the stock scheduler's
// own plugins answer about the same cluster.
package truth

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"vicinal/test/conformance/stock"
)

// The plugins that an extender in advise mode answers for, and their weight in the sum.
var plugins = []string{"PodTopologySpread", "InterPodAffinity"}

const weight = 2

// Extender is vicinal over HTTP or over gRPC.
type Extender interface {
	Filter(pod *corev1.Pod, nodes ...string) (int, *extenderv1.ExtenderFilterResult, error)
	Prioritize(pod *corev1.Pod, nodes ...string) (int, extenderv1.HostPriorityList, error)
}

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
// these objects, and how well, and returns what is not the same; see Ask.
func (o *Oracle) Differences(v Extender, objects []any, pod *corev1.Pod) ([]string, error) {
	answers, err := Ask(v, objects, pod)
	if err != nil {
		return nil, err
	}
	return o.Compare(objects, pod, answers)
}

// Answers are vicinal's.
type Answers struct {
	filter *extenderv1.ExtenderFilterResult
	scores extenderv1.HostPriorityList // of the nodes that fit
}

func (a *Answers) feasible() []string {
	if a.filter.NodeNames == nil {
		return nil
	}
	return *a.filter.NodeNames
}

// Ask asks vicinal about every node among the objects. It must be in advise mode, and the
// pod one that only the two plugins can refuse and that has no uid: nobody is about to
// place it. Error: an answer is missing.
func Ask(v Extender, objects []any, pod *corev1.Pod) (*Answers, error) {
	var nodes []string
	for _, object := range objects {
		if node, ok := object.(*corev1.Node); ok {
			nodes = append(nodes, node.Name)
		}
	}
	slices.Sort(nodes)
	a := &Answers{}
	var status int
	var err error
	if status, a.filter, err = v.Filter(pod, nodes...); err != nil || status != http.StatusOK {
		return nil, fmt.Errorf("filter: status %d, %w", status, err)
	}
	if len(a.feasible()) == 0 {
		return a, nil
	}
	if status, a.scores, err = v.Prioritize(pod, a.feasible()...); err != nil || status != http.StatusOK {
		return nil, fmt.Errorf("prioritize: status %d, %w", status, err)
	}
	return a, nil
}

// Compare asks the stock plugins the same and returns what is not the same.
func (o *Oracle) Compare(objects []any, pod *corev1.Pod, answers *Answers) ([]string, error) {
	c := &stock.Case{ID: json.RawMessage("0"), Pod: pod}
	if err := c.Cluster.Add(objects...); err != nil {
		return nil, err
	}
	want, err := o.scheduler.Answer(c)
	if err != nil {
		return nil, err
	}
	var differences []string
	add := func(format string, args ...any) { differences = append(differences, fmt.Sprintf(format, args...)) }
	got := answers.filter
	if got.Error != "" {
		add("filter: error %s", got.Error)
	}
	for _, node := range slices.Sorted(maps.Keys(want.Nodes)) {
		answer := stock.NodeResult{Code: "absent"}
		if slices.Contains(answers.feasible(), node) {
			answer.Code = "Success"
		} else if reason, ok := got.FailedNodes[node]; ok { // over gRPC
			answer = stock.NodeResult{Code: "UnschedulableAndUnresolvable", Reason: reason}
		} else if reason, ok := got.FailedAndUnresolvableNodes[node]; ok {
			answer = stock.NodeResult{Code: "UnschedulableAndUnresolvable", Reason: reason}
		}
		w := want.Nodes[node]
		if w.Code == "Unschedulable" {
			// Where preemption is of no use: server/listeners/extender/quiet_refusals.h.
			w.Code = "UnschedulableAndUnresolvable"
		}
		if answer.Code != w.Code || answer.Reason != w.Reason {
			add("%s: %s %q, stock %s %q", node, answer.Code, answer.Reason, w.Code, w.Reason)
		}
	}
	if len(differences) > 0 {
		return differences, nil
	}
	if len(answers.scores) != len(answers.feasible()) {
		add("prioritize: %d scores for %d nodes", len(answers.scores), len(answers.feasible()))
	}
	for _, score := range answers.scores {
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
