package main

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"vicinal/test/conformance/stock"
)

// scheduler says what the stock scheduler's plugins say. Safe for concurrent use.
type scheduler struct{ *stock.Scheduler }

// question is the cluster with one pod to place.
func question(c *cluster, pod *corev1.Pod) (*stock.Case, error) {
	q := &stock.Case{Pod: pod}
	for _, node := range c.nodes {
		if err := q.Cluster.Add(node); err != nil {
			return nil, err
		}
	}
	for _, namespace := range c.namespaces {
		if err := q.Cluster.Add(namespace); err != nil {
			return nil, err
		}
	}
	for _, owner := range c.owners {
		if err := q.Cluster.Add(owner); err != nil {
			return nil, err
		}
	}
	for _, other := range c.pods {
		if finished(other) {
			continue // the scheduler's watch does not have it
		}
		if err := q.Cluster.Add(other); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// places are the nodes that the pod could go to if it was not there, and those of them
// with the best score, sorted.
func (s scheduler) places(c *cluster, pod *corev1.Pod) (feasible, best []string, err error) {
	free := pod.DeepCopy()
	free.Spec.NodeName = ""
	free.DeletionTimestamp = nil
	q, err := question(c.without(pod), free)
	if err != nil {
		return nil, nil, err
	}
	answer, err := s.Answer(q)
	if err != nil {
		return nil, nil, err
	}
	top := int64(-1)
	for node, result := range answer.Nodes {
		if result.Code != "Success" {
			continue
		}
		feasible = append(feasible, node)
		top = max(top, answer.Totals[node])
	}
	slices.Sort(feasible)
	for _, node := range feasible {
		if answer.Totals[node] == top {
			best = append(best, node)
		}
	}
	return feasible, best, nil
}

// broken is the plugin that would keep the pod from the node where it is; "" if none
// would. That the node is cordoned or full since then breaks no rule.
func (s scheduler) broken(c *cluster, pod *corev1.Pod) (string, error) {
	return s.rejects(c, pod, pod.DeepCopy())
}

// about are the scheduler's plugins that look after what the strategies mend.
var about = map[string]string{antiAffinity: "InterPodAffinity", nodeAffinity: "NodeAffinity", nodeTaints: "TaintToleration", spread: "PodTopologySpread"}

// breaks says whether the rule that a strategy is about is broken by the pod where it is,
// whatever else is. A spread constraint says nothing about a pod on a node that it does
// not count, for the pod's node affinity or, if it honors them, for the node's taints.
func (s scheduler) breaks(c *cluster, pod *corev1.Pod, strategy string) (bool, error) {
	only := pod.DeepCopy()
	affinity := ptr.Deref(only.Spec.Affinity, corev1.Affinity{})
	everything := []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	switch strategy {
	case antiAffinity:
		only.Spec.Affinity = &corev1.Affinity{PodAffinity: affinity.PodAffinity, PodAntiAffinity: affinity.PodAntiAffinity}
		only.Spec.NodeSelector = nil
		only.Spec.Tolerations = everything
		only.Spec.TopologySpreadConstraints = nil
	case nodeAffinity:
		only.Spec.Tolerations = everything
	case spread:
		if !slices.ContainsFunc(only.Spec.TopologySpreadConstraints, func(t corev1.TopologySpreadConstraint) bool {
			return ptr.Deref(t.NodeTaintsPolicy, corev1.NodeInclusionPolicyIgnore) == corev1.NodeInclusionPolicyHonor
		}) {
			only.Spec.Tolerations = everything
		}
	}
	plugin, err := s.rejects(c, pod, only)
	return plugin == about[strategy], err
}

// count is the number of pods on nodes that break the rule of a strategy.
func (s scheduler) count(c *cluster, strategy string) (int, error) {
	count := 0
	for _, pod := range c.pods {
		if pod.Spec.NodeName == "" || pod.DeletionTimestamp != nil {
			continue
		}
		breaks, err := s.breaks(c, pod, strategy)
		if err != nil {
			return 0, err
		}
		if breaks {
			count++
		}
	}
	return count, nil
}

// rejects is the plugin that would keep the pod from its node with the rules of `with`.
func (s scheduler) rejects(c *cluster, pod, with *corev1.Pod) (string, error) {
	with.Spec.NodeName = ""
	with.DeletionTimestamp = nil
	for i := range with.Spec.Containers {
		with.Spec.Containers[i].Resources = corev1.ResourceRequirements{}
	}
	q, err := question(c.without(pod), with)
	if err != nil {
		return "", err
	}
	for _, node := range c.nodes {
		if node.Name == pod.Spec.NodeName {
			open := node.DeepCopy()
			open.Spec.Unschedulable = false
			open.Status.Allocatable[corev1.ResourcePods] = resource.MustParse("1000")
			if err := q.Cluster.Add(open); err != nil {
				return "", err
			}
		}
	}
	answer, err := s.Answer(q)
	if err != nil {
		return "", err
	}
	result, ok := answer.Nodes[pod.Spec.NodeName]
	if !ok {
		return "", fmt.Errorf("%s is on no node of the cluster", keyOf(pod))
	}
	return result.Plugin, nil
}

// allBroken are the pods on nodes that a plugin would keep from there, with the plugin.
func (s scheduler) allBroken(c *cluster) (map[string]string, error) {
	all := map[string]string{}
	for _, pod := range c.pods {
		if pod.Spec.NodeName == "" || pod.DeletionTimestamp != nil {
			continue
		}
		plugin, err := s.broken(c, pod)
		if err != nil {
			return nil, err
		}
		if plugin != "" {
			all[keyOf(pod)] = plugin
		}
	}
	return all, nil
}

// newlyBroken are the pods of after that are fine before, sorted. A pod that is only in
// after does not count.
func newlyBroken(before, after map[string]string, there *cluster) []string {
	var pods []string
	for _, key := range slices.Sorted(maps.Keys(after)) {
		if _, was := before[key]; !was && there.pod(key) != nil {
			pods = append(pods, key)
		}
	}
	return pods
}
