package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// unschedulableTaint is what the node controller puts on a cordoned node.
var unschedulableTaint = corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}

// Cordon closes a node for new pods, or opens it again, as kubectl and the node
// controller do.
func (c *Cluster) Cordon(t testing.TB, name string, cordoned bool) {
	t.Helper()
	nodes := c.Client.CoreV1().Nodes()
	node, err := nodes.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	node.Spec.Unschedulable = cordoned
	node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(taint corev1.Taint) bool {
		return taint.MatchTaint(&unschedulableTaint)
	})
	if cordoned {
		node.Spec.Taints = append(node.Spec.Taints, unschedulableTaint)
	}
	if _, err := nodes.Update(t.Context(), node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	c.waitCordoned(t, name, cordoned)
}

// waitCordoned waits until the test, and vicinal with it, know; the scheduler, which
// is told by the same API server, has at most milliseconds more.
func (c *Cluster) waitCordoned(t testing.TB, name string, cordoned bool) {
	t.Helper()
	Eventually(t, OutcomeTimeout, "the test knows that "+name+" has changed", func() string {
		if node := c.Observer.Nodes(t)[name]; node == nil || node.Spec.Unschedulable != cordoned {
			return "not yet"
		}
		return ""
	})
	c.waitSeen(t)
}

// Drain cordons a node, removes its pods, and has their controllers replace them.
func (c *Cluster) Drain(t testing.TB, name string) {
	t.Helper()
	c.Cordon(t, name, true)
	for _, pod := range c.Observer.Pods(t) {
		if pod.Spec.NodeName == name {
			c.DeletePod(t, pod)
		}
	}
	c.replacePods(t)
}

// DeletePods removes the pods of a namespace with these labels, of one node unless
// that is "", and has their controllers replace them.
func (c *Cluster) DeletePods(t testing.TB, namespace string, set labels.Set, node string) {
	t.Helper()
	found := false
	for _, pod := range c.Observer.Pods(t) {
		if pod.Namespace == namespace && set.AsSelector().Matches(labels.Set(pod.Labels)) && (node == "" || pod.Spec.NodeName == node) {
			c.DeletePod(t, pod)
			found = true
		}
	}
	if !found {
		t.Fatalf("no pod with %v to delete", set)
	}
	c.replacePods(t)
}

// Deschedule makes passes of `vicinal deschedule --evict` by a policy, which deletes pods
// at once, until one evicts nothing. After each pass controllers replace the pods.
func (c *Cluster) Deschedule(t testing.TB, policy, kubeconfig string) {
	t.Helper()
	for range 20 {
		command := exec.CommandContext(t.Context(), VicinalBinary(t), "deschedule", "--kubeconfig="+kubeconfig, "--policy="+policy,
			"--evict", "--eviction-interval=1ms", "-o", "json")
		var stderr bytes.Buffer
		command.Stderr = &stderr
		out, err := command.Output()
		if err != nil {
			t.Fatalf("vicinal deschedule: %v\n%s\n%s", err, out, &stderr)
		}
		var pass struct{ Evictions []struct{ Pod, Node string } }
		if err := json.Unmarshal(out, &pass); err != nil {
			t.Fatalf("vicinal deschedule printed %q: %v", out, err)
		}
		if len(pass.Evictions) == 0 {
			return
		}
		t.Logf("evicted: %v", pass.Evictions)
		Eventually(t, 20*time.Second, "the test knows which pods are left", func() string {
			if seen, left := len(c.Observer.Pods(t)), len(c.ListPods(t)); seen != left {
				return fmt.Sprintf("%d pods are left, the test knows of %d", left, seen)
			}
			return ""
		})
		c.waitSeen(t)
		c.replacePods(t)
	}
	t.Fatal("vicinal deschedule evicts in each of twenty passes")
}

// replacePods has every ReplicaSet make the pods that it lacks.
func (c *Cluster) replacePods(t testing.TB) {
	t.Helper()
	sets, err := c.Client.AppsV1().ReplicaSets(metav1.NamespaceAll).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range sets.Items {
		c.scaleReplicaSet(t, &sets.Items[i], int(*sets.Items[i].Spec.Replicas))
	}
}
