// Package consistency creates pods as fast as the API server takes them, whose rules
// forbid what a scheduler would do that does not know where the last pod went.
package consistency

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vicinal/test/e2e/harness"
)

const (
	waves = 2
	// How long a wave may take: a pod that met an error is tried again after up to ten
	// seconds, and one that waits for others is tried after each of them.
	settleTimeout = 4 * time.Minute
	// What vicinal sends to the API server is held up to that long, at random, and what
	// it is sent, such as watch events, exactly that long.
	bindDelay  = 50 * time.Millisecond
	eventDelay = 20 * time.Millisecond

	noLedger = "--tests-only-no-in-flight-ledger"
)

// podCount is how many pods a run creates; $VICINAL_CONSISTENCY_PODS or 400.
func podCount(t *testing.T) int {
	t.Helper()
	return harness.Count(t, "VICINAL_CONSISTENCY_PODS", 400, 100)
}

// One control plane serves all parts.
func TestConsistency(t *testing.T) {
	controlPlane := harness.StartControlPlane(t, harness.NewRun(t))
	f := &fixture{controlPlane: controlPlane, observer: controlPlane.StartObserver(t)}
	for _, part := range []struct {
		name string
		run  func(*testing.T, *fixture)
	}{
		{"a refused bind leaves what the API server has", refusedBinds},
		{"decide breaks no rule, killed twice", func(t *testing.T, f *fixture) { wantNoRuleBroken(t, f, "--mode=decide") }},
		{"advise breaks no rule, killed twice", func(t *testing.T, f *fixture) { wantNoRuleBroken(t, f, "--mode=advise") }},
		{"decide without the ledger breaks rules", func(t *testing.T, f *fixture) { wantRulesBroken(t, f, "--mode=decide") }},
		{"advise without the ledger breaks rules", func(t *testing.T, f *fixture) { wantRulesBroken(t, f, "--mode=advise") }},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(t, f) })
	}
}

type fixture struct {
	controlPlane *harness.ControlPlane
	observer     *harness.Observer
}

// start starts vicinal behind a proxy that delays what it sends and is sent, and a
// scheduler.
func (f *fixture) start(t *testing.T, flags ...string) (*harness.Proxy, *harness.Cluster) {
	t.Helper()
	proxy := harness.StartProxy(t, f.controlPlane.URL)
	v := harness.StartVicinal(t, f.controlPlane.Run, append(flags, "--kubeconfig="+f.controlPlane.VicinalKubeconfig(t, proxy.URL()))...)
	cluster := f.controlPlane.StartCluster(t, f.observer, v)
	t.Cleanup(func() { cluster.Clear(t); cluster.Scheduler.Kill() })
	cluster.Apply(t, nodes()...)
	proxy.DelayRequests(bindDelay)
	proxy.Delay(eventDelay)
	return proxy, cluster
}

func wantNoRuleBroken(t *testing.T, f *fixture, mode string) {
	_, cluster := f.start(t, mode)
	referee := f.controlPlane.StartReferee(t, f.observer.Nodes(t))
	n := podCount(t)
	begin := time.Now()
	waits, timeouts := 0.0, 0.0
	for wave, pods := range workload(n) {
		// Killed in the middle of each wave.
		cluster.SubmitPods(t, pods[:len(pods)/2])
		waits += cluster.Vicinal.Metric(t, "vicinal_in_flight_wait_seconds")
		timeouts += cluster.Vicinal.Metric(t, "vicinal_in_flight_wait_timeouts_total")
		cluster.Vicinal = cluster.Vicinal.Restart(t, f.controlPlane.Run)
		cluster.SubmitPods(t, pods[len(pods)/2:])
		waitPlaced(t, cluster, (wave+1)*len(pods))
		for _, broken := range brokenRules(t, cluster) {
			t.Errorf("after wave %d: %s", wave, broken)
		}
	}
	for _, broken := range referee.Judged(t, n) {
		t.Error(broken)
	}
	waits += cluster.Vicinal.Metric(t, "vicinal_in_flight_wait_seconds")
	timeouts += cluster.Vicinal.Metric(t, "vicinal_in_flight_wait_timeouts_total")
	if mode == "--mode=advise" && waits == 0 {
		t.Error("no question had to wait: this run proves nothing")
	}
	t.Logf("%d pods placed in %.1f s, with two restarts; since the last one %.0f bindings, in all %.0f waits, %.0f in vain",
		n, time.Since(begin).Seconds(), cluster.Vicinal.Metric(t, "vicinal_bindings_total"), waits, timeouts)
}

// wantRulesBroken shows that the workload breaks rules if it can.
func wantRulesBroken(t *testing.T, f *fixture, mode string) {
	_, cluster := f.start(t, mode, noLedger)
	referee := f.controlPlane.StartReferee(t, f.observer.Nodes(t))
	for _, pods := range workload(100) {
		cluster.SubmitPods(t, pods)
	}
	harness.Eventually(t, settleTimeout, "some rule is broken", func() string {
		if len(referee.Broken()) > 0 && len(brokenRules(t, cluster)) > 0 {
			return ""
		}
		return fmt.Sprintf("none is, and %d pods are placed", placed(t, cluster))
	})
	broken := referee.Broken()
	t.Logf("%d rules broken by %d placements, such as %s", len(broken), placed(t, cluster), broken[0])
}

// waitPlaced waits until that many pods are placed.
func waitPlaced(t *testing.T, cluster *harness.Cluster, want int) {
	t.Helper()
	harness.Eventually(t, settleTimeout, fmt.Sprintf("%d pods are placed", want), func() string {
		if got := placed(t, cluster); got != want {
			return fmt.Sprintf("%d are; pending: %v", got, pending(t, cluster, 3))
		}
		return ""
	})
}

// brokenRules looks at what the API server has, not at what the test has been told.
func brokenRules(t *testing.T, cluster *harness.Cluster) []string {
	t.Helper()
	return harness.BrokenRules(cluster.ListPods(t), cluster.Observer.Nodes(t))
}

func placed(t *testing.T, cluster *harness.Cluster) int {
	t.Helper()
	n := 0
	for _, pod := range cluster.Observer.Pods(t) {
		if pod.Spec.NodeName != "" {
			n++
		}
	}
	return n
}

// pending describes some of the pods that are not placed.
func pending(t *testing.T, cluster *harness.Cluster, most int) []string {
	t.Helper()
	var found []string
	for _, pod := range cluster.Observer.Pods(t) {
		if pod.Spec.NodeName == "" && len(found) < most {
			found = append(found, pod.Name+": "+harness.PendingMessage(pod))
		}
	}
	return found
}

// created is a pod that no scheduler looks at.
func created(t *testing.T, cluster *harness.Cluster, app string) *corev1.Pod {
	t.Helper()
	pod := aloneBy(corev1.LabelHostname)(app)
	pod.Spec.SchedulerName = "nobody"
	pod = cluster.SubmitPod(t, pod)
	cluster.Observer.WaitKnown(t, pod)
	cluster.Observer.WaitSeen(t, cluster.Vicinal)
	return pod
}
