package truth

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The world that random pods live in.
const (
	apps       = 20
	Namespaces = 3
)

// Namespace of that number.
func Namespace(i int) string { return fmt.Sprintf("team-%d", i) }

// RandomPod has the labels of some app, and rules about some apps. It requests nothing and
// tolerates everything: only the two plugins can refuse it. Its namespace is one of
// Namespaces, its name is not set.
func RandomPod(r *rand.Rand) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: Namespace(r.IntN(Namespaces)),
			Labels:    map[string]string{"app": appName(r), "tier": fmt.Sprintf("t%d", r.IntN(3))},
		},
		Spec: corev1.PodSpec{
			Containers:  []corev1.Container{{Name: "c", Image: "registry.example/app"}},
			Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
		},
	}
	switch r.IntN(8) {
	case 0:
		affinity(pod).PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms(r, corev1.LabelHostname)}
	case 1:
		affinity(pod).PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms(r, corev1.LabelTopologyZone)}
	case 2:
		affinity(pod).PodAffinity = &corev1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: preferred(r)}
	case 3:
		affinity(pod).PodAntiAffinity = &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: preferred(r)}
	case 4:
		pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{constraint(r, pod, corev1.DoNotSchedule)}
	case 5:
		pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{constraint(r, pod, corev1.ScheduleAnyway)}
	}
	return pod
}

func appName(r *rand.Rand) string { return fmt.Sprintf("a%d", r.IntN(apps)) }

func affinity(pod *corev1.Pod) *corev1.Affinity {
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &corev1.Affinity{}
	}
	return pod.Spec.Affinity
}

func terms(r *rand.Rand, topologyKey string) []corev1.PodAffinityTerm {
	term := corev1.PodAffinityTerm{
		TopologyKey: topologyKey,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": appName(r)}, MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "tier", Operator: metav1.LabelSelectorOpNotIn, Values: []string{fmt.Sprintf("t%d", r.IntN(3))}},
		}},
	}
	switch r.IntN(3) {
	case 0:
		term.Namespaces = []string{Namespace(r.IntN(Namespaces))}
	case 1:
		term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"stage": fmt.Sprintf("s%d", r.IntN(2))}}
	}
	return []corev1.PodAffinityTerm{term}
}

func preferred(r *rand.Rand) []corev1.WeightedPodAffinityTerm {
	key := corev1.LabelTopologyZone
	if r.IntN(2) == 0 {
		key = corev1.LabelHostname
	}
	return []corev1.WeightedPodAffinityTerm{{Weight: int32(1 + r.IntN(100)), PodAffinityTerm: terms(r, key)[0]}}
}

func constraint(r *rand.Rand, pod *corev1.Pod, when corev1.UnsatisfiableConstraintAction) corev1.TopologySpreadConstraint {
	key := corev1.LabelTopologyZone
	if r.IntN(2) == 0 {
		key = corev1.LabelHostname
	}
	return corev1.TopologySpreadConstraint{
		MaxSkew: int32(1 + r.IntN(3)), TopologyKey: key, WhenUnsatisfiable: when,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": pod.Labels["app"]}},
	}
}
