package scenario

import (
	"os"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"vicinal/test/e2e/harness"
)

// The stock scheduler alone must pass every scenario: one that it does not pass is
// a wrong scenario. Then the same scheduler with vicinal beside it must, and the
// simulator, which needs no scheduler. At the end a table says which passed where.
func TestScenarios(t *testing.T) {
	root := harness.RepositoryFile(t, "test/scenarios")
	scenarios := LoadAll(t, root)
	places := []string{"simulator"}
	for _, mode := range modes {
		places = append(places, mode.name)
	}
	results := newResults(scenarios, places)
	t.Cleanup(func() { results.print(os.Stdout) })
	t.Run("simulator", func(t *testing.T) {
		for _, s := range scenarios {
			results.run(t, places[0], s, s.Simulate)
		}
	})
	// A cluster for each: most of a scenario is waiting.
	for _, mode := range modes {
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			controlPlane := harness.StartControlPlane(t, harness.NewRun(t))
			observer := controlPlane.StartObserver(t)
			for _, object := range harness.LoadManifest(t, harness.RepositoryFile(t, "manifests/deschedule/base/rbac.yaml")) {
				controlPlane.Create(t, object)
			}
			descheduler := controlPlane.Kubeconfig(t, "descheduler", controlPlane.URL,
				&clientcmdapi.AuthInfo{Token: controlPlane.ServiceAccountToken(t, metav1.NamespaceSystem, "vicinal-deschedule")})
			var vicinal *harness.Vicinal
			if mode.args != nil {
				args := append([]string{"--kubeconfig=" + controlPlane.VicinalKubeconfig(t, controlPlane.URL)}, mode.args...)
				vicinal = harness.StartVicinal(t, controlPlane.Run, args...)
			}
			cluster := controlPlane.StartCluster(t, observer, vicinal)
			for _, s := range scenarios {
				results.run(t, mode.name, s, func(t *testing.T) { s.Play(t, cluster, descheduler) })
			}
			cluster.Scheduler.WantNoPrioritizeError(t)
		})
	}
}

// modes are the ways in which the scheduler runs: alone, or with vicinal beside it.
var modes = []struct {
	name string
	args []string // Of vicinal.
}{
	{"stock", nil},
	{"decide", []string{"--mode=decide"}},
	{"advise", []string{"--mode=advise"}},
}
