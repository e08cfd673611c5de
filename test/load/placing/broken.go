package placing

import (
	v1 "k8s.io/api/core/v1"

	"vicinal/test/bench/cluster"
	"vicinal/test/e2e/harness"
)

// Broken says which rules of some of the pods do not hold, or which of the others' they
// break, and which nodes have more pods than room.
func Broken(c *cluster.Cluster, all, some []*v1.Pod) []string {
	nodes := map[string]*v1.Node{}
	for _, node := range c.Nodes {
		nodes[node.Name] = node
	}
	byNamespace := map[string][]*v1.Pod{} // all rules here are about the own one
	for _, pod := range all {
		byNamespace[pod.Namespace] = append(byNamespace[pod.Namespace], pod)
	}
	broken := harness.Overcommitted(all, nodes)
	for _, pod := range some {
		broken = append(broken, harness.BrokenRulesAround(pod, byNamespace[pod.Namespace], nodes)...)
	}
	return broken
}
