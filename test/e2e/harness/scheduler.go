package harness

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// Scheduler is a running kube-scheduler.
type Scheduler struct {
	*Process
	url   string
	admin *http.Client
}

// startScheduler starts kube-scheduler as itself (system:kube-scheduler). With
// vicinal it runs the manifest of vicinal's mode; with nil it runs as shipped, all
// in-tree plugins on.
func (cp *ControlPlane) startScheduler(t testing.TB, vicinal *Vicinal) *Scheduler {
	t.Helper()
	kubeconfig, config := cp.configFor(t, vicinal)
	// Alone here, and it must outlive a restart of the API server.
	return cp.StartScheduler(t, "kube-scheduler", kubeconfig, config, "--leader-elect=false")
}

// StartQuietScheduler is for measurements: it logs no more than an operator's does, which
// takes it much less time, and writes without its client's limit of 50 requests a second,
// which bindings through vicinal do not know.
func (cp *ControlPlane) StartQuietScheduler(t testing.TB, vicinal *Vicinal) *Scheduler {
	t.Helper()
	return cp.StartTunedScheduler(t, vicinal, nil)
}

// StartTunedScheduler is StartQuietScheduler with these settings of its configuration in
// place of the manifest's, and with more flags.
func (cp *ControlPlane) StartTunedScheduler(t testing.TB, vicinal *Vicinal, settings map[string]any, flags ...string) *Scheduler {
	t.Helper()
	kubeconfig, config := cp.configFor(t, vicinal)
	maps.Copy(config, settings)
	config["clientConnection"] = map[string]any{"kubeconfig": kubeconfig, "qps": 100_000, "burst": 100_000}
	return cp.launchScheduler(t, "kube-scheduler", kubeconfig, config, append(flags, "--leader-elect=false", "--v=0")...)
}

// StartQuietSchedulerAt has it speak to the API server through another URL.
func (cp *ControlPlane) StartQuietSchedulerAt(t testing.TB, url string, vicinal *Vicinal) *Scheduler {
	t.Helper()
	_, config := cp.configFor(t, vicinal)
	kubeconfig := cp.Kubeconfig(t, "kube-scheduler", url, cp.ClientCertificate(t, "system:kube-scheduler"))
	config["clientConnection"] = map[string]any{"kubeconfig": kubeconfig, "qps": 100_000, "burst": 100_000}
	return cp.launchScheduler(t, "kube-scheduler", kubeconfig, config, "--leader-elect=false", "--v=0")
}

// configFor is the scheduler's kubeconfig and configuration.
func (cp *ControlPlane) configFor(t testing.TB, vicinal *Vicinal) (string, map[string]any) {
	t.Helper()
	kubeconfig := cp.Kubeconfig(t, "kube-scheduler", cp.URL, cp.ClientCertificate(t, "system:kube-scheduler"))
	config := stockConfig(kubeconfig)
	if vicinal != nil {
		config = ExtenderConfig(t, vicinal.Mode(), kubeconfig, vicinal.ExtenderURL())
		if vicinal.tlsConfig != nil {
			for _, extender := range config["extenders"].([]any) {
				extender := extender.(map[string]any)
				extender["enableHTTPS"], extender["tlsConfig"] = true, vicinal.tlsConfig
			}
		}
	}
	return kubeconfig, config
}

// StartScheduler starts kube-scheduler with a configuration and more flags, and
// returns once it is ready (which it is also while another one leads).
func (cp *ControlPlane) StartScheduler(t testing.TB, name, kubeconfig string, config map[string]any, flags ...string) *Scheduler {
	t.Helper()
	// With the scores of every node, and errors of extenders, which it swallows.
	return cp.launchScheduler(t, name, kubeconfig, config, append(flags, "--v=3", "--vmodule=schedule_one=10")...)
}

func (cp *ControlPlane) launchScheduler(t testing.TB, name, kubeconfig string, config map[string]any, flags ...string) *Scheduler {
	t.Helper()
	return cp.launchBinary(t, KubeBinary(t, "kube-scheduler"), name, kubeconfig, config, flags...)
}

func (cp *ControlPlane) launchBinary(t testing.TB, binary, name, kubeconfig string, config map[string]any, flags ...string) *Scheduler {
	t.Helper()
	content, err := yaml.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	configFile := cp.Run.Path(name + "-config.yaml")
	writeFile(t, configFile, content)
	server := cp.CA.Server(t, "kube-scheduler-server")
	port := FreePort(t)
	s := &Scheduler{
		url: fmt.Sprintf("https://127.0.0.1:%d", port),
		admin: &http.Client{
			Timeout:   5 * time.Second,
			Transport: &http.Transport{TLSClientConfig: cp.CA.TLSConfig(t, cp.AdminPair)},
		},
	}
	s.Process = startProcess(t, cp.Run, nil, binary, name, append(flags,
		"--config="+configFile,
		"--bind-address=127.0.0.1", "--secure-port="+strconv.Itoa(port),
		"--tls-cert-file="+server.CertFile, "--tls-private-key-file="+server.KeyFile,
		"--authentication-kubeconfig="+kubeconfig, "--authorization-kubeconfig="+kubeconfig)...)
	s.await(t, startTimeout, "kube-scheduler is ready", func() string { return getProblem(s.admin, s.url+"/readyz") })
	return s
}

func stockConfig(kubeconfig string) map[string]any {
	return map[string]any{
		"apiVersion":       "kubescheduler.config.k8s.io/v1",
		"kind":             "KubeSchedulerConfiguration",
		"clientConnection": map[string]any{"kubeconfig": kubeconfig},
	}
}

// manifests are the scheduler's configurations, by the mode of vicinal.
var manifests = map[string]string{
	"advise": "manifests/base/kube-scheduler-config.yaml",
	"decide": "manifests/overlays/kubeadm-decide/kube-scheduler-config.yaml",
}

