package scenario

import (
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vicinal/test/e2e/harness"
)

const (
	// A pod that met a rule waits up to ten seconds before it is tried again.
	settleTimeout = 45 * time.Second
	// How long a settled state must last: whatever changes it would be under way.
	settledFor = 300 * time.Millisecond
)

// Play acts the scenario out in an empty cluster and leaves an empty cluster.
// kubeconfig is what `vicinal deschedule` works with.
func (s *Scenario) Play(t *testing.T, cluster *harness.Cluster, kubeconfig string) {
	t.Cleanup(func() { cluster.Clear(t) })
	cluster.Apply(t, harness.LoadManifest(t, filepath.Join(s.dir, s.Cluster))...)
	for _, step := range s.Steps {
		t.Log(step.Name)
		before := placements(cluster.Observer.Pods(t))
		for _, file := range step.Apply {
			cluster.Apply(t, harness.LoadManifest(t, filepath.Join(s.dir, file))...)
		}
		if step.Scale != nil {
			cluster.ScaleDeployment(t, step.Scale.Namespace, step.Scale.Deployment, step.Scale.Replicas)
		}
		if step.Delete != nil {
			cluster.DeletePods(t, step.Delete.Pods.Namespace, step.Delete.Pods.Labels, step.Delete.Pods.Node)
		}
		for _, node := range step.Drain {
			cluster.Drain(t, node)
		}
		for _, node := range step.Cordon {
			cluster.Cordon(t, node, true)
		}
		for _, node := range step.Uncordon {
			cluster.Cordon(t, node, false)
		}
		if step.Deschedule != "" {
			cluster.Deschedule(t, filepath.Join(s.dir, step.Deschedule), kubeconfig)
		}
		step.waitExpected(t, cluster, before)
	}
}

// placements are the nodes of the running pods by namespace and name.
func placements(pods []*corev1.Pod) map[string]string {
	nodes := map[string]string{}
	for _, pod := range pods {
		if pod.Spec.NodeName != "" {
			nodes[pod.Namespace+"/"+pod.Name] = pod.Spec.NodeName
		}
	}
	return nodes
}

// waitExpected waits until the cluster has settled as expected and stays so.
func (s *Step) waitExpected(t *testing.T, cluster *harness.Cluster, before map[string]string) {
	t.Helper()
	var since time.Time
	harness.Eventually(t, settleTimeout, s.Name, func() string {
		problem := cluster.SettleProblem(t)
		for i := 0; problem == "" && i < len(s.Expect); i++ {
			problem = s.Expect[i].problem(cluster.Observer.Pods(t), cluster.Observer.Nodes(t), before, cluster.Vicinal != nil)
		}
		if problem != "" {
			since = time.Time{}
			return problem
		}
		if since.IsZero() {
			since = time.Now()
		}
		if time.Since(since) < settledFor {
			return "as expected, but not for long yet"
		}
		return ""
	})
}
