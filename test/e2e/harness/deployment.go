package harness

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sort"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"
)

// applyDeployment creates a Deployment and plays its controller: the ReplicaSet of
// the pod template, scaled to the wanted number of replicas. One that exists already
// gets the new template and is rolled over to it.
func (c *Cluster) applyDeployment(t testing.TB, deployment *appsv1.Deployment) {
	t.Helper()
	if deployment.Namespace == "" {
		deployment.Namespace = metav1.NamespaceDefault
	}
	deployments := c.Client.AppsV1().Deployments(deployment.Namespace)
	stored, err := deployments.Create(t.Context(), deployment, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		if stored, err = deployments.Get(t.Context(), deployment.Name, metav1.GetOptions{}); err != nil {
			t.Fatal(err)
		}
		stored.Spec = deployment.Spec
		if stored, err = deployments.Update(t.Context(), stored, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		c.rollOut(t, stored)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	c.scaleReplicaSet(t, c.replicaSetOf(t, stored), int(ptr.Deref(stored.Spec.Replicas, 1)))
}

// rollOut plays the rolling update: new pods up to maxSurge more than wanted, old
// ones away as far as maxUnavailable and those that run allow. It ends when only new
// ones are left, or when new ones find no node and no old one may go.
func (c *Cluster) rollOut(t testing.TB, deployment *appsv1.Deployment) {
	t.Helper()
	replicas := int(ptr.Deref(deployment.Spec.Replicas, 1))
	rolling := deployment.Spec.Strategy.RollingUpdate
	if rolling == nil {
		t.Fatalf("%s: only rolling updates are played", deployment.Name)
	}
	surge, err := intstr.GetScaledValueFromIntOrPercent(rolling.MaxSurge, replicas, true)
	if err != nil {
		t.Fatal(err)
	}
	unavailable, err := intstr.GetScaledValueFromIntOrPercent(rolling.MaxUnavailable, replicas, false)
	if err != nil {
		t.Fatal(err)
	}
	current := c.replicaSetOf(t, deployment)
	for {
		fresh, old := c.podsByRevision(t, deployment, current)
		if missing := min(replicas-len(fresh), replicas+surge-len(fresh)-len(old)); missing > 0 {
			c.scaleReplicaSet(t, current, len(fresh)+missing)
			continue
		}
		waiting := 0
		for _, pod := range fresh {
			if pod.Spec.NodeName == "" {
				waiting++
			}
		}
		spare := min(len(old), len(fresh)+len(old)-(replicas-unavailable)-waiting)
		if spare <= 0 {
			return
		}
		c.shrinkOldReplicaSets(t, deployment, current, spare)
	}
}

// podsByRevision are the Deployment's pods of the current ReplicaSet and of others.
func (c *Cluster) podsByRevision(t testing.TB, deployment *appsv1.Deployment, current *appsv1.ReplicaSet) (fresh, old []*corev1.Pod) {
	t.Helper()
	sets := map[string]bool{}
	for _, set := range c.replicaSetsOf(t, deployment) {
		sets[set.Name] = true
	}
	for _, pod := range c.Observer.Pods(t) {
		owner := metav1.GetControllerOf(pod)
		switch {
		case owner == nil || pod.Namespace != deployment.Namespace || !sets[owner.Name]:
		case owner.Name == current.Name:
			fresh = append(fresh, pod)
		default:
			old = append(old, pod)
		}
	}
	return fresh, old
}

func (c *Cluster) shrinkOldReplicaSets(t testing.TB, deployment *appsv1.Deployment, current *appsv1.ReplicaSet, fewer int) {
	t.Helper()
	for _, set := range c.replicaSetsOf(t, deployment) {
		if set.Name == current.Name {
			continue
		}
		of := min(fewer, int(*set.Spec.Replicas))
		if of > 0 {
			c.scaleReplicaSet(t, &set, int(*set.Spec.Replicas)-of)
		}
		fewer -= of
	}
}

func (c *Cluster) replicaSetsOf(t testing.TB, deployment *appsv1.Deployment) []appsv1.ReplicaSet {
	t.Helper()
	list, err := c.Client.AppsV1().ReplicaSets(deployment.Namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(list.Items, func(set appsv1.ReplicaSet) bool { return !metav1.IsControlledBy(&set, deployment) })
}

// ScaleDeployment sets the replicas of a Deployment and creates or deletes pods.
func (c *Cluster) ScaleDeployment(t testing.TB, namespace, name string, replicas int32) {
	t.Helper()
	deployments := c.Client.AppsV1().Deployments(namespace)
	deployment, err := deployments.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	deployment.Spec.Replicas = &replicas
	if deployment, err = deployments.Update(t.Context(), deployment, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	c.scaleReplicaSet(t, c.replicaSetOf(t, deployment), int(replicas))
}

// replicaSetOf finds or creates the ReplicaSet of the Deployment's pod template.
func (c *Cluster) replicaSetOf(t testing.TB, deployment *appsv1.Deployment) *appsv1.ReplicaSet {
	t.Helper()
	template := deployment.Spec.Template.DeepCopy()
	content, err := json.Marshal(template)
	if err != nil {
		t.Fatal(err)
	}
	digest := fnv.New32a()
	digest.Write(content)
	hash := rand.SafeEncodeString(fmt.Sprint(digest.Sum32()))
	withHash := map[string]string{appsv1.DefaultDeploymentUniqueLabelKey: hash}
	maps.Copy(template.Labels, withHash)
	selector := deployment.Spec.Selector.DeepCopy()
	if selector.MatchLabels == nil {
		selector.MatchLabels = map[string]string{}
	}
	maps.Copy(selector.MatchLabels, withHash)

	sets := c.Client.AppsV1().ReplicaSets(deployment.Namespace)
	set, err := sets.Create(t.Context(), &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Name:            deployment.Name + "-" + hash,
			Labels:          template.Labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(deployment, appsv1.SchemeGroupVersion.WithKind("Deployment"))},
		},
		Spec: appsv1.ReplicaSetSpec{Replicas: deployment.Spec.Replicas, Selector: selector, Template: *template},
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		set, err = sets.Get(t.Context(), deployment.Name+"-"+hash, metav1.GetOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// scaleReplicaSet plays the ReplicaSet controller: one pod after the other, and
// when there are too many, pending ones and then the youngest go first.
func (c *Cluster) scaleReplicaSet(t testing.TB, set *appsv1.ReplicaSet, replicas int) {
	t.Helper()
	set.Spec.Replicas = ptr.To(int32(replicas))
	updated, err := c.Client.AppsV1().ReplicaSets(set.Namespace).Update(t.Context(), set, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	*set = *updated // it may be scaled again
	var owned []*corev1.Pod
	for _, pod := range c.Observer.Pods(t) {
		if metav1.IsControlledBy(pod, set) {
			owned = append(owned, pod)
		}
	}
	sort.Slice(owned, func(i, j int) bool { return goesFirst(owned[i], owned[j]) })
	for ; len(owned) > replicas; owned = owned[1:] {
		c.DeletePod(t, owned[0])
	}
	for missing := replicas - len(owned); missing > 0; missing-- {
		c.CreatePod(t, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				GenerateName:    set.Name + "-",
				Namespace:       set.Namespace,
				Labels:          set.Spec.Template.Labels,
				Annotations:     set.Spec.Template.Annotations,
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))},
			},
			Spec: *set.Spec.Template.Spec.DeepCopy(),
		})
	}
}

func goesFirst(a, b *corev1.Pod) bool {
	if pendingA, pendingB := a.Spec.NodeName == "", b.Spec.NodeName == ""; pendingA != pendingB {
		return pendingA
	}
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return b.CreationTimestamp.Before(&a.CreationTimestamp)
	}
	return a.Name < b.Name
}
