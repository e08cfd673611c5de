// Package quiet counts what pods that fit nowhere cost: how often the scheduler tries
// them, what is written to the API server for them, and what that does to the others.
// The scheduler as shipped and the scheduler with vicinal do the same in one run.
package quiet

import (
	"flag"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vicinal/test/e2e/harness"
)

// side is a scheduler with what stands beside it.
type side struct {
	name      string
	cp        *harness.ControlPlane
	cluster   *harness.Cluster
	scheduler *harness.Scheduler
}

var (
	modes   = flag.String("modes", "stock,decide,advise", "which schedulers; the others are compared with the first")
	nodes   = flag.Int("nodes", 200, "nodes of the cluster")
	seconds = flag.Int("seconds", 8, "how long to count")
	backoff = flag.Int("pod-max-backoff-seconds", 0, "in place of the manifests' podMaxBackoffSeconds, if not 0")
	gates   = flag.String("feature-gates", "", "of the schedulers with vicinal, in place of the manifests'")
)

// start starts vicinal in a mode, or none for "stock", and then the scheduler.
func start(t *testing.T, cp *harness.ControlPlane, mode string) *side {
	t.Helper()
	var vicinal *harness.Vicinal
	settings, flags := map[string]any{}, []string{}
	if mode != "stock" {
		flags = harness.ManifestFlags(t)
		if *gates != "" {
			flags = []string{"--feature-gates=" + *gates}
		}
		if *backoff != 0 {
			settings["podMaxBackoffSeconds"] = *backoff
		}
		args := []string{"--mode=" + mode, "--kubeconfig=" + cp.VicinalKubeconfig(t, cp.URL)}
		if mode == "decide" {
			args = append(args, "--scheduler-config="+harness.ManifestOf(t, mode))
		}
		vicinal = harness.StartVicinal(t, cp.Run, args...)
		vicinal.WaitReady(t)
	}
	scheduler := cp.StartTunedScheduler(t, vicinal, settings, flags...)
	return &side{
		name: mode, cp: cp, scheduler: scheduler,
		cluster: &harness.Cluster{Client: cp.Admin, Observer: cp.StartObserver(t), Scheduler: scheduler, Vicinal: vicinal},
	}
}

// counts is what has happened since the processes were started.
type counts struct {
	failed, patches              float64
	scheduler, apiserver, beside float64 // seconds of CPU
}

func (s *side) counts(t *testing.T) counts {
	t.Helper()
	metrics, err := s.scheduler.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	var c counts
	for _, result := range []string{"unschedulable", "error"} {
		c.failed += metrics.SumWhere("scheduler_schedule_attempts_total", map[string]string{"result": result})
	}
	c.patches = s.cp.Metrics(t).SumWhere("apiserver_request_total", map[string]string{"verb": "PATCH", "resource": "pods", "subresource": "status"})
	c.scheduler = s.scheduler.CPUSeconds(t)
	c.apiserver, _ = s.cp.CPUSeconds(t)
	if s.cluster.Vicinal != nil {
		c.beside = s.cluster.Vicinal.CPUSeconds(t)
	}
	return c
}

func (c counts) since(before counts) counts {
	return counts{c.failed - before.failed, c.patches - before.patches, c.scheduler - before.scheduler, c.apiserver - before.apiserver, c.beside - before.beside}
}

// get reads a pod as it is now.
func (s *side) get(t *testing.T, pod *corev1.Pod) *corev1.Pod {
	t.Helper()
	now, err := s.cp.Admin.CoreV1().Pods(pod.Namespace).Get(t.Context(), pod.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return now
}
