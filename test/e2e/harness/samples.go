package harness

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// SixNodes are n1 to n6, two to a zone.
func SixNodes() []runtime.Object {
	var nodes []runtime.Object
	for i := range 6 {
		name := fmt.Sprintf("n%d", i+1)
		nodes = append(nodes, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
				corev1.LabelHostname:     name,
				corev1.LabelTopologyZone: fmt.Sprintf("z%d", i/2+1),
			}},
			Status: corev1.NodeStatus{
				Allocatable: corev1.ResourceList{
					corev1.ResourceCPU:    resource.MustParse("8"),
					corev1.ResourceMemory: resource.MustParse("32Gi"),
					corev1.ResourcePods:   resource.MustParse("110"),
				},
				Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			},
		})
	}
	return nodes
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
