package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWorkloadsAreReadWithTheirFloors(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "performance-config.yaml"), `
- name: Spread
  workloads:
  - name: 5Nodes
  - name: 5000Nodes
    threshold: 460
- name: ByTopic
  workloads:
  - name: 5Nodes
    threshold: {misc: 10}
`)
	got, err := readWorkloads(folder)
	want := []workload{{folder, "Spread", "5Nodes", 0}, {folder, "Spread", "5000Nodes", 460}, {folder, "ByTopic", "5Nodes", 0}}
	if err != nil || len(got) != len(want) {
		t.Fatalf("got %v %v, want %v", got, err, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %v, want %v", got[i], want[i])
		}
	}
}

func TestResultsAreReadOrAnError(t *testing.T) {
	folder := t.TempDir()
	var m measurement
	if err := m.read(folder); err == nil {
		t.Error("no file is no error")
	}
	write(t, filepath.Join(folder, "a.json"), `{"dataItems": [{"data": {"Average": 1}, "labels": {"Metric": "other"}}]}`)
	if err := m.read(folder); err == nil {
		t.Error("neither throughput nor duration is no error")
	}
	write(t, filepath.Join(folder, "a.json"), `{"dataItems": [
		{"data": {"Average": 7, "Perc50": 6, "Perc99": 9}, "labels": {"Metric": "SchedulingThroughput"}},
		{"data": {"Perc99": 3}, "labels": {"Metric": "scheduler_scheduling_attempt_duration_seconds", "result": "scheduled"}},
		{"data": {"Perc99": 4}, "labels": {"Metric": "scheduler_scheduling_attempt_duration_seconds", "result": "error"}}]}`)
	if err := m.read(folder); err != nil || m.throughput.Average != 7 || m.attempt.Perc99 != 3 {
		t.Errorf("got %+v %v", m, err)
	}
}

// On a fast machine the short form is over within upstream's first two samples.
func TestARunThatIsTooShortForAThroughputHasItsDuration(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "a.json"), `{"dataItems": [
		{"labels": {"Name": "x"}},
		{"data": {"Duration": 1.42}, "labels": {"Metric": "SchedulingDuration"}}]}`)
	var m measurement
	if err := m.read(folder); err != nil {
		t.Fatal(err)
	}
	row := m.row(workload{Case: "C", Name: "N"}, "plugin", 5)
	if !strings.HasPrefix(row, "| C/N | plugin | over in 1.4 s, too soon for a sample | – | – | ") || strings.Count(row, "|") != 12 {
		t.Errorf("got %q", row)
	}
	if _, told := m.values()["pods_per_s"]; told {
		t.Error("a throughput that was not measured is kept")
	}
}

func TestCPUTimeIsToldByProgram(t *testing.T) {
	cmd := exec.Command("bash", "-c", "timeout 0.9 sha256sum /dev/zero; exit 0")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	usage := watch(cmd.Process.Pid)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	cpu := usage.stop()
	if _, known := cpu["sha256sum"]; !known {
		t.Errorf("no time of the child: %v", cpu)
	}
	if _, known := cpu[""]; !known {
		t.Errorf("no time of the process itself: %v", cpu)
	}
	if name := nameOf("/a/vicinal-with-a-long-name"); name != "vicinal-with-a-" {
		t.Errorf("the name is %q", name)
	}
}

func TestWhatHasEndedIsNotWatched(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	usage := watch(cmd.Process.Pid)
	time.Sleep(time.Millisecond)
	if cpu := usage.stop(); len(cpu) != 0 {
		t.Errorf("got %v", cpu)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
