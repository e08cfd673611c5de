package badinput

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"sigs.k8s.io/yaml"
)

// clusterFile is a List as kubectl prints it: n1 and n2 in zone z1, n3 in z2, and a
// pod of app db on n1.
func clusterFile(t *testing.T) string {
	t.Helper()
	var items []any
	for name, zone := range map[string]string{"n1": "z1", "n2": "z1", "n3": "z2"} {
		items = append(items, &corev1.Node{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name, "zone": zone}},
		})
	}
	items = append(items,
		&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "shop"}},
		&corev1.Pod{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
			ObjectMeta: metav1.ObjectMeta{Name: "db-0", Namespace: "shop", UID: "db-0", Labels: map[string]string{"app": "db"}},
			Spec:       corev1.PodSpec{NodeName: "n1", Containers: []corev1.Container{{Name: "c", Image: "i"}}},
		})
	content, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		t.Fatal(err)
	}
	return write(t, "cluster.json", content)
}

func clusterFileInYAML(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(clusterFile(t))
	if err != nil {
		t.Fatal(err)
	}
	if content, err = yaml.JSONToYAML(content); err != nil {
		t.Fatal(err)
	}
	return write(t, "cluster.yaml", content)
}

func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func plainPod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web-0", Namespace: "shop", UID: "web-0", Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
}

func awayFromDB() *corev1.Pod {
	pod := plainPod()
	pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey: "zone", LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}},
		}},
	}}
	return pod
}

// invalidSelector has an operator that does not exist.
func invalidSelector() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Near", Values: []string{"db"}}}}
}

func filterBody(t *testing.T, pod *corev1.Pod, nodes ...string) string {
	t.Helper()
	body, err := json.Marshal(extenderv1.ExtenderArgs{Pod: pod, NodeNames: &nodes})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
