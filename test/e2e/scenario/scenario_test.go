package scenario

import (
	"testing"

	"vicinal/test/e2e/harness"
)

// The stock scheduler alone must pass every scenario: one that it does not pass is
// a wrong scenario. Then the same scheduler with vicinal beside it must.
func TestScenarios(t *testing.T) {
	scenarios := LoadAll(t, harness.RepositoryFile(t, "test/scenarios"))
	controlPlane := harness.StartControlPlane(t, harness.NewRun(t))
	observer := controlPlane.StartObserver(t)
	playAll := func(t *testing.T, vicinal *harness.Vicinal) {
		cluster := controlPlane.StartCluster(t, observer, vicinal)
		for _, s := range scenarios {
			t.Run(s.Name, func(t *testing.T) { s.Play(t, cluster) })
		}
		cluster.Scheduler.WantNoPrioritizeError(t)
	}
	t.Run("stock scheduler alone", func(t *testing.T) { playAll(t, nil) })
	t.Run("with vicinal", func(t *testing.T) {
		playAll(t, harness.StartVicinal(t, controlPlane.Run, "--kubeconfig="+controlPlane.VicinalKubeconfig(t, controlPlane.URL)))
	})
}
