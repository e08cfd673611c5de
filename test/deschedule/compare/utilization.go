package main

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// aboutUtilization are the strategies about how full nodes are.
var aboutUtilization = map[string]bool{lowUtilization: true, highUtilization: true}

// noFuller is why vicinal leaves a pod that the descheduler would evict, which does not ask
// where the scheduler would place it.
const noFuller = "less: where the scheduler would place the pod, nodes are as much above the targets, or no emptier"

// drawUtilization draws thresholds of cpu and pods.
func (p *policy) drawUtilization(d dice) {
	p.thresholds = map[corev1.ResourceName]float64{corev1.ResourceCPU: float64(10 + d.IntN(40))}
	if d.chance(40) {
		p.thresholds[corev1.ResourcePods] = float64(10 + d.IntN(30))
	}
	line := func(name string, of map[corev1.ResourceName]float64) {
		var fields []string
		for _, resource := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourcePods} {
			if value, ok := of[resource]; ok {
				fields = append(fields, fmt.Sprintf("%s: %v", resource, value))
			}
		}
		p.args = append(p.args, fmt.Sprintf("%s: {%s}", name, strings.Join(fields, ", ")))
	}
	line("thresholds", p.thresholds)
	if p.strategy == lowUtilization {
		p.targets = map[corev1.ResourceName]float64{}
		for name, low := range p.thresholds {
			p.targets[name] = low + float64(d.IntN(30))
		}
		line("targetThresholds", p.targets)
		if p.deviation = d.chance(20); p.deviation {
			p.args = append(p.args, "useDeviationThresholds: true")
		}
	}
	if d.chance(20) {
		p.numberOfNodes = 1
		p.args = append(p.args, "numberOfNodes: 1")
	}
	if d.chance(15) {
		p.args = append(p.args, "evictableNamespaces: {exclude: [billing]}")
	}
}

// usage of a node's resources in percent.
func usage(c *cluster, node *corev1.Node) map[corev1.ResourceName]float64 {
	cpu, pods := int64(0), 0
	for _, pod := range c.pods {
		if pod.Spec.NodeName != node.Name {
			continue
		}
		pods++
		for _, container := range pod.Spec.Containers {
			cpu += container.Resources.Requests.Cpu().MilliValue()
		}
	}
	return map[corev1.ResourceName]float64{
		corev1.ResourceCPU:  float64(cpu) / float64(node.Status.Allocatable.Cpu().MilliValue()) * 100,
		corev1.ResourcePods: float64(pods) / float64(node.Status.Allocatable.Pods().Value()) * 100,
	}
}

// excess is what a strategy is to make less: the percents above the targets of all nodes,
// or the pods on nodes that are underutilized.
func excess(c *cluster, p policy) float64 {
	usages := map[string]map[corev1.ResourceName]float64{}
	average := map[corev1.ResourceName]float64{}
	for _, node := range c.nodes {
		usages[node.Name] = usage(c, node)
		for name, percent := range usages[node.Name] {
			average[name] += percent / float64(len(c.nodes))
		}
	}
	sum := 0.0
	for _, node := range c.nodes {
		if p.strategy == highUtilization {
			if slices.ContainsFunc([]corev1.ResourceName{corev1.ResourceCPU, corev1.ResourcePods}, func(name corev1.ResourceName) bool {
				threshold, ok := p.thresholds[name]
				return ok && usages[node.Name][name] > threshold
			}) {
				continue
			}
			sum += usages[node.Name][corev1.ResourcePods] // all nodes have room for as many
			continue
		}
		for name, target := range p.targets {
			if p.deviation {
				target = min(100, average[name]+target)
			}
			sum += max(0, usages[node.Name][name]-target)
		}
	}
	return sum
}

// lessExcess tells whether it is less by more than what is lost in adding.
func lessExcess(before, after *cluster, p policy) bool {
	return excess(after, p) < excess(before, p)-1e-6
}