// ManifestOf is the scheduler's configuration for a mode of vicinal.
func ManifestOf(t testing.TB, mode string) string {
	t.Helper()
	path, ok := manifests[mode]
	if !ok {
		t.Fatalf("no configuration of the scheduler for mode %q", mode)
	}
	return RepositoryFile(t, path)
}

// ManifestFlags are the feature gates that the manifests give kube-scheduler beside the
// configuration.
func ManifestFlags(t testing.TB) []string {
	t.Helper()
	for _, object := range LoadManifest(t, RepositoryFile(t, "manifests/overlays/second-scheduler/deployment.yaml")) {
		deployment, ok := object.(*appsv1.Deployment)
		if !ok {
			continue
		}
		for _, container := range deployment.Spec.Template.Spec.Containers {
			if container.Name == "kube-scheduler" {
				return slices.DeleteFunc(slices.Clone(container.Command), func(arg string) bool { return !strings.HasPrefix(arg, "--feature-gates=") })
			}
		}
	}
	t.Fatal("the manifests have no container kube-scheduler")
	return nil
}

// ExtenderConfig is the manifest of a mode with the two lines filled in that belong
// to the machine it runs on.
func ExtenderConfig(t testing.TB, mode, kubeconfig, extenderURL string) map[string]any {
	t.Helper()
	content, err := os.ReadFile(ManifestOf(t, mode))
	if err != nil {
		t.Fatal(err)
	}
	return FillInConfig(t, content, kubeconfig, extenderURL)
}

// FillInConfig is a configuration of the manifests with those lines filled in.
func FillInConfig(t testing.TB, content []byte, kubeconfig, extenderURL string) map[string]any {
	t.Helper()
	config := map[string]any{}
	if err := yaml.UnmarshalStrict(content, &config); err != nil {
		t.Fatal(err)
	}
	config["clientConnection"] = map[string]any{"kubeconfig": kubeconfig}
	extenders, ok := config["extenders"].([]any)
	if !ok || len(extenders) != 2 {
		t.Fatal("the scheduler's configuration: exactly two extenders expected")
	}
	for _, extender := range extenders {
		extender, ok := extender.(map[string]any)
		if !ok {
			t.Fatal("the scheduler's configuration: an extender is no object")
		}
		extender["urlPrefix"] = extenderURL
		if !strings.HasPrefix(extenderURL, "https://") {
			delete(extender, "enableHTTPS")
			delete(extender, "tlsConfig")
		}
	}
	return config
}

// URL is that of its own listener.
func (s *Scheduler) URL() string { return s.url }

// Metrics reads /metrics.
func (s *Scheduler) Metrics() (Metrics, error) { return scrape(s.admin, s.url+"/metrics") }

func (s *Scheduler) metric(name, label, value string) (float64, error) {
	m, err := s.Metrics()
	if err != nil {
		return 0, err
	}
	return m.Value(name, label, value)
}

var finalScore = regexp.MustCompile(`"Calculated node's final score for pod" pod="([^"]*)" node="([^"]*)" score=([0-9]+)`)

// Totals are the final scores per node of the pod's last attempt, as the scheduler
// logged them.
func (s *Scheduler) Totals(t testing.TB, pod *corev1.Pod) map[string]int64 {
	t.Helper()
	totals := map[string]int64{}
	for _, m := range finalScore.FindAllSubmatch(s.log(t), -1) {
		if string(m[1]) != pod.Namespace+"/"+pod.Name {
			continue
		}
		total, err := strconv.ParseInt(string(m[3]), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		totals[string(m[2])] = total
	}
	return totals
}

// WantNoPrioritizeError: an extender that fails to prioritize changes placements
// without any other sign than a log line.
func (s *Scheduler) WantNoPrioritizeError(t testing.TB) {
	t.Helper()
	for line := range bytes.Lines(s.log(t)) {
		if bytes.Contains(line, []byte("Failed to run extender's priority function")) {
			t.Errorf("%s", line)
		}
	}
}

func (s *Scheduler) log(t testing.TB) []byte {
	t.Helper()
	content, err := os.ReadFile(s.LogFile)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// CachedNodes is how many nodes its cache holds. The scheduler refreshes that
// number once a second.
func (s *Scheduler) CachedNodes() (int, error) {
	n, err := s.metric("scheduler_cache_size", "type", "nodes")
	return int(n), err
}

// QueuedPods is how many pods are about to be tried again (active, backoff) and
// how many wait for something to happen. The pod being tried is in neither.
func (s *Scheduler) QueuedPods() (soon, parked int, err error) {
	m, err := s.Metrics()
	if err != nil {
		return 0, 0, err
	}
	var counts [3]float64
	for i, queue := range []string{"active", "backoff", "unschedulable"} {
		if counts[i], err = m.Value("scheduler_pending_pods", "queue", queue); err != nil {
			return 0, 0, err
		}
	}
	return int(counts[0] + counts[1]), int(counts[2]), nil
}

// Attempts is how many pods have been placed, how many of them with at most two
// attempts, and how many attempts these pods have needed together.
func (s *Scheduler) Attempts(t testing.TB) (placed, withinTwo, attempts int) {
	t.Helper()
	m, err := s.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	for _, metric := range m["scheduler_pod_scheduling_attempts"].GetMetric() {
		histogram := metric.GetHistogram()
		placed += int(histogram.GetSampleCount())
		attempts += int(histogram.GetSampleSum())
		for _, bucket := range histogram.GetBucket() {
			if bucket.GetUpperBound() == 2 {
				withinTwo += int(bucket.GetCumulativeCount())
			}
		}
	}
	return placed, withinTwo, attempts
}
