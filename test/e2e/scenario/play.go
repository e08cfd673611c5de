package scenario

import (
	"path/filepath"
	"testing"
	"time"

	"vicinal/test/e2e/harness"
)

const (
	// A pod that met a rule waits up to ten seconds before it is tried again.
	settleTimeout = 45 * time.Second
	// How long a settled state must last: whatever changes it would be under way.
	settledFor = 300 * time.Millisecond
)

// Play acts the scenario out in an empty cluster and leaves an empty cluster.
func (s *Scenario) Play(t *testing.T, cluster *harness.Cluster) {
	t.Cleanup(func() { cluster.Clear(t) })
	cluster.Apply(t, harness.LoadManifest(t, filepath.Join(s.dir, s.Cluster))...)
	for _, step := range s.Steps {
		t.Log(step.Name)
		for _, file := range step.Apply {
			cluster.Apply(t, harness.LoadManifest(t, filepath.Join(s.dir, file))...)
		}
		if step.Scale != nil {
			cluster.ScaleDeployment(t, step.Scale.Namespace, step.Scale.Deployment, step.Scale.Replicas)
		}
		step.waitExpected(t, cluster)
	}
}

// waitExpected waits until the cluster has settled as expected and stays so.
func (s *Step) waitExpected(t *testing.T, cluster *harness.Cluster) {
	t.Helper()
	var since time.Time
	harness.Eventually(t, settleTimeout, s.Name, func() string {
		problem := cluster.SettleProblem(t)
		for i := 0; problem == "" && i < len(s.Expect); i++ {
			problem = s.Expect[i].problem(cluster.Observer.Pods(t), cluster.Observer.Nodes(t))
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
