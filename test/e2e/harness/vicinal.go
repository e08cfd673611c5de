package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// WatchedResources are the resources vicinal lists and watches, as its metrics
// name them.
var WatchedResources = []string{"pods", "nodes", "namespaces", "services", "replicasets", "replicationcontrollers", "statefulsets"}

// Vicinal is a running `vicinal serve`.
type Vicinal struct {
	*Process
	ExtenderAddress, AdminAddress string
	stdout                        *lineBuffer
	client                        *http.Client
}

var listening = regexp.MustCompile(`^listening extender=(127\.0\.0\.1:[0-9]+) admin=(127\.0\.0\.1:[0-9]+)\n$`)

// StartVicinal starts `vicinal serve` with these arguments and returns once it has
// said where it listens; it need not be ready then. Without listen addresses among
// the arguments it takes free ports.
func StartVicinal(t testing.TB, run *Run, args ...string) *Vicinal {
	t.Helper()
	v := &Vicinal{stdout: &lineBuffer{}, client: &http.Client{Timeout: 10 * time.Second}}
	args = append([]string{"serve"}, args...)
	for _, flag := range []string{"--listen-address", "--admin-listen-address"} {
		if !strings.Contains(strings.Join(args, " "), " "+flag+"=") {
			args = append(args, flag+"=127.0.0.1:0")
		}
	}
	v.Process = startProcess(t, run, v.stdout, VicinalBinary(t), "vicinal", args...)
	v.await(t, 20*time.Second, "vicinal says where it listens", func() string {
		line := v.Stdout()
		if m := listening.FindStringSubmatch(line); m != nil {
			v.ExtenderAddress, v.AdminAddress = m[1], m[2]
			return ""
		}
		return fmt.Sprintf("stdout so far: %q", line)
	})
	return v
}

// Restart starts vicinal again as it was started, on the same ports.
func (v *Vicinal) Restart(t testing.TB, run *Run) *Vicinal {
	t.Helper()
	v.Kill()
	var args []string
	for _, arg := range v.cmd.Args[2:] {
		if !strings.HasPrefix(arg, "--listen-address=") && !strings.HasPrefix(arg, "--admin-listen-address=") {
			args = append(args, arg)
		}
	}
	return StartVicinal(t, run, append(args, "--listen-address="+v.ExtenderAddress, "--admin-listen-address="+v.AdminAddress)...)
}

// Stdout is everything written to standard output so far.
func (v *Vicinal) Stdout() string { return v.stdout.String() }

// ExtenderURL is the extender's urlPrefix.
func (v *Vicinal) ExtenderURL() string { return "http://" + v.ExtenderAddress }

// Get asks the admin listener and returns the status code.
func (v *Vicinal) Get(path string) (int, error) {
	response, err := v.client.Get("http://" + v.AdminAddress + path)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

// WaitReady waits for /readyz.
func (v *Vicinal) WaitReady(t testing.TB) {
	t.Helper()
	v.await(t, 30*time.Second, "vicinal is ready", func() string { return getProblem(v.client, "http://"+v.AdminAddress+"/readyz") })
}

// Metrics reads /metrics.
func (v *Vicinal) Metrics() (Metrics, error) {
	return scrape(v.client, "http://"+v.AdminAddress+"/metrics")
}

// WatchMetric is one of the vicinal_watch_* metrics for every watched resource.
func (v *Vicinal) WatchMetric(t testing.TB, name string) map[string]float64 {
	t.Helper()
	m, err := v.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, resource := range WatchedResources {
		if values[resource], err = m.Value(name, "resource", resource); err != nil {
			t.Fatal(err)
		}
	}
	return values
}

// Gauge is a metric without labels.
func (v *Vicinal) Gauge(t testing.TB, name string) float64 {
	t.Helper()
	m, err := v.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	metrics := m[name].GetMetric()
	if len(metrics) != 1 || metrics[0].Gauge == nil {
		t.Fatalf("%s is not one gauge", name)
	}
	return metrics[0].Gauge.GetValue()
}

// Filter asks what kube-scheduler would ask. It returns the status code, and the
// result if that is 200.
func (v *Vicinal) Filter(pod *corev1.Pod, nodes ...string) (int, *extenderv1.ExtenderFilterResult, error) {
	result := &extenderv1.ExtenderFilterResult{}
	status, err := v.ask("filter", pod, nodes, result)
	if status != http.StatusOK {
		return status, nil, err
	}
	return status, result, err
}

// Prioritize does the same for the scores.
func (v *Vicinal) Prioritize(pod *corev1.Pod, nodes ...string) (int, extenderv1.HostPriorityList, error) {
	var scores extenderv1.HostPriorityList
	status, err := v.ask("prioritize", pod, nodes, &scores)
	return status, scores, err
}

func (v *Vicinal) ask(verb string, pod *corev1.Pod, nodes []string, result any) (int, error) {
	body, err := json.Marshal(extenderv1.ExtenderArgs{Pod: pod, NodeNames: &nodes})
	if err != nil {
		return 0, err
	}
	response, err := v.client.Post(v.ExtenderURL()+"/"+verb, "application/json", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		_, err := io.Copy(io.Discard, response.Body)
		return response.StatusCode, err
	}
	return response.StatusCode, json.NewDecoder(response.Body).Decode(result)
}

// lineBuffer collects what a process writes while others read it.
type lineBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lineBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lineBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
