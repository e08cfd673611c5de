package harness

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"vicinal/test/watched"
)

// Vicinal is a running `vicinal serve`.
type Vicinal struct {
	*Process
	ExtenderAddress, AdminAddress, GRPCAddress string
	stdout                                     *lineBuffer
	client                                     *http.Client
	// With TLS: what an extender's tlsConfig says in a KubeSchedulerConfiguration.
	tlsConfig map[string]any
}

var listening = regexp.MustCompile(`^listening extender=(127\.0\.0\.1:[0-9]+) admin=(127\.0\.0\.1:[0-9]+)(?: grpc=(127\.0\.0\.1:[0-9]+))?\n$`)

var listenFlags = []string{"--listen-address", "--admin-listen-address", "--grpc-listen-address"}

// ServeArgs are the arguments of `vicinal serve` with these flags, and with free ports
// for the listeners that are not among them: those of FreePort, since vicinal comes back on
// them after Restart. Without a cluster among the flags it is the
// sample, and without a client CA clients need no certificates.
func ServeArgs(t testing.TB, flags []string) []string {
	t.Helper()
	args := append([]string{"serve"}, flags...)
	has := func(names ...string) bool {
		return slices.ContainsFunc(flags, func(arg string) bool {
			name, _, _ := strings.Cut(arg, "=")
			return slices.Contains(names, name)
		})
	}
	if !has("--kubeconfig", "--in-cluster", "--cluster-file", "--grpc-state", "--sample") {
		args = append(args, "--sample")
	}
	if has("--kubeconfig", "--in-cluster") && !has("--client-ca-file", "--allow-anonymous-clients") {
		args = append(args, "--allow-anonymous-clients")
	}
	for _, flag := range listenFlags {
		if !slices.ContainsFunc(flags, func(arg string) bool { return strings.HasPrefix(arg, flag+"=") }) {
			args = append(args, fmt.Sprintf("%s=127.0.0.1:%d", flag, FreePort(t)))
		}
	}
	return args
}

// StartVicinal starts `vicinal serve` with these arguments and returns once it has
// said where it listens; it need not be ready then. Without listen addresses among
// the arguments it takes free ports.
func StartVicinal(t testing.TB, run *Run, args ...string) *Vicinal {
	t.Helper()
	v := &Vicinal{stdout: &lineBuffer{}, client: &http.Client{Timeout: 10 * time.Second}}
	v.Process = startProcess(t, run, v.stdout, cmp.Or(run.Vicinal, VicinalBinary(t)), "vicinal", ServeArgs(t, args)...)
	v.await(t, 20*time.Second, "vicinal says where it listens", func() string {
		line := v.Stdout()
		if m := listening.FindStringSubmatch(line); m != nil {
			v.ExtenderAddress, v.AdminAddress, v.GRPCAddress = m[1], m[2], m[3]
			return ""
		}
		return fmt.Sprintf("stdout so far: %q", line)
	})
	return v
}

// StartTLSVicinal is StartVicinal with a certificate of ca on all listeners, which
// want one of ca from their clients.
func StartTLSVicinal(t testing.TB, run *Run, ca *Authority, args ...string) *Vicinal {
	t.Helper()
	server, client := ca.Server(t, "vicinal-server"), ca.Client(t, "vicinal-client")
	v := StartVicinal(t, run, append(args, "--tls-cert-file="+server.CertFile, "--tls-private-key-file="+server.KeyFile, "--client-ca-file="+ca.CAFile)...)
	v.client.Transport = &http.Transport{TLSClientConfig: ca.TLSConfig(t, client)}
	v.tlsConfig = map[string]any{"caFile": ca.CAFile, "certFile": client.CertFile, "keyFile": client.KeyFile}
	return v
}

// UseCertificates makes the test's own questions with the client's certificate of a
// directory that `vicinal certificates` has filled.
func (v *Vicinal) UseCertificates(t testing.TB, directory string) {
	t.Helper()
	authority, certificate, key := filepath.Join(directory, "ca.crt"), filepath.Join(directory, "client.crt"), filepath.Join(directory, "client.key")
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		t.Fatal(err)
	}
	pem, err := os.ReadFile(authority)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	v.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}}}
	v.tlsConfig = map[string]any{"caFile": authority, "certFile": certificate, "keyFile": key}
}

// Restart starts vicinal again as it was started, on the same ports.
func (v *Vicinal) Restart(t testing.TB, run *Run) *Vicinal {
	t.Helper()
	v.Kill()
	var args []string
	for _, arg := range v.cmd.Args[2:] {
		if name, _, _ := strings.Cut(arg, "="); !slices.Contains(listenFlags, name) {
			args = append(args, arg)
		}
	}
	return StartVicinal(t, run, append(args, "--listen-address="+v.ExtenderAddress, "--admin-listen-address="+v.AdminAddress, "--grpc-listen-address="+v.GRPCAddress)...)
}

