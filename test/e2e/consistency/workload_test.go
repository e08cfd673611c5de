package consistency

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vicinal/test/e2e/harness"
)

const (
	zones        = 10
	nodesPerZone = 3
	groupSize    = zones // a group that is anti-affine by zone just fits
)

func nodes() []runtime.Object {
	var nodes []runtime.Object
	for i := range zones * nodesPerZone {
		name := fmt.Sprintf("n%02d", i)
		nodes = append(nodes, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
				corev1.LabelHostname:     name,
				corev1.LabelTopologyZone: fmt.Sprintf("z%d", i%zones),
			}},
			Status: corev1.NodeStatus{
				Allocatable: corev1.ResourceList{
					corev1.ResourceCPU:    resource.MustParse("64"),
					corev1.ResourceMemory: resource.MustParse("256Gi"),
					corev1.ResourcePods:   resource.MustParse("500"),
				},
				Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			},
		})
	}
	return nodes
}

// workload is n pods in groups of ten, of which four in ten are anti-affine by host,
// four by zone, one is a chain and one is spread. They come in waves, and in each wave
// the pods of a group one after the other, where they are most in each other's way.
// Every pod can be placed: n is a multiple of 100.
func workload(n int) [waves][]*corev1.Pod {
	var groups [][]*corev1.Pod
	for g := range n / groupSize {
		app := fmt.Sprintf("g%d", g)
		switch g % 10 {
		case 0:
			groups = append(groups, chain(app))
		case 1:
			groups = append(groups, group(app, even))
		case 2, 3, 4, 5:
			groups = append(groups, group(app, aloneBy(corev1.LabelHostname)))
		default:
			groups = append(groups, group(app, aloneBy(corev1.LabelTopologyZone)))
		}
	}
	var pods [waves][]*corev1.Pod
	const size = groupSize / waves
	for wave := range waves {
		for _, group := range groups {
			pods[wave] = append(pods[wave], group[wave*size:(wave+1)*size]...)
		}
	}
	return pods
}

func group(app string, make func(app string) *corev1.Pod) []*corev1.Pod {
	var pods []*corev1.Pod
	for range groupSize {
		pods = append(pods, make(app))
	}
	return pods
}

// aloneBy: no two of them in one domain.
func aloneBy(key string) func(app string) *corev1.Pod {
	return func(app string) *corev1.Pod {
		pod := harness.PodOf(app)
		pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{harness.TermTo(app, key)},
		}}
		return pod
	}
}

// even: zones never differ by more than one.
func even(app string) *corev1.Pod {
	pod := harness.PodOf(app)
	pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: pod.Labels},
	}}
	return pod
}

// chain: all of them in one zone, and each beside the one before it. The first that
// is placed settles the zone for all.
func chain(app string) []*corev1.Pod {
	var pods []*corev1.Pod
	for i := range groupSize {
		pod := harness.PodOf(app)
		pod.Labels["link"] = strconv.Itoa(i / 2) // two at a time
		all := harness.TermTo(app, corev1.LabelTopologyZone)
		before := harness.TermTo(app, corev1.LabelTopologyZone)
		before.LabelSelector.MatchLabels["link"] = strconv.Itoa(i/2 - 1)
		terms := []corev1.PodAffinityTerm{all}
		if i/2 > 0 {
			terms = append(terms, before)
		}
		pod.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms}}
		pods = append(pods, pod)
	}
	return pods
}
