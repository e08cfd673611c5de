package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"

	"sigs.k8s.io/yaml"
)

// workload is one of those in a performance-config.yaml.
type workload struct {
	folder    string // of its topic
	Case      string
	Name      string
	Threshold float64 // the pods per second that upstream's CI wants; 0: none
}

// readWorkloads reads those of a topic in their order.
func readWorkloads(folder string) ([]workload, error) {
	path := filepath.Join(folder, "performance-config.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var cases []struct {
		Name      string
		Workloads []struct {
			Name      string
			Threshold any // a number, or numbers by topic
		}
	}
	if err := yaml.Unmarshal(text, &cases); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var all []workload
	for _, c := range cases {
		for _, w := range c.Workloads {
			threshold, _ := w.Threshold.(float64) // None of those by topic is shown.
			all = append(all, workload{folder, c.Name, w.Name, threshold})
		}
	}
	return all, nil
}

// dataItem is what upstream writes for one metric.
type dataItem struct {
	Data struct {
		distribution
		Duration float64 // only of SchedulingDuration
	}
	// By name: Metric, and of some metrics the result or the extension point.
	Labels map[string]string
}

// distribution is what upstream tells of many samples.
type distribution struct{ Average, Perc50, Perc99 float64 }

// measurement is what one run has shown.
type measurement struct {
	// Pods per second; upstream samples once a second, from the second on, and tells none
	// of a run that is over before. Then it is nil.
	throughput *distribution
	attempt    distribution // milliseconds
	duration   float64      // seconds of the measured part, the creation of its pods included
	// Seconds of CPU of the whole run, the making of nodes and first pods included.
	// Scheduler, API server and the benchmark itself are one process.
	scheduler, etcd, vicinal float64
}

// measure runs the workload in a process of its own, with an etcd of its own.
func (w workload) measure(mode string) (measurement, error) {
	items, err := os.MkdirTemp("", "vicinal-scheduler-perf-")
	if err != nil {
		return measurement{}, err
	}
	defer os.RemoveAll(items)
	log := filepath.Join(items, "log")
	output, err := os.Create(log)
	if err != nil {
		return measurement{}, err
	}
	defer output.Close()
	exact := func(name string) string { return "^" + regexp.QuoteMeta(name) + "$" }
	cmd := exec.Command(filepath.Join(w.folder, filepath.Base(w.folder)+".test"),
		"-test.run=^$", "-test.benchtime=1x", "-test.timeout=40m", "-perf-scheduling-label-filter=", "-data-items-dir="+items,
		"-test.bench=^BenchmarkPerfScheduling$/"+exact(w.Case)+"/"+exact(w.Name))
	cmd.Dir = w.folder
	cmd.Env = append(os.Environ(), "VICINAL_UPSTREAM_MODE="+mode, "VICINAL_UPSTREAM_STARTS="+filepath.Join(items, "starts"),
		"KUBE_CACHE_MUTATION_DETECTOR=false", "GLOG_minloglevel=1")
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return measurement{}, err
	}
	usage := watch(cmd.Process.Pid)
	err = cmd.Wait()
	cpu := usage.stop()
	if err != nil {
		return measurement{}, fmt.Errorf("%w: %s", err, keep(log))
	}
	m := measurement{etcd: cpu["etcd"], vicinal: cpu[nameOf(os.Getenv("VICINAL_BIN"))], scheduler: cpu[""]}
	if err := m.read(items); err != nil {
		return measurement{}, fmt.Errorf("%w: %s", err, keep(log))
	}
	return m, nil
}

// read takes what upstream has written.
func (m *measurement) read(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) != 1 {
		return fmt.Errorf("upstream has written %d files of results, not one", len(files))
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return err
	}
	var written struct{ DataItems []dataItem }
	if err := json.Unmarshal(text, &written); err != nil {
		return fmt.Errorf("%s: %w", files[0], err)
	}
	for _, item := range written.DataItems {
		switch item.Labels["Metric"] {
		case "SchedulingThroughput":
			// Of several, the last: those before belong to the preparation.
			m.throughput = &item.Data.distribution
		case "SchedulingDuration":
			m.duration = item.Data.Duration
		case "scheduler_scheduling_attempt_duration_seconds":
			if item.Labels["result"] == "scheduled" {
				m.attempt = item.Data.distribution
			}
		}
	}
	if m.throughput == nil && m.duration == 0 {
		return errors.New("neither SchedulingThroughput nor SchedulingDuration is among upstream's results")
	}
	return nil
}

// keep moves the log of a run that has failed to where it stays.
func keep(log string) string {
	kept := filepath.Join(os.TempDir(), fmt.Sprintf("vicinal-scheduler-perf-%d.log", os.Getpid()))
	text, err := os.ReadFile(log)
	if err == nil {
		err = os.WriteFile(kept, text, 0o600)
	}
	if err != nil {
		return err.Error()
	}
	return "see " + kept
}