// Mode is the --mode it was started with.
func (v *Vicinal) Mode() string {
	for _, arg := range v.cmd.Args {
		if mode, ok := strings.CutPrefix(arg, "--mode="); ok {
			return mode
		}
	}
	return "decide"
}

// Stdout is everything written to standard output so far.
func (v *Vicinal) Stdout() string { return v.stdout.String() }

// ExtenderURL is the extender's urlPrefix.
func (v *Vicinal) ExtenderURL() string { return v.scheme() + v.ExtenderAddress }

// AdminURL is that of the admin listener.
func (v *Vicinal) AdminURL() string { return v.scheme() + v.AdminAddress }

func (v *Vicinal) scheme() string {
	if v.tlsConfig != nil {
		return "https://"
	}
	return "http://"
}

// Get asks the admin listener and returns the status code.
func (v *Vicinal) Get(path string) (int, error) {
	response, err := v.client.Get(v.AdminURL() + path)
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
	v.await(t, 30*time.Second, "vicinal is ready", func() string { return getProblem(v.client, v.AdminURL()+"/readyz") })
}

// Metrics reads /metrics.
func (v *Vicinal) Metrics() (Metrics, error) {
	return scrape(v.client, v.AdminURL()+"/metrics")
}

// Metric is the sum of a gauge or counter over all its labels; 0 if it has not been
// counted yet. Of a histogram it is the number of observations.
func (v *Vicinal) Metric(t testing.TB, name string) float64 {
	t.Helper()
	m, err := v.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	return m.Sum(name)
}

// WatchMetric is one of the vicinal_watch_* metrics for every watched resource.
func (v *Vicinal) WatchMetric(t testing.TB, name string) map[string]float64 {
	t.Helper()
	m, err := v.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, resource := range watched.Resources {
		if values[resource.Name], err = m.Value(name, "resource", resource.Name); err != nil {
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
// result if that is 200. A pod without a UID is a hypothetical one, which vicinal
// does not take for one that is about to be placed.
func (v *Vicinal) Filter(pod *corev1.Pod, nodes ...string) (int, *extenderv1.ExtenderFilterResult, error) {
	result := &extenderv1.ExtenderFilterResult{}
	status, err := v.call("filter", extenderv1.ExtenderArgs{Pod: pod, NodeNames: &nodes}, result)
	if status != http.StatusOK {
		result = nil
	}
	return status, result, err
}

// Prioritize does the same for the scores.
func (v *Vicinal) Prioritize(pod *corev1.Pod, nodes ...string) (int, extenderv1.HostPriorityList, error) {
	var scores extenderv1.HostPriorityList
	status, err := v.call("prioritize", extenderv1.ExtenderArgs{Pod: pod, NodeNames: &nodes}, &scores)
	return status, scores, err
}

// Bind asks vicinal to bind a pod, and returns the error of its answer.
func (v *Vicinal) Bind(t testing.TB, pod *corev1.Pod, node string) string {
	t.Helper()
	args := extenderv1.ExtenderBindingArgs{PodName: pod.Name, PodNamespace: pod.Namespace, PodUID: pod.UID, Node: node}
	result := &extenderv1.ExtenderBindingResult{}
	if status, err := v.call("bind", args, result); status != http.StatusOK || err != nil {
		t.Fatalf("bind: status %d, %v", status, err)
	}
	return result.Error
}

// Preempt asks what kube-scheduler would ask.
func (v *Vicinal) Preempt(args *extenderv1.ExtenderPreemptionArgs) (*extenderv1.ExtenderPreemptionResult, error) {
	result := &extenderv1.ExtenderPreemptionResult{}
	status, err := v.call("preempt", args, result)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("preempt: status %d", status)
	}
	return result, err
}

// call posts to a verb of the extender and decodes the answer if its status is 200.
func (v *Vicinal) call(verb string, args, result any) (int, error) {
	body, err := json.Marshal(args)
	if err != nil {
		return 0, err
	}
	response, err := v.client.Post(v.ExtenderURL()+"/"+verb, "application/json", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		// Read to its end, so that the connection serves again.
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

// StartDescheduler starts `vicinal deschedule` with these arguments; it ends with t.
func (cp *ControlPlane) StartDescheduler(t testing.TB, args ...string) *Process {
	t.Helper()
	return startProcess(t, cp.Run, nil, VicinalBinary(t), "deschedule", append([]string{"deschedule"}, args...)...)
}
