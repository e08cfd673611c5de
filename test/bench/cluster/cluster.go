// Package cluster makes up the clusters that the benchmarks measure, always the
// same for the same parameters.
package cluster

import (
	"fmt"
	"math/rand/v2"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	namespaces = 20
	zones      = 12
)

// Rule is what the pods of an app ask of their place.
type Rule int

// Of 100 apps, 10 have RequiredAnti, 10 PreferredAnti, 5 Required, 10 Spread.
const (
	None          Rule = iota
	RequiredAnti       // anti-affinity to themselves by host
	PreferredAnti      // the same, preferred, by zone
	Required           // affinity to another app by zone
	Spread             // topology spread by zone, DoNotSchedule, maxSkew 5
)

// App is a Deployment's worth of pods.
type App struct {
	Index     int
	Name      string
	Namespace string
	Labels    map[string]string
	Rule      Rule
	Target    *App // of Required: the app to be near
	Targeted  bool // by some app
	// HasReplicaSet says that the ReplicaSet is in the cluster, so that the
	// scheduler's default spreading applies to new pods of the app.
	HasReplicaSet bool
	pods          []*v1.Pod
}

// Cluster is a whole one. All pods run.
type Cluster struct {
	Nodes       []*v1.Node
	Namespaces  []*v1.Namespace
	ReplicaSets []*appsv1.ReplicaSet
	Apps        []*App
	random      *rand.Rand
}

// Size of a cluster. There are 500 apps for up to 1,000 nodes, 2,000 for up to
// 5,000, and 5,000 for more. All have as many pods: places that do not suffice for
// one more of each stay empty.
type Size struct{ Nodes, PodsPerNode int }

func (s Size) apps() int {
	switch {
	case s.Nodes <= 1000:
		return 500
	case s.Nodes <= 5000:
		return 2000
	}
	return 5000
}

// NodeName is the name of the node of this number.
func NodeName(i int) string {
	return fmt.Sprintf("ip-10-%d-%d-%d.us-west-2.compute.internal", 40+i/62500, i/250%250, i%250)
}

// New makes a cluster. The pods break no rule of their own.
func New(size Size) *Cluster {
	c := &Cluster{random: rand.New(rand.NewPCG(uint64(size.Nodes), uint64(size.PodsPerNode)))}
	for i := range namespaces {
		name := fmt.Sprintf("team-%02d", i)
		c.Namespaces = append(c.Namespaces, &v1.Namespace{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/metadata.name": name}},
		})
	}
	for i := range size.Nodes {
		c.Nodes = append(c.Nodes, c.node(i))
	}
	c.makeApps(size.apps())
	c.placePods(size)
	return c
}

func (c *Cluster) uid() types.UID {
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", c.random.Uint32(), c.random.Uint32()&0xffff,
		c.random.Uint32()&0xfff, c.random.Uint32()&0xfff, c.random.Uint64()&0xffffffffffff))
}

func (c *Cluster) node(i int) *v1.Node {
	zone := i % zones
	resources := v1.ResourceList{
		v1.ResourceCPU: resource.MustParse("64"), v1.ResourceMemory: resource.MustParse("256Gi"), v1.ResourcePods: resource.MustParse("110"),
	}
	return &v1.Node{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: NodeName(i), UID: c.uid(), Labels: map[string]string{
			v1.LabelHostname: NodeName(i), v1.LabelTopologyZone: fmt.Sprintf("zone-%02d", zone), v1.LabelTopologyRegion: fmt.Sprintf("region-%d", zone/4),
			v1.LabelArchStable: "amd64", v1.LabelOSStable: "linux", v1.LabelInstanceTypeStable: "m6i.16xlarge",
		}},
		Status: v1.NodeStatus{Capacity: resources, Allocatable: resources},
	}
}

func (c *Cluster) makeApps(count int) {
	rules := make([]Rule, count)
	for i := range rules {
		switch percent := i * 100 / count; {
		case percent < 10:
			rules[i] = RequiredAnti
		case percent < 20:
			rules[i] = PreferredAnti
		case percent < 25:
			rules[i] = Required
		case percent < 35:
			rules[i] = Spread
		}
	}
	c.random.Shuffle(count, func(i, j int) { rules[i], rules[j] = rules[j], rules[i] })
	tiers := []string{"frontend", "backend", "cache", "db"}
	for i, rule := range rules {
		name := fmt.Sprintf("app-%05d", i)
		hash := fmt.Sprintf("%09x", c.random.Uint64()&0xfffffffff)
		c.Apps = append(c.Apps, &App{
			Index: i, Name: name, Namespace: c.Namespaces[i%namespaces].Name, Rule: rule,
			Labels: map[string]string{"app": name, "tier": tiers[i/namespaces%len(tiers)], "pod-template-hash": hash},
		})
	}
	for _, a := range c.Apps {
		switch a.Rule {
		case Required:
			for t := a.Index + namespaces; a.Target == nil; t += namespaces { // of the same namespace
				if b := c.Apps[t%count]; b.Rule == None {
					a.Target, b.Targeted = b, true
				}
			}
		case None:
			if a.HasReplicaSet = c.random.IntN(2) == 0; a.HasReplicaSet {
				c.ReplicaSets = append(c.ReplicaSets, c.replicaSet(a))
			}
		}
	}
}

