package recovery

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vicinal/test/e2e/harness"
)

func terms(app, topologyKey string) []corev1.PodAffinityTerm {
	return []corev1.PodAffinityTerm{harness.TermTo(app, topologyKey)}
}

// alone: no two of them on one node.
func alone() *corev1.Pod {
	pod := harness.PodOf("alone")
	pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: terms("alone", corev1.LabelHostname),
	}}
	return pod
}

// follower: in the zone of an alone, and one to a node.
func follower() *corev1.Pod {
	pod := harness.PodOf("follower")
	pod.Spec.Affinity = &corev1.Affinity{
		PodAffinity:     &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms("alone", corev1.LabelTopologyZone)},
		PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms("follower", corev1.LabelHostname)},
	}
	return pod
}

// even: zones never differ by more than one.
func even() *corev1.Pod {
	pod := harness.PodOf("even")
	pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: pod.Labels},
	}}
	return pod
}

// schedule places n pods of each kind, one after the other.
func schedule(t *testing.T, cluster *harness.Cluster, n int) {
	t.Helper()
	for range n {
		for _, pod := range []*corev1.Pod{alone(), follower(), even()} {
			if placed := cluster.CreatePod(t, pod); placed.Spec.NodeName == "" {
				t.Fatalf("%s is pending: %s", placed.Name, harness.PendingMessage(placed))
			}
		}
	}
}

// wantRulesKept checks that exactly the wanted number of pods runs, none of them
// against its rules.
func wantRulesKept(t *testing.T, cluster *harness.Cluster, running int) {
	t.Helper()
	pods := cluster.Observer.Pods(t)
	placed := 0
	for _, pod := range pods {
		if pod.Spec.NodeName != "" {
			placed++
		}
	}
	if placed != running {
		t.Errorf("%d pods run, want %d", placed, running)
	}
	for _, broken := range harness.BrokenRules(pods, cluster.Observer.Nodes(t)) {
		t.Error(broken)
	}
}

// wantBlocked asks vicinal directly: a pod that avoids app by hostname must be
// refused by exactly these nodes of n1 to n6 for that reason.
func wantBlocked(t *testing.T, v *harness.Vicinal, app string, want ...string) {
	t.Helper()
	pod := harness.PodOf("probe")
	pod.Name = "probe" // without UID: hypothetical
	pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: terms(app, corev1.LabelHostname),
	}}
	status, result, err := v.Filter(pod, "n1", "n2", "n3", "n4", "n5", "n6")
	if err != nil || status != 200 || result.Error != "" {
		t.Fatalf("filter: status %d, %+v, %v", status, result, err)
	}
	var got []string
	for _, object := range harness.SixNodes() {
		name := object.(*corev1.Node).Name
		if result.FailedAndUnresolvableNodes[name] == "node(s) didn't match pod anti-affinity rules" {
			got = append(got, name)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("nodes with a pod of %s, as vicinal knows it: %v, want %v", app, got, want)
	}
}
