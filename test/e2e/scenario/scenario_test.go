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
	results := newResults(scenarios)
	t.Cleanup(func() { results.print(os.Stdout) })
	t.Run("simulator", func(t *testing.T) {
		for _, s := range scenarios {
			results.run(t, "simulator", s, s.Simulate)
		}
	})
	controlPlane := harness.StartControlPlane(t, harness.NewRun(t))
	observer := controlPlane.StartObserver(t)
	for _, object := range harness.LoadManifest(t, harness.RepositoryFile(t, "manifests/deschedule/base/rbac.yaml")) {
		controlPlane.Create(t, object)
	}
	descheduler := controlPlane.Kubeconfig(t, "descheduler", controlPlane.URL,
		&clientcmdapi.AuthInfo{Token: controlPlane.ServiceAccountToken(t, metav1.NamespaceSystem, "vicinal-deschedule")})
	playAll := func(t *testing.T, where string, vicinal *harness.Vicinal) {
		cluster := controlPlane.StartCluster(t, observer, vicinal)
		for _, s := range scenarios {
			results.run(t, where, s, func(t *testing.T) { s.Play(t, cluster, descheduler) })
		}
		cluster.Scheduler.WantNoPrioritizeError(t)
	}
	t.Run("stock scheduler alone", func(t *testing.T) { playAll(t, "stock", nil) })
	for _, mode := range modes {
		t.Run("with vicinal, "+mode.name, func(t *testing.T) {
			args := append([]string{"--kubeconfig=" + controlPlane.VicinalKubeconfig(t, controlPlane.URL)}, mode.args...)
			playAll(t, mode.name, harness.StartVicinal(t, controlPlane.Run, args...))
		})
	}
}

// modes are the ways in which vicinal runs beside the scheduler.
var modes = []struct {
	name string
	args []string
}{
	{"decide", []string{"--mode=decide"}},
	{"advise", []string{"--mode=advise"}},
}
