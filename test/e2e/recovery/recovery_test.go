// Package recovery takes away, one after the other, what vicinal and the scheduler
// rely on, and looks whether everything comes back by itself and whether any rule was
// broken meanwhile.
package recovery

import (
	"testing"

	"vicinal/test/e2e/harness"
)

// One control plane serves all parts; each starts its own scheduler and vicinal.
func TestRecovery(t *testing.T) {
	controlPlane := harness.StartControlPlane(t, harness.NewRun(t))
	f := &fixture{controlPlane: controlPlane, observer: controlPlane.StartObserver(t)}
	for _, part := range []struct {
		name string
		run  func(*testing.T, *fixture)
	}{
		{"the stock scheduler alone keeps the rules of the workload", stockSchedulerAlone},
		{"vicinal answers 503 until every resource is listed", answers503UntilEverythingIsListed},
		{"vicinal refuses a server that it cannot verify", refusesAServerItCannotVerify},
		{"vicinal reads its token file again", readsItsTokenFileAgain},
		{"vicinal killed and restarted while pods are scheduled", vicinalKilledAndRestarted},
		{"a slow watch delays vicinal but breaks no rule", slowWatchBreaksNoRule},
		{"a held connection loses nothing", heldConnectionLosesNothing},
		{"a cut watch is resumed without a new list", cutWatchIsResumed},
		{"a watch broken for too long stops the answers until it is back", longOutageStopsAnswers},
		{"an expired watch is listed anew, also what was deleted meanwhile", expiredWatchIsListedAnew},
		{"API server killed and restarted while pods are scheduled", apiServerKilledAndRestarted},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(t, f) })
	}
}

type fixture struct {
	controlPlane *harness.ControlPlane
	observer     *harness.Observer
}

// startVicinal starts vicinal with its own account and the API server at server. It
// advises: what it says of every node shows what it knows.
func (f *fixture) startVicinal(t *testing.T, server string, flags ...string) *harness.Vicinal {
	t.Helper()
	return harness.StartVicinal(t, f.controlPlane.Run, append(flags, "--mode=advise", "--kubeconfig="+f.controlPlane.VicinalKubeconfig(t, server))...)
}

// startCluster starts a scheduler, with vicinal beside it unless that is nil, and six
// nodes in three zones. The cluster is emptied when t ends.
func (f *fixture) startCluster(t *testing.T, vicinal *harness.Vicinal) *harness.Cluster {
	t.Helper()
	cluster := f.controlPlane.StartCluster(t, f.observer, vicinal)
	t.Cleanup(func() { cluster.Clear(t) })
	cluster.Apply(t, harness.SixNodes()...)
	return cluster
}
