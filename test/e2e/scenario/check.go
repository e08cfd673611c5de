package scenario

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vicinal/test/e2e/harness"
)

// unhelpful is what the scheduler writes about preemption.
var unhelpful = regexp.MustCompile(`(preemption: 0/(\d+) nodes are available:).*`)

// noClaims is what DynamicResources adds about every pod without claims, up to 1.36.
const noClaims = " no new claims to deallocate,"

// problem is "" when the pods are as expected. before are the placements before the
// step; with an extender no eviction helps (server/listeners/extender/quiet_refusals.h).
func (e *Expectation) problem(pods []*corev1.Pod, nodes map[string]*corev1.Node, before map[string]string, extender bool) string {
	var running, pending []*corev1.Pod
	for _, pod := range e.Pods.of(pods) {
		if pod.Spec.NodeName == "" {
			pending = append(pending, pod)
		} else {
			running = append(running, pod)
		}
	}
	if len(running) != e.Running || len(pending) != e.Pending {
		return fmt.Sprintf("%v: %d running and %d pending, want %d and %d", e.Pods.Labels, len(running), len(pending), e.Running, e.Pending)
	}
	for _, pod := range pending {
		want := e.Message.text()
		if extender {
			want = unhelpful.ReplaceAllString(want, "$1 $2 Preemption is not helpful for scheduling.")
		}
		if got := strings.Replace(harness.PendingMessage(pod), noClaims, "", 1); got != want {
			return fmt.Sprintf("%s is pending with\n  %q, want\n  %q", pod.Name, got, want)
		}
	}
	if e.Unmoved {
		for _, pod := range running {
			if was := before[pod.Namespace+"/"+pod.Name]; was != pod.Spec.NodeName {
				return fmt.Sprintf("%s is on %s and was on %q, but nothing moves", pod.Name, pod.Spec.NodeName, was)
			}
		}
	}
	for _, where := range e.Where {
		if problem := where.problem(running, pods, nodes); problem != "" {
			return fmt.Sprintf("%v: %s", e.Pods.Labels, problem)
		}
	}
	return ""
}

func (m *Message) text() string { return m.Reasons + " preemption: " + m.Preemption }

func (s *PodSet) of(pods []*corev1.Pod) []*corev1.Pod {
	selector := labels.SelectorFromSet(s.Labels)
	var found []*corev1.Pod
	for _, pod := range pods {
		if pod.Namespace == s.Namespace && selector.Matches(labels.Set(pod.Labels)) {
			found = append(found, pod)
		}
	}
	return found
}

func (w *Where) problem(running, all []*corev1.Pod, nodes map[string]*corev1.Node) string {
	got := perDomain(running, w.TopologyKey, nodes)
	switch {
	case w.Beside != nil:
		others := perDomain(w.Beside.of(all), w.TopologyKey, nodes)
		for domain := range got {
			if others[domain] == 0 {
				return fmt.Sprintf("by %s in %v, where none of %v is (%v)", w.TopologyKey, got, w.Beside.Labels, others)
			}
		}
	case len(w.Counts) > 0:
		if !slices.Equal(slices.Sorted(maps.Values(got)), slices.Sorted(slices.Values(w.Counts))) {
			return fmt.Sprintf("by %s %v, want counts %v", w.TopologyKey, got, w.Counts)
		}
	default:
		if !slices.ContainsFunc(w.OneOf, func(want map[string]int) bool { return maps.Equal(got, want) }) {
			return fmt.Sprintf("by %s %v, want one of %v", w.TopologyKey, got, w.OneOf)
		}
	}
	return ""
}

// perDomain counts running pods. A node without the key is in a domain of its own
// name in brackets, so that it never equals what a scenario expects.
func perDomain(pods []*corev1.Pod, topologyKey string, nodes map[string]*corev1.Node) map[string]int {
	counts := map[string]int{}
	for _, pod := range pods {
		if pod.Spec.NodeName == "" {
			continue
		}
		domain := "[" + pod.Spec.NodeName + "]"
		if node, ok := nodes[pod.Spec.NodeName]; ok {
			if value, ok := node.Labels[topologyKey]; ok {
				domain = value
			}
		}
		counts[domain]++
	}
	return counts
}
