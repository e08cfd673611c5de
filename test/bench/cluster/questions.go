package cluster

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
)

// A question is a kind of incoming pod.
type question struct {
	name string
	of   func(*App) bool // which apps have such pods
	add  func(*Cluster, *App, *v1.Pod)
	// about is the app whose pods matter to the answer.
	about func(*Cluster, *App) *App
}

func plain(a *App) bool                       { return a.Rule == None && !a.Targeted && !a.HasReplicaSet }
func withRule(r Rule) func(*App) bool         { return func(a *App) bool { return a.Rule == r } }
func noRule(*Cluster, *App, *v1.Pod)          {}
func ownRule(_ *Cluster, a *App, pod *v1.Pod) { a.AddRule(pod) }
func itself(_ *Cluster, a *App) *App          { return a }

func preferredAntiAffinity(a *App) []v1.WeightedPodAffinityTerm {
	return []v1.WeightedPodAffinityTerm{
		{Weight: 100, PodAffinityTerm: a.Term(v1.LabelTopologyZone)},
		{Weight: 100, PodAffinityTerm: a.Term(v1.LabelHostname)},
	}
}

// another is an app of the same namespace.
func another(c *Cluster, a *App) *App { return c.Apps[(a.Index+namespaces)%len(c.Apps)] }

var questions = []question{
	{"plain", plain, noRule, itself},
	{"plain, ReplicaSet known", func(a *App) bool { return a.Rule == None && !a.Targeted && a.HasReplicaSet }, noRule, itself},
	{"required self anti-affinity by host", withRule(RequiredAnti), ownRule, itself},
	{"required affinity to another app by zone", withRule(Required), ownRule, func(_ *Cluster, a *App) *App { return a.Target }},
	{"preferred anti-affinity by zone and host", withRule(PreferredAnti), func(_ *Cluster, a *App, pod *v1.Pod) {
		pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: preferredAntiAffinity(a)}}
	}, itself},
	{"spread DoNotSchedule by zone", plain, func(_ *Cluster, a *App, pod *v1.Pod) {
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{a.Constraint(v1.LabelTopologyZone, 1, v1.DoNotSchedule)}
	}, itself},
	{"spread ScheduleAnyway by zone and host", plain, func(_ *Cluster, a *App, pod *v1.Pod) {
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{
			a.Constraint(v1.LabelTopologyZone, 1, v1.ScheduleAnyway), a.Constraint(v1.LabelHostname, 1, v1.ScheduleAnyway)}
	}, itself},
	{"everything at once", withRule(RequiredAnti), func(c *Cluster, a *App, pod *v1.Pod) {
		pod.Spec.Affinity = &v1.Affinity{
			PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{another(c, a).Term(v1.LabelTopologyZone)}},
			PodAntiAffinity: &v1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution:  []v1.PodAffinityTerm{a.Term(v1.LabelHostname)},
				PreferredDuringSchedulingIgnoredDuringExecution: preferredAntiAffinity(a),
			},
		}
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{
			a.Constraint(v1.LabelTopologyZone, 1, v1.DoNotSchedule),
			a.Constraint(v1.LabelTopologyZone, 1, v1.ScheduleAnyway), a.Constraint(v1.LabelHostname, 1, v1.ScheduleAnyway)}
	}, itself},
}

// AppsPerQuestion is how many apps take turns in the questions of a kind.
const AppsPerQuestion = 8

// Step changes the cluster or asks about it.
type Step struct {
	Add, Remove *v1.Pod
	Question    string // the kind of Ask
	Ask         *v1.Pod
}

// Questions are the names of the kinds.
func Questions() []string {
	var names []string
	for _, q := range questions {
		names = append(names, q.name)
	}
	return names
}

// Steps asks about repeats pods of each kind among kinds. Before each question, one of the
// pods that it is about leaves the cluster and the last one that left returns;
// in the end all are back.
func (c *Cluster) Steps(repeats int, kinds []string) []Step {
	var steps []Step
	for _, q := range questions {
		if !slices.Contains(kinds, q.name) {
			continue
		}
		var apps []*App
		for _, a := range c.Apps {
			if len(apps) < AppsPerQuestion && q.of(a) {
				apps = append(apps, a)
			}
		}
		var gone *v1.Pod
		for i := range repeats {
			a := apps[i%len(apps)]
			about := q.about(c, a)
			if gone != nil {
				steps = append(steps, Step{Add: gone})
			}
			gone = about.pods[c.random.IntN(len(about.pods))]
			pod := c.Pod(a, fmt.Sprintf("incoming-%d", i))
			q.add(c, a, pod)
			steps = append(steps, Step{Remove: gone}, Step{Question: q.name, Ask: pod})
		}
		steps = append(steps, Step{Add: gone})
	}
	return steps
}
