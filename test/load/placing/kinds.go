// Package placing has what both forms of the throughput test share: which pods are
// placed, and how the figures of a row are made.
package placing

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vicinal/test/bench/cluster"
)

// appsPerKind take turns, as Deployments do that are scaled at the same time.
const appsPerKind = 8

// kind is a sort of pods to place.
type kind struct {
	name string
	of   func(*cluster.App) bool // which apps have such pods
	add  func(c *cluster.Cluster, a *cluster.App, pod *v1.Pod)
}

func plain(a *cluster.App) bool {
	return a.Rule == cluster.None && !a.Targeted && !a.HasReplicaSet
}
func fromReplicaSet(a *cluster.App) bool {
	return a.Rule == cluster.None && !a.Targeted && a.HasReplicaSet
}
func withRule(rule cluster.Rule) func(*cluster.App) bool {
	return func(a *cluster.App) bool { return a.Rule == rule }
}
func noRule(*cluster.Cluster, *cluster.App, *v1.Pod)          { /* as it is */ }
func ownRule(_ *cluster.Cluster, a *cluster.App, pod *v1.Pod) { a.AddRule(pod) }
func requiredAffinity(terms ...v1.PodAffinityTerm) *v1.PodAffinity {
	return &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms}
}
func preferredAntiAffinity(a *cluster.App) []v1.WeightedPodAffinityTerm {
	return []v1.WeightedPodAffinityTerm{
		{Weight: 100, PodAffinityTerm: a.Term(v1.LabelTopologyZone)},
		{Weight: 100, PodAffinityTerm: a.Term(v1.LabelHostname)},
	}
}

// tier are the pods of a quarter of the apps.
func tier(name string) v1.PodAffinityTerm {
	return v1.PodAffinityTerm{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"tier": name}}, TopologyKey: v1.LabelTopologyRegion}
}

// neighbour is another app of the same namespace.
func neighbour(c *cluster.Cluster, a *cluster.App) *cluster.App {
	for i := a.Index + 1; ; i++ {
		if b := c.Apps[i%len(c.Apps)]; b.Namespace == a.Namespace && b != a {
			return b
		}
	}
}

// Every pod of every kind can be placed, also in the small cluster of --quick.
var kinds = []kind{
	{"plain", plain, noRule},
	{"plain, ReplicaSet", fromReplicaSet, noRule},
	{"required anti-affinity by host", withRule(cluster.RequiredAnti), ownRule},
	{"required affinity by zone", withRule(cluster.Required), ownRule},
	{"required affinity by host", plain, func(c *cluster.Cluster, a *cluster.App, pod *v1.Pod) {
		pod.Spec.Affinity = &v1.Affinity{PodAffinity: requiredAffinity(neighbour(c, a).Term(v1.LabelHostname))}
	}},
	{"preferred anti-affinity", withRule(cluster.PreferredAnti), func(_ *cluster.Cluster, a *cluster.App, pod *v1.Pod) {
		pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: preferredAntiAffinity(a)}}
	}},
	{"spread", plain, func(_ *cluster.Cluster, a *cluster.App, pod *v1.Pod) {
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{a.Constraint(v1.LabelTopologyZone, 1, v1.DoNotSchedule)}
	}},
	{"everything", withRule(cluster.RequiredAnti), func(_ *cluster.Cluster, a *cluster.App, pod *v1.Pod) {
		pod.Spec.Affinity = &v1.Affinity{
			// To some in every region, whatever the size: the spread wants every zone.
			PodAffinity: requiredAffinity(tier("backend")),
			PodAntiAffinity: &v1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution:  []v1.PodAffinityTerm{a.Term(v1.LabelHostname)},
				PreferredDuringSchedulingIgnoredDuringExecution: preferredAntiAffinity(a),
			},
		}
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{
			a.Constraint(v1.LabelTopologyZone, 1, v1.DoNotSchedule),
			a.Constraint(v1.LabelTopologyZone, 1, v1.ScheduleAnyway), a.Constraint(v1.LabelHostname, 1, v1.ScheduleAnyway),
		}
	}},
}

// Kinds are the names of all.
func Kinds() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Pods are count pending pods of a kind, always the same for the same cluster and first,
// the number of the first one, which is part of its name.
func Pods(c *cluster.Cluster, name string, first, count int) ([]*v1.Pod, error) {
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if at < 0 {
		return nil, fmt.Errorf("%q is no kind of pods; there are %q", name, Kinds())
	}
	var apps []*cluster.App
	for _, a := range c.Apps {
		if len(apps) < appsPerKind && kinds[at].of(a) {
			apps = append(apps, a)
		}
	}
	pods := make([]*v1.Pod, count)
	for i := range pods {
		a := apps[i%len(apps)]
		pods[i] = c.Pod(a, fmt.Sprintf("new-%d-%d", at, first+i))
		kinds[at].add(c, a, pods[i])
	}
	return pods, nil
}
