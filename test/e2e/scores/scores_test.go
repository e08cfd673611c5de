// Package scores compares the scores of the real kube-scheduler, with all in-tree
// plugins and with vicinal in the place of two of them.
package scores

import (
	"maps"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"vicinal/test/e2e/harness"
)

func TestTotalsWithVicinalAreTenTimesTheStockTotals(t *testing.T) {
	controlPlane := harness.StartControlPlane(t, harness.NewRun(t))
	observer := controlPlane.StartObserver(t)
	vicinal := harness.StartVicinal(t, controlPlane.Run, "--mode=advise", "--kubeconfig="+controlPlane.VicinalKubeconfig(t, controlPlane.URL))
	stock := totals(t, controlPlane.StartCluster(t, observer, nil))
	ours := totals(t, controlPlane.StartCluster(t, observer, vicinal))
	for name, want := range stock {
		t.Run(name, func(t *testing.T) {
			if len(want) != 6 || allEqual(want) {
				t.Fatalf("stock totals %v prove nothing", want)
			}
			tenfold := map[string]int64{}
			for node, total := range want {
				tenfold[node] = 10 * total
			}
			if !maps.Equal(ours[name], tenfold) {
				t.Errorf("totals %v, want ten times %v", ours[name], want)
			}
		})
	}
}

func allEqual(totals map[string]int64) bool {
	distinct := map[int64]bool{}
	for _, total := range totals {
		distinct[total] = true
	}
	return len(distinct) == 1
}

// totals schedules each probe in a cluster that is the same every time, and stops the
// scheduler.
func totals(t *testing.T, cluster *harness.Cluster) map[string]map[string]int64 {
	t.Helper()
	defer cluster.Scheduler.Kill()
	defer cluster.Clear(t)
	set := furnish(t, cluster)
	all := map[string]map[string]int64{}
	for name, probe := range probes(set) {
		probe.Name = name
		placed := cluster.CreatePod(t, probe)
		all[name] = cluster.Scheduler.Totals(t, placed)
		cluster.DeletePod(t, placed)
	}
	cluster.Scheduler.WantNoPrioritizeError(t)
	return all
}

// furnish fills six nodes unevenly and returns the ReplicaSet of the web pods.
func furnish(t *testing.T, cluster *harness.Cluster) *appsv1.ReplicaSet {
	t.Helper()
	nodes := harness.SixNodes()
	nodes[4].(*corev1.Node).Spec.Taints = []corev1.Taint{{Key: "slow", Effect: corev1.TaintEffectPreferNoSchedule}}
	cluster.Apply(t, nodes...)
	template := harness.PodOf("web")
	set, err := cluster.Client.AppsV1().ReplicaSets(metav1.NamespaceDefault).Create(t.Context(), &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: ptr.To[int32](4),
			Selector: &metav1.LabelSelector{MatchLabels: template.Labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: template.Labels}, Spec: template.Spec},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range []string{"n1", "n1", "n2", "n5"} {
		cluster.CreatePod(t, harness.RunningOn(node, ownedBy(set, harness.PodOf("web"))))
	}
	lovesWeb := harness.PodOf("cache")
	lovesWeb.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 30, PodAffinityTerm: harness.TermTo("web", corev1.LabelTopologyZone)}},
	}}
	cluster.CreatePod(t, harness.RunningOn("n3", lovesWeb))
	needsWeb := harness.PodOf("proxy")
	needsWeb.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{harness.TermTo("web", corev1.LabelHostname)},
	}}
	cluster.CreatePod(t, harness.RunningOn("n2", needsWeb))
	hungry := harness.PodOf("batch")
	hungry.Spec.Containers[0].Resources.Requests = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("3"), corev1.ResourceMemory: resource.MustParse("2Gi"),
	}
	cluster.CreatePod(t, harness.RunningOn("n6", hungry))
	return set
}

func ownedBy(set *appsv1.ReplicaSet, pod *corev1.Pod) *corev1.Pod {
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))}
	return pod
}

// probes are pods that different score plugins have something to say about.
func probes(set *appsv1.ReplicaSet) map[string]*corev1.Pod {
	softly := func(weight int32, term corev1.PodAffinityTerm) []corev1.WeightedPodAffinityTerm {
		return []corev1.WeightedPodAffinityTerm{{Weight: weight, PodAffinityTerm: term}}
	}
	near, away, spread, node := harness.PodOf("probe"), harness.PodOf("probe"), harness.PodOf("web"), harness.PodOf("probe")
	near.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: softly(10, harness.TermTo("web", corev1.LabelTopologyZone)),
	}}
	away.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: softly(70, harness.TermTo("web", corev1.LabelHostname)),
	}}
	spread.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
		MaxSkew: 2, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.ScheduleAnyway,
		LabelSelector: &metav1.LabelSelector{MatchLabels: spread.Labels},
	}}
	node.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{Weight: 5, Preference: corev1.NodeSelectorTerm{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{"z3"}}},
		}}},
	}}
	return map[string]*corev1.Pod{
		"without-rules":           harness.PodOf("probe"),
		"others-have-rules":       harness.PodOf("web"),
		"spread-by-default":       ownedBy(set, harness.PodOf("web")),
		"preferred-affinity":      near,
		"preferred-anti-affinity": away,
		"spread-constraint":       spread,
		"preferred-node-affinity": node,
	}
}
