package harness

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

func zoneNodes() map[string]*corev1.Node {
	nodes := map[string]*corev1.Node{}
	for name, zone := range map[string]string{"n1": "z1", "n2": "z1", "n3": "z2"} {
		nodes[name] = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"zone": zone}}}
	}
	return nodes
}

func runningPod(name, app, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Namespace: "ns", Labels: map[string]string{"app": app}},
		Spec:       corev1.PodSpec{NodeName: node, Affinity: &corev1.Affinity{}},
	}
}

func byZone(app string) []corev1.PodAffinityTerm {
	return []corev1.PodAffinityTerm{{
		TopologyKey:   "zone",
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
	}}
}

func awayFrom(app string, pod *corev1.Pod) *corev1.Pod {
	pod.Spec.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: byZone(app)}
	return pod
}

func near(app string, pod *corev1.Pod) *corev1.Pod {
	pod.Spec.Affinity.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: byZone(app)}
	return pod
}

func spreadByZone(pod *corev1.Pod) *corev1.Pod {
	pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: corev1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: pod.Labels},
	}}
	return pod
}

func TestBrokenRules(t *testing.T) {
	otherNamespace := runningPod("other", "db", "n2")
	otherNamespace.Namespace = "elsewhere"
	unknown := near("db", runningPod("unknown", "web", "n1"))
	unknown.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].NamespaceSelector = ptr.To(metav1.LabelSelector{})
	for _, test := range []struct {
		name string
		pods []*corev1.Pod
		want string // part of the only complaint; "" for none
	}{
		{"anti-affinity in two zones holds", []*corev1.Pod{awayFrom("db", runningPod("a", "db", "n1")), runningPod("b", "db", "n3")}, ""},
		{"anti-affinity in one zone is broken", []*corev1.Pod{awayFrom("db", runningPod("a", "db", "n1")), runningPod("b", "db", "n2")}, "ns/a on n1: anti-affinity by zone to b"},
		{"anti-affinity ignores other namespaces", []*corev1.Pod{awayFrom("db", runningPod("a", "web", "n1")), otherNamespace}, ""},
		{"affinity in the same zone holds", []*corev1.Pod{near("db", runningPod("a", "web", "n1")), runningPod("b", "db", "n2")}, ""},
		{"affinity in another zone is broken", []*corev1.Pod{near("db", runningPod("a", "web", "n1")), runningPod("b", "db", "n3")}, "ns/a on n1: no pod it needs"},
		{"affinity to nobody is broken", []*corev1.Pod{near("db", runningPod("a", "web", "n1"))}, "no pod it needs"},
		{"the first pod of a group may stand alone", []*corev1.Pod{near("web", runningPod("a", "web", "n1"))}, ""},
		{"the second pod of a group may not", []*corev1.Pod{runningPod("a", "web", "n1"), near("web", runningPod("b", "web", "n3"))}, "ns/b on n3: no pod it needs"},
		{"a skew of one holds", []*corev1.Pod{spreadByZone(runningPod("a", "web", "n1"))}, ""},
		{"a skew of two is broken", []*corev1.Pod{spreadByZone(runningPod("a", "web", "n1")), runningPod("b", "web", "n2")}, "skew 2 by zone, at most 1 allowed"},
		{"what cannot be judged is not passed", []*corev1.Pod{unknown}, "does not know namespaceSelector"},
		{"pending pods break nothing", []*corev1.Pod{near("db", runningPod("a", "web", ""))}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := BrokenRules(test.pods, zoneNodes())
			if test.want == "" && len(got) > 0 {
				t.Errorf("got %q, want none", got)
			}
			if test.want != "" && (len(got) != 1 || !strings.Contains(got[0], test.want)) {
				t.Errorf("got %q, want only %q", got, test.want)
			}
		})
	}
}
