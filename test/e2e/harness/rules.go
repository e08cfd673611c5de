package harness

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	resourcehelper "k8s.io/component-helpers/resource"
)

// BrokenRules looks at where pods run and names every hard rule that does not hold:
// required affinity and anti-affinity between pods, DoNotSchedule spread. It knows
// nothing of how a scheduler decides, and not all of the API: a rule that it cannot
// judge counts as broken.
//
// It judges the final state, which is right as long as pods were only added: each
// placement kept the skew and the minimum can only rise; only the first pod of a
// group can have been placed without the pod it needs.
func BrokenRules(pods []*corev1.Pod, nodes map[string]*corev1.Node) []string {
	var broken []string
	for _, pod := range pods {
		broken = append(broken, brokenRulesOf(pod, pods, nodes)...)
	}
	slices.Sort(broken)
	return broken
}

// BrokenRulesAround are those of one pod, and those of the others that it breaks.
func BrokenRulesAround(pod *corev1.Pod, pods []*corev1.Pod, nodes map[string]*corev1.Node) []string {
	if field := beyondJudgement(pod); field != "" {
		return []string{complaint(pod, "this check does not know "+field)}
	}
	return append(conflicts(pod, pods, nodes), lacks(pod, pods, nodes)...)
}

// Overcommitted says which nodes have not room for the requests of their pods.
func Overcommitted(pods []*corev1.Pod, nodes map[string]*corev1.Node) []string {
	used := map[string]corev1.ResourceList{}
	for _, pod := range pods {
		if nodes[pod.Spec.NodeName] == nil || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
			continue
		}
		sum := used[pod.Spec.NodeName]
		if sum == nil {
			sum = corev1.ResourceList{}
			used[pod.Spec.NodeName] = sum
		}
		requests := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
		requests[corev1.ResourcePods] = *resource.NewQuantity(1, resource.DecimalSI)
		for name, quantity := range requests {
			total := sum[name]
			total.Add(quantity)
			sum[name] = total
		}
	}
	var over []string
	for node, sum := range used {
		for name, total := range sum {
			if room := nodes[node].Status.Allocatable[name]; total.Cmp(room) > 0 {
				over = append(over, fmt.Sprintf("%s: %s %s of %s", node, name, total.String(), room.String()))
			}
		}
	}
	slices.Sort(over)
	return over
}

// conflicts are the anti-affinity rules that a placement breaks, its own and those of the
// pods that were placed before: no later binding can mend them.
func conflicts(pod *corev1.Pod, before []*corev1.Pod, nodes map[string]*corev1.Node) []string {
	broken := brokenAntiAffinity(pod, before, nodes)
	for _, other := range before {
		for _, term := range requiredAntiAffinity(other) {
			if len(neighbours(other, term, []*corev1.Pod{pod}, nodes)) > 0 {
				broken = append(broken, complaint(other, fmt.Sprintf("anti-affinity by %s to %s", term.TopologyKey, pod.Name)))
			}
		}
	}
	return broken
}

func complaint(pod *corev1.Pod, rule string) string {
	return fmt.Sprintf("%s/%s on %s: %s", pod.Namespace, pod.Name, pod.Spec.NodeName, rule)
}

