// Package quiet counts what pods that fit nowhere cost: how often the scheduler tries
// them, what is written to the API server for them, and what that does to the others.
// The scheduler as shipped and the scheduler with vicinal do the same in one run.
package quiet

import (
	"flag"
	"fmt"
	"os"
	"strings"
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
	vicinal   *harness.Process // nil without one
}

var (
	modes   = flag.String("modes", "", "which schedulers; the others are compared with the first. Default: stock,decide,advise, and plugin if $VICINAL_SCHEDULER_BIN names one")
	nodes   = flag.Int("nodes", 200, "nodes of the cluster")
	seconds = flag.Int("seconds", 8, "how long to count")
	backoff = flag.Int("pod-max-backoff-seconds", 0, "in place of the manifests' podMaxBackoffSeconds, if not 0")
	gates   = flag.String("feature-gates", "", "of the schedulers with vicinal, in place of the manifests'")
)

// sides are the modes to run.
func sides() []string {
	if *modes != "" {
		return strings.Split(*modes, ",")
	}
	all := []string{"stock", "decide", "advise"}
	if os.Getenv("VICINAL_SCHEDULER_BIN") != "" {
		all = append(all, "plugin")
	}
	return all
}

// extends is whether a mode is one of the extender.
func extends(mode string) bool { return mode == "decide" || mode == "advise" }

// start starts the scheduler of a mode, after the vicinal that it asks.
func start(t *testing.T, cp *harness.ControlPlane, mode string) *side {
	t.Helper()
	s := &side{name: mode, cp: cp, cluster: &harness.Cluster{Client: cp.Admin, Observer: cp.StartObserver(t)}}
	switch {
	case mode == "plugin":
		socket := cp.Run.Path("plugin.sock")
		kubeconfig, config := cp.PluginConfig(t, socket, nil)
		config["clientConnection"] = map[string]any{"kubeconfig": kubeconfig, "qps": 100_000, "burst": 100_000}
		vicinal := harness.NewPluginVicinal(t, cp.Run, socket, config)
		vicinal.Start(t)
		s.vicinal = vicinal.Process
		s.scheduler = cp.StartPluginScheduler(t, kubeconfig, config, "--v=0")
	case extends(mode):
		settings, flags := map[string]any{}, harness.ManifestFlags(t)
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
		vicinal := harness.StartVicinal(t, cp.Run, args...)
		vicinal.WaitReady(t)
		s.vicinal, s.cluster.Vicinal = vicinal.Process, vicinal
		s.scheduler = cp.StartTunedScheduler(t, vicinal, settings, flags...)
	default:
		s.scheduler = cp.StartTunedScheduler(t, nil, nil)
	}
	s.cluster.Scheduler = s.scheduler
	return s
}

// counts is what has happened since the processes were started.
type counts struct {
	failed, patches              float64
	scheduler, apiserver, beside float64 // seconds of CPU
	attempting, answering        float64 // seconds of failed attempts, and of all answers to filter
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
	c.attempting = metrics.SumWhere("scheduler_scheduling_attempt_duration_seconds", map[string]string{"result": "unschedulable"})
	if s.vicinal != nil {
		c.beside = s.vicinal.CPUSeconds(t)
	}
	if extends(s.name) {
		answers, err := s.cluster.Vicinal.Metrics()
		if err != nil {
			t.Fatal(err)
		}
		c.answering = answers.SumWhere("vicinal_request_duration_seconds", map[string]string{"verb": "filter"})
	}
	return c
}

func (c counts) since(before counts) counts {
	return counts{
		c.failed - before.failed, c.patches - before.patches,
		c.scheduler - before.scheduler, c.apiserver - before.apiserver, c.beside - before.beside,
		c.attempting - before.attempting, c.answering - before.answering,
	}
}

// recordCPU adds what the processes have used to the table.
func (s *side) recordCPU(c counts) {
	s.record("CPU of the scheduler", "%.1f s", c.scheduler)
	s.record("CPU of the API server", "%.1f s", c.apiserver)
	beside := "none"
	if s.vicinal != nil {
		beside = fmt.Sprintf("%.1f s", c.beside)
	}
	s.record("CPU of vicinal", "%s", beside)
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
