package churn

import (
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vicinal/test/e2e/harness"
	"vicinal/test/e2e/truth"
)

// cluster is where vicinal has its knowledge from. Each function changes one object, and
// all but settle may be called at the same time, for different objects.
type cluster interface {
	createNode(*corev1.Node) error
	createNamespace(*corev1.Namespace) error
	createPod(*corev1.Pod) error
	createService(*corev1.Service) error
	// zone is empty if the node is to be in none.
	moveNode(name, zone string) error
	relabelNamespace(name, stage string) error
	relabelPod(pod types.NamespacedName, tier string) error
	deletePod(pod types.NamespacedName) error
	deleteService(namespace, name string) error
	// settle is called while nothing changes. It waits until vicinal knows of everything
	// before, and returns all objects.
	settle(t *testing.T, v *harness.Vicinal) []any
}

// populate creates the nodes and namespaces.
func populate(t *testing.T, c cluster) {
	t.Helper()
	for i := range nodes {
		if err := c.createNode(node(i)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range truth.Namespaces {
		if err := c.createNamespace(namespace(truth.Namespace(i))); err != nil {
			t.Fatal(err)
		}
	}
}

func node(i int) *corev1.Node {
	name := fmt.Sprintf("node-%d", i)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			corev1.LabelHostname: name, corev1.LabelTopologyZone: fmt.Sprintf("zone-%d", i%5),
		}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("256Gi"),
			corev1.ResourcePods: resource.MustParse("100000"),
		}},
	}
}

func namespace(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"stage": "s0"}}}
}

// marker is a pod whose change shows how far somebody has come.
func marker() *corev1.Pod {
	pod := harness.PodOf("marker")
	pod.GenerateName, pod.Name, pod.Namespace = "", "marker", "default"
	return harness.RunningOn("node-0", pod)
}

func service(name, namespace string, app int) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: corev1.ServiceSpec{
			ClusterIP: corev1.ClusterIPNone, Selector: map[string]string{"app": fmt.Sprintf("a%d", app)},
			Ports: []corev1.ServicePort{{Port: 80}},
		},
	}
}

func replicaSet(name, namespace string, app int) *appsv1.ReplicaSet {
	labels := map[string]string{"app": fmt.Sprintf("a%d", app)}
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: appsv1.ReplicaSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "registry.example/app"}}},
			},
		},
	}
}
