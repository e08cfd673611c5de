//go:build !kubernetes_1_34 && !kubernetes_1_35 && !kubernetes_1_36

package stock

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Place runs scheduling cycles of the pods, one after the other, in one scheduler: each is
// assumed on its best node, of equal ones the first, before the next one's turn. It
// returns their nodes, "" for a pod that fits nowhere or whose attempt ends with an error.
// The pods wait in the case's cluster.
func (s *Scheduler) Place(c *Case, pods []*v1.Pod) ([]string, error) {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	w, err := s.build(ctx, &c.Cluster, s.defaultProfile)
	if err != nil {
		return nil, err
	}
	logger := klog.FromContext(ctx)
	placed := make([]string, len(pods))
	for i, pod := range pods {
		if err := w.cache.UpdateSnapshot(logger, w.snapshot); err != nil {
			return nil, err
		}
		answer := &Answer{Nodes: map[string]NodeResult{}, Scores: map[string]map[string]Score{}, Totals: map[string]int64{}}
		state := framework.NewCycleState()
		if w.nodes, err = nodesByName(w.snapshot); err != nil {
			return nil, err
		}
		feasible := w.filter(ctx, state, pod, answer)
		switch {
		case len(feasible) == 1: // the scheduler does not score it
			placed[i] = feasible[0].Node().Name
		case len(feasible) > 1:
			w.score(ctx, state, pod, feasible, answer)
			for _, node := range feasible {
				if total, ok := answer.Totals[node.Node().Name]; ok && (placed[i] == "" || total > answer.Totals[placed[i]]) {
					placed[i] = node.Node().Name
				}
			}
		}
		if placed[i] == "" {
			continue
		}
		assumed := pod.DeepCopy()
		assumed.Spec.NodeName = placed[i]
		if err := w.cache.AssumePod(logger, assumed); err != nil {
			return nil, err
		}
	}
	return placed, nil
}
