package recovery

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"vicinal/test/e2e/harness"
)

// What the other parts expect of vicinal must be what the stock scheduler does.
func stockSchedulerAlone(t *testing.T, f *fixture) {
	goOnToTheLastFreeNode(t, f.startCluster(t, nil), 0, 0)
}

func vicinalKilledAndRestarted(t *testing.T, f *fixture) {
	v := f.startVicinal(t, f.controlPlane.URL)
	cluster := f.startCluster(t, v)
	schedule(t, cluster, 3)

	v.Kill()
	// One with rules only: several would be asked about at once when vicinal is back,
	// before it can have seen where the first went.
	orphans := []*corev1.Pod{cluster.SubmitPod(t, alone()), cluster.SubmitPod(t, harness.PodOf("plain")), cluster.SubmitPod(t, harness.PodOf("plain"))}
	for _, pod := range orphans {
		f.observer.WaitCondition(t, pod, corev1.PodReasonSchedulerError)
	}
	wantRulesKept(t, cluster, 9)

	cluster.Vicinal = v.Restart(t, f.controlPlane.Run)
	for _, pod := range orphans {
		if placed := f.observer.WaitOutcome(t, pod, harness.OutcomeTimeout); placed.Spec.NodeName == "" {
			t.Errorf("%s is pending: %s", placed.Name, harness.PendingMessage(placed))
		}
	}
	f.observer.WaitSeen(t, cluster.Vicinal)
	goOnToTheLastFreeNode(t, cluster, 4, 12)
}

func apiServerKilledAndRestarted(t *testing.T, f *fixture) {
	v := f.startVicinal(t, f.controlPlane.URL)
	cluster := f.startCluster(t, v)
	schedule(t, cluster, 3)

	f.controlPlane.KillAPIServer()
	f.controlPlane.StartAPIServer(t)
	goOnToTheLastFreeNode(t, cluster, 3, 9)
}

// goOnToTheLastFreeNode: all six nodes get their alone, and a seventh finds none. So
// many pods run already, that many alone pods among them.
func goOnToTheLastFreeNode(t *testing.T, cluster *harness.Cluster, alones, running int) {
	t.Helper()
	schedule(t, cluster, 6-alones)
	running += 3 * (6 - alones)
	if seventh := cluster.CreatePod(t, alone()); seventh.Spec.NodeName != "" {
		t.Errorf("a seventh pod runs on %s", seventh.Spec.NodeName)
	}
	wantRulesKept(t, cluster, running)
}
