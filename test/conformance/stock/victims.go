//go:build !kubernetes_1_34 && !kubernetes_1_35 && !kubernetes_1_36

package stock

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
)

// Victims is whom the scheduler's default preemption would evict for the case's
// pod, most important first, for each node where that helps. Nodes where nobody
// has to go are not among them. Plugins named in without are switched off, as in
// a scheduler that leaves them to an extender.
func (s *Scheduler) Victims(c *Case, without ...string) (map[string][]*v1.Pod, error) {
	evictions, err := s.Evictions(c, nil, without...)
	victims := map[string][]*v1.Pod{}
	for node, eviction := range evictions {
		victims[node] = eviction.Pods
	}
	return victims, err
}

// Evictions are those of Victims with PodDisruptionBudgets: with how many violations of
// them.
func (s *Scheduler) Evictions(c *Case, budgets []*policyv1.PodDisruptionBudget, without ...string) (map[string]*extenderv1.Victims, error) {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	profile := s.defaultProfile.DeepCopy()
	profile.Plugins.MultiPoint.Enabled = slices.DeleteFunc(profile.Plugins.MultiPoint.Enabled, func(p config.Plugin) bool {
		return slices.Contains(without, p.Name)
	})
	w, err := s.build(ctx, &c.Cluster, profile)
	if err != nil {
		return nil, err
	}
	preemption, err := defaultpreemption.New(ctx, &config.DefaultPreemptionArgs{MinCandidateNodesPercentage: 100, MinCandidateNodesAbsolute: 1}, w.framework, feature.Features{})
	if err != nil {
		return nil, err
	}
	state := framework.NewCycleState()
	victims := map[string]*extenderv1.Victims{}
	preRes, status, _ := w.framework.RunPreFilterPlugins(ctx, state, c.Pod)
	if !status.IsSuccess() {
		return victims, nil
	}
	for _, node := range w.nodes {
		name := node.Node().Name
		if !preRes.AllNodes() && !preRes.NodeNames.Has(name) {
			continue
		}
		if w.framework.RunFilterPluginsWithNominatedPods(ctx, state, c.Pod, node).Code() != fwk.Unschedulable {
			continue // evictions are not looked for there
		}
		possible, err := preemption.Evaluator.GetVictimsOnNode(ctx, node)
		if err != nil {
			return nil, err
		}
		pods, violations, status := preemption.SelectVictimsOnNode(ctx, state.Clone(), c.Pod, node.Snapshot(), possible, budgets)
		if status.IsSuccess() && len(pods) > 0 {
			victims[name] = &extenderv1.Victims{Pods: pods, NumPDBViolations: int64(violations)}
		}
	}
	return victims, nil
}

// Without is what filtering says about a node for the case's pod once pods have gone.
func (s *Scheduler) Without(c *Case, node string, gone []*v1.Pod) (NodeResult, error) {
	less := *c
	less.Cluster.Pods = byName[v1.Pod]{}
	for _, pod := range c.Cluster.Pods.objects {
		if !slices.ContainsFunc(gone, func(g *v1.Pod) bool { return g.UID == pod.UID }) {
			less.Cluster.Pods.put(pod.Namespace+"/"+pod.Name, pod)
		}
	}
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	w, err := s.build(ctx, &less.Cluster, s.defaultProfile)
	if err != nil {
		return NodeResult{}, err
	}
	answer := &Answer{Nodes: map[string]NodeResult{}}
	w.filter(ctx, framework.NewCycleState(), c.Pod, answer)
	return answer.Nodes[node], nil
}

// Pods are those of the cluster.
func (c *Case) Pods() []*v1.Pod { return visible(c.Cluster.Pods.objects) }

// PodsOn are the pods that run on a node.
func (c *Case) PodsOn(node string) []*v1.Pod {
	return slices.DeleteFunc(visible(c.Cluster.Pods.objects), func(p *v1.Pod) bool { return p.Spec.NodeName != node })
}
