package harness

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

// SixNodes are n1 to n6, two to a zone.
func SixNodes() []runtime.Object {
	var nodes []runtime.Object
	for i := range 6 {
		node := NodeOf(fmt.Sprintf("n%d", i+1))
		node.Labels[corev1.LabelTopologyZone] = fmt.Sprintf("z%d", i/2+1)
		nodes = append(nodes, node)
	}
	return nodes
}

// NodeOf is a node of 8 CPUs that is ready, in no zone.
func NodeOf(name string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
		Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{
				corev1.ResourceCPU:    resource.MustParse("8"),
				corev1.ResourceMemory: resource.MustParse("32Gi"),
				corev1.ResourcePods:   resource.MustParse("110"),
			},
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
}

// Requesting makes the pod ask for so much CPU.
func Requesting(cpu string, pod *corev1.Pod) *corev1.Pod {
	pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	return pod
}

// Beside makes the pod need a pod labelled app in its domain.
func Beside(app, topologyKey string, pod *corev1.Pod) *corev1.Pod {
	pod.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{TermTo(app, topologyKey)},
	}}
	return pod
}

// AwayFrom keeps the pod out of the domains of pods labelled app.
func AwayFrom(app, topologyKey string, pod *corev1.Pod) *corev1.Pod {
	pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{TermTo(app, topologyKey)},
	}}
	return pod
}

// HighPriority is the class of the pods that Important makes. All others have
// priority 0.
func HighPriority() runtime.Object {
	return &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000}
}

// Important gives the pod the priority of HighPriority.
func Important(pod *corev1.Pod) *corev1.Pod {
	pod.Spec.PriorityClassName = "high"
	return pod
}

// GoneAtOnce makes the pod end when it is deleted: there is no kubelet to end it.
func GoneAtOnce(pod *corev1.Pod) *corev1.Pod {
	pod.Spec.TerminationGracePeriodSeconds = ptr.To[int64](0)
	return pod
}

// PodOf is a pod without rules, labelled app.
func PodOf(app string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: app + "-", Namespace: metav1.NamespaceDefault, Labels: map[string]string{"app": app}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "registry.example/" + app}}},
	}
}

// RunningOn is a pod that is on its node already, past the scheduler.
func RunningOn(node string, pod *corev1.Pod) *corev1.Pod {
	pod.Spec.NodeName = node
	return pod
}

// TermTo selects the pods labelled app of the same namespace.
func TermTo(app, topologyKey string) corev1.PodAffinityTerm {
	return corev1.PodAffinityTerm{
		TopologyKey:   topologyKey,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
	}
}
