package main

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rounds that the descheduler is watched for.
const rounds = 20

// loops shows two constraints that contradict each other when each is balanced on its own:
// zone a has one node and zone b three, and four pods are to be spread over zones, which
// must be, and over nodes, which should be. Two on the node of zone a and two in zone b is
// the best that the scheduler allows. The descheduler takes one of the two from there in
// each run, since a node of zone b is empty, and the scheduler puts it back each time.
func loops(j judge) error {
	start := loopCluster(4)
	p := policy{strategy: spread, nodeFit: true, soft: true}
	evictions, last, err := descheduleRounds(j, start, p)
	if err != nil {
		return err
	}
	fmt.Printf("two constraints, zone and node: the descheduler evicts %d pods in %d rounds, %d of them in the last\n", evictions, rounds, last)
	o := outcome{}
	after, err := j.passes(testCase{id: "loop", strategy: spread, policy: p, cluster: start}, &o)
	if err != nil {
		return err
	}
	const wanted = 2 // of the four pods in zone a
	if len(o.broken) > 0 || o.evicted != wanted {
		return fmt.Errorf("two constraints: want %d evictions: %s", wanted, o)
	}
	wrong, err := j.scheduler.allBroken(after)
	if err != nil {
		return err
	}
	if last == 0 || len(wrong) > 0 {
		return fmt.Errorf("two constraints: the descheduler evicts %d in its last round; %v is broken after vicinal", last, wrong)
	}
	fmt.Printf("two constraints, zone and node: vicinal evicts %d pods in %d passes, and is done\n", o.evicted, o.passes)
	return nil
}

// loopCluster has all pods on the one node of zone a.
func loopCluster(replicas int) *cluster {
	c := &cluster{namespaces: []*corev1.Namespace{{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}}}
	for i, zone := range []string{"a", "b", "b", "b"} {
		name := fmt.Sprintf("n%d", i+1)
		node := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name, zoneKey: zone}},
			Status: corev1.NodeStatus{
				Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("30")},
				Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			},
		}
		c.nodes = append(c.nodes, node)
	}
	labels := map[string]string{"app": "web"}
	constraint := func(key string, action corev1.UnsatisfiableConstraintAction) corev1.TopologySpreadConstraint {
		return corev1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: action, LabelSelector: &metav1.LabelSelector{MatchLabels: labels}}
	}
	owner := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", UID: "set-web"}}
	owner.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	c.owners = append(c.owners, owner)
	for i := range replicas {
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Name: fmt.Sprintf("web-%d", i), Namespace: "shop", Labels: labels,
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))},
			},
			Spec: corev1.PodSpec{
				NodeName:   c.nodes[0].Name,
				Containers: []corev1.Container{{Name: "main", Image: "registry.example/web:1"}},
				TopologySpreadConstraints: []corev1.TopologySpreadConstraint{
					constraint(zoneKey, corev1.DoNotSchedule), constraint(corev1.LabelHostname, corev1.ScheduleAnyway),
				},
			},
			Status: corev1.PodStatus{Phase: corev1.PodRunning},
		}
		pod.UID = uidOf(pod)
		c.pods = append(c.pods, pod)
	}
	return c
}

// descheduleRounds runs the descheduler again and again, the scheduler places what it
// evicts. It returns the evictions of all rounds, and those of the last.
func descheduleRounds(j judge, c *cluster, p policy) (all, last int, err error) {
	for range rounds {
		answer, err := j.descheduler(c, p)
		if err != nil {
			return 0, 0, err
		}
		if c, _, err = j.reschedule(c, answer.Evicted); err != nil {
			return 0, 0, err
		}
		all += len(answer.Evicted)
		last = len(answer.Evicted)
	}
	return all, last, nil
}