func (c *Cluster) replicaSet(a *App) *appsv1.ReplicaSet {
	return &appsv1.ReplicaSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "ReplicaSet"},
		ObjectMeta: metav1.ObjectMeta{Name: a.replicaSetName(), Namespace: a.Namespace, UID: c.uid(), Labels: a.Labels},
		Spec:       appsv1.ReplicaSetSpec{Selector: &metav1.LabelSelector{MatchLabels: a.Labels}},
	}
}

func (a *App) replicaSetName() string { return a.Name + "-" + a.Labels["pod-template-hash"] }

// placePods gives each node its share in random order. Apps with rules go first
// and take the next place that suits them.
func (c *Cluster) placePods(size Size) {
	places := make([]int, 0, size.Nodes*size.PodsPerNode)
	for node := range size.Nodes {
		for range size.PodsPerNode {
			places = append(places, node)
		}
	}
	c.random.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	replicas := len(places) / len(c.Apps)
	next := 0
	for _, rule := range []Rule{Spread, RequiredAnti, PreferredAnti, Required, None} {
		for _, a := range c.Apps {
			if a.Rule != rule {
				continue
			}
			taken := map[int]bool{}
			for k := range replicas {
				found := next
				for rule == RequiredAnti && taken[places[found]] || rule == Spread && places[found]%zones != k%zones {
					found++
				}
				places[next], places[found] = places[found], places[next]
				node := places[next]
				taken[node] = true
				next++
				pod := c.Pod(a, fmt.Sprintf("%05x", k*7919&0xfffff))
				a.AddRule(pod)
				pod.Spec.NodeName = c.Nodes[node].Name
				pod.Status.Phase = v1.PodRunning
				a.pods = append(a.pods, pod)
			}
		}
	}
}

// Pods are all that run.
func (c *Cluster) Pods() []*v1.Pod {
	var pods []*v1.Pod
	for _, a := range c.Apps {
		pods = append(pods, a.pods...)
	}
	return pods
}

// Pod is a pending pod of an app, without rules.
func (c *Cluster) Pod(a *App, suffix string) *v1.Pod {
	yes, priority, seconds := true, int32(0), int64(300)
	return &v1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Name: a.replicaSetName() + "-" + suffix, Namespace: a.Namespace, UID: c.uid(), Labels: a.Labels, Generation: 1,
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: a.replicaSetName(), UID: "0b7c9d5e-1111-4222-8333-444455556666", Controller: &yes}},
		},
		Spec: v1.PodSpec{
			SchedulerName: v1.DefaultSchedulerName,
			Priority:      &priority,
			Containers: []v1.Container{{
				Name: "main", Image: "registry.example.com/" + a.Name + ":v1",
				Resources: v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("500m"), v1.ResourceMemory: resource.MustParse("512Mi")}},
			}},
			Tolerations: []v1.Toleration{
				{Key: v1.TaintNodeNotReady, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: &seconds},
				{Key: v1.TaintNodeUnreachable, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: &seconds},
			},
		},
		Status: v1.PodStatus{Phase: v1.PodPending},
	}
}

// Term is about the app's pods.
func (a *App) Term(topologyKey string) v1.PodAffinityTerm {
	return v1.PodAffinityTerm{LabelSelector: a.selector(), TopologyKey: topologyKey}
}

// Constraint spreads the app's pods.
func (a *App) Constraint(topologyKey string, maxSkew int32, when v1.UnsatisfiableConstraintAction) v1.TopologySpreadConstraint {
	return v1.TopologySpreadConstraint{MaxSkew: maxSkew, TopologyKey: topologyKey, WhenUnsatisfiable: when, LabelSelector: a.selector()}
}

func (a *App) selector() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": a.Name}}
}

// AddRule writes the app's rule into a pod.
func (a *App) AddRule(pod *v1.Pod) {
	switch a.Rule {
	case RequiredAnti:
		pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{a.Term(v1.LabelHostname)}}}
	case PreferredAnti:
		pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 100, PodAffinityTerm: a.Term(v1.LabelTopologyZone)}}}}
	case Required:
		pod.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{a.Target.Term(v1.LabelTopologyZone)}}}
	case Spread:
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{a.Constraint(v1.LabelTopologyZone, 5, v1.DoNotSchedule)}
	}
}