func requiredAntiAffinity(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if affinity := pod.Spec.Affinity; affinity != nil && affinity.PodAntiAffinity != nil {
		return affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

func brokenRulesOf(pod *corev1.Pod, pods []*corev1.Pod, nodes map[string]*corev1.Node) []string {
	if pod.Spec.NodeName == "" {
		return nil
	}
	if field := beyondJudgement(pod); field != "" {
		return []string{complaint(pod, "this check does not know "+field)}
	}
	return append(brokenAntiAffinity(pod, pods, nodes), lacks(pod, pods, nodes)...)
}

func brokenAntiAffinity(pod *corev1.Pod, pods []*corev1.Pod, nodes map[string]*corev1.Node) []string {
	var broken []string
	for _, term := range requiredAntiAffinity(pod) {
		if others := neighbours(pod, term, pods, nodes); len(others) > 0 {
			broken = append(broken, complaint(pod, fmt.Sprintf("anti-affinity by %s to %s", term.TopologyKey, strings.Join(others, ", "))))
		}
	}
	return broken
}

// lacks are the broken rules of a pod that others could mend by being placed: affinity
// and spread.
func lacks(pod *corev1.Pod, pods []*corev1.Pod, nodes map[string]*corev1.Node) []string {
	var broken []string
	if affinity := pod.Spec.Affinity; affinity != nil && affinity.PodAffinity != nil {
		for _, term := range affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
			if len(neighbours(pod, term, pods, nodes)) == 0 && !isFirstOfItsGroup(pod, term, pods) {
				broken = append(broken, complaint(pod, fmt.Sprintf("no pod it needs in its %s", term.TopologyKey)))
			}
		}
	}
	for _, constraint := range pod.Spec.TopologySpreadConstraints {
		if constraint.WhenUnsatisfiable != corev1.DoNotSchedule {
			continue
		}
		if skew := skewOf(pod, constraint, pods, nodes); skew > constraint.MaxSkew {
			broken = append(broken, complaint(pod, fmt.Sprintf("skew %d by %s, at most %d allowed", skew, constraint.TopologyKey, constraint.MaxSkew)))
		}
	}
	return broken
}

// beyondJudgement names a field of the pod's rules that BrokenRules does not know.
func beyondJudgement(pod *corev1.Pod) string {
	var terms []corev1.PodAffinityTerm
	if affinity := pod.Spec.Affinity; affinity != nil {
		if affinity.PodAffinity != nil {
			terms = append(terms, affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
		}
		if affinity.PodAntiAffinity != nil {
			terms = append(terms, affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
		}
		if affinity.NodeAffinity != nil && len(pod.Spec.TopologySpreadConstraints) > 0 {
			return "nodeAffinity beside topologySpreadConstraints"
		}
	}
	for _, term := range terms {
		if term.NamespaceSelector != nil {
			return "namespaceSelector"
		}
	}
	for _, c := range pod.Spec.TopologySpreadConstraints {
		if len(pod.Spec.NodeSelector) > 0 {
			return "nodeSelector beside topologySpreadConstraints"
		}
		if c.MinDomains != nil || len(c.MatchLabelKeys) > 0 || c.NodeAffinityPolicy != nil || c.NodeTaintsPolicy != nil {
			return "minDomains, matchLabelKeys or an inclusion policy of topologySpreadConstraints"
		}
	}
	return ""
}

// neighbours are the other pods that the term selects and that run in the same
// domain as pod.
func neighbours(pod *corev1.Pod, term corev1.PodAffinityTerm, pods []*corev1.Pod, nodes map[string]*corev1.Node) []string {
	domain, ok := domainOf(pod, term.TopologyKey, nodes)
	if !ok {
		return nil
	}
	var found []string
	selected := selectorOf(term, pod.Namespace)
	for _, other := range pods {
		if other.UID == pod.UID || !selected(other) {
			continue
		}
		if otherDomain, ok := domainOf(other, term.TopologyKey, nodes); ok && otherDomain == domain {
			found = append(found, other.Name)
		}
	}
	return found
}

// isFirstOfItsGroup: a pod that asks for pods like itself may start the group.
func isFirstOfItsGroup(pod *corev1.Pod, term corev1.PodAffinityTerm, pods []*corev1.Pod) bool {
	return selects(term, pod.Namespace, pod) && !slices.ContainsFunc(pods, func(other *corev1.Pod) bool {
		return other.UID != pod.UID && other.Spec.NodeName != "" && selects(term, pod.Namespace, other)
	})
}

func selects(term corev1.PodAffinityTerm, ownNamespace string, other *corev1.Pod) bool {
	return selectorOf(term, ownNamespace)(other)
}

// selectorOf is for many pods.
func selectorOf(term corev1.PodAffinityTerm, ownNamespace string) func(*corev1.Pod) bool {
	namespaces := term.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{ownNamespace}
	}
	selector := parsed(term.LabelSelector)
	return func(other *corev1.Pod) bool {
		return slices.Contains(namespaces, other.Namespace) && selector.Matches(labels.Set(other.Labels))
	}
}

func skewOf(pod *corev1.Pod, constraint corev1.TopologySpreadConstraint, pods []*corev1.Pod, nodes map[string]*corev1.Node) int32 {
	counts := map[string]int32{}
	for _, node := range nodes {
		if domain, ok := node.Labels[constraint.TopologyKey]; ok {
			counts[domain] += 0
		}
	}
	selector := parsed(constraint.LabelSelector)
	for _, other := range pods {
		if other.Namespace != pod.Namespace || other.DeletionTimestamp != nil || !selector.Matches(labels.Set(other.Labels)) {
			continue
		}
		if domain, ok := domainOf(other, constraint.TopologyKey, nodes); ok {
			counts[domain]++
		}
	}
	own, ok := domainOf(pod, constraint.TopologyKey, nodes)
	if !ok {
		return constraint.MaxSkew + 1 // the key is required
	}
	lowest := counts[own]
	for _, count := range counts {
		lowest = min(lowest, count)
	}
	return counts[own] - lowest
}

func domainOf(pod *corev1.Pod, topologyKey string, nodes map[string]*corev1.Node) (string, bool) {
	node, ok := nodes[pod.Spec.NodeName]
	if !ok {
		return "", false
	}
	domain, ok := node.Labels[topologyKey]
	return domain, ok
}

func parsed(selector *metav1.LabelSelector) labels.Selector {
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		panic(err) // the API server refuses such pods
	}
	return parsed
}
