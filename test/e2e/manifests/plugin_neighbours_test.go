package manifests

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"vicinal/test/e2e/harness"
)

// pluginPod is what a pod of the plugin's overlay would be: the init container has run,
// and its two containers are processes.
type pluginPod struct {
	directory string // in place of /run/vicinal
	scheduler *harness.Scheduler
	vicinal   *harness.PluginVicinal
}

// startPluginPod starts it with the arguments and the configuration of the manifests. Only
// ports, the places of files and the time that an attempt waits are others.
func (f *fixture) startPluginPod(t *testing.T, name string) *pluginPod {
	t.Helper()
	pod, run := pluginVariant.pod(t), f.cp.Run
	p := &pluginPod{directory: run.Path(name)}
	// Others find the way to the socket. In a cluster they do not: the volume is the pod's.
	for _, directory := range []string{run.Dir, p.directory} {
		if err := os.MkdirAll(directory, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(directory, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	configFile := run.Path(name + "-profile.yaml")
	here := strings.NewReplacer("/run/vicinal", p.directory, "/etc/vicinal/kube-scheduler-config.yaml", configFile)
	content := strings.ReplaceAll(here.Replace(pluginVariant.schedulerConfig(t)), "timeout: 20ms", "timeout: 5s")
	if err := os.WriteFile(configFile, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	config := map[string]any{}
	if err := yaml.UnmarshalStrict([]byte(content), &config); err != nil {
		t.Fatal(err)
	}
	runInitContainer(t, pod, here)
	flags := []string{"--admin-listen-address=127.0.0.1:0"}
	for _, arg := range container(t, pod, "vicinal").Args[1:] {
		switch {
		case strings.HasPrefix(arg, "--admin-listen-address="):
			if !strings.HasPrefix(arg, "--admin-listen-address=127.0.0.1:") {
				t.Errorf("vicinal has %s, want an address of loopback", arg)
			}
		case !strings.HasPrefix(arg, "--socket="):
			flags = append(flags, here.Replace(arg))
		}
	}
	p.vicinal = harness.NewPluginVicinalWith(t, run, p.directory+"/plugin.sock", flags...)
	p.vicinal.Start(t)
	kubeconfig := f.secondSchedulersKubeconfig(t)
	config["clientConnection"] = map[string]any{"kubeconfig": kubeconfig}
	p.scheduler = f.cp.StartPluginReplica(t, name, kubeconfig, config, container(t, pod, "kube-scheduler").Command[2:]...)
	return p
}

// pluginsNeighboursGetNothing is neighboursGetNothing for the plugin's overlay, whose
// vicinal has a socket and an admin listener.
func (f *fixture) pluginsNeighboursGetNothing(t *testing.T) {
	observer := f.cp.StartObserver(t)
	// The scheduler places pods, and after a moment vicinal answers it: it must connect, and
	// is told of the cluster when a pod is tried.
	works := func(p *pluginPod, name string) {
		t.Helper()
		before := p.answered(t)
		harness.Eventually(t, harness.OutcomeTimeout, "vicinal answers", func() string {
			pod := harness.GoneAtOnce(harness.AwayFrom("none", corev1.LabelHostname, harness.PodOf("web")))
			pod.GenerateName, pod.Spec.SchedulerName = name+"-", "vicinal-scheduler"
			created, err := f.cp.Admin.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if placed := observer.WaitOutcome(t, created, harness.OutcomeTimeout); placed.Spec.NodeName == "" {
				t.Fatalf("%s is not placed: %v", placed.Name, placed.Status.Conditions)
			}
			if err := f.cp.Admin.CoreV1().Pods("default").Delete(t.Context(), created.Name, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			if p.answered(t) == before {
				return "in-tree code does"
			}
			return ""
		})
	}
	first := f.startPluginPod(t, "plugin-first")
	works(first, "plugin-first")
	wantProbesAnswered(t, pluginVariant.pod(t), first.scheduler.URL(), "https://"+first.vicinal.AdminAddress)
	f.pluginsOthersGetNothing(t, first, f.strangers(t, ""))
	// The container alone: the socket is left over, the certificates are the same.
	first.vicinal.Kill()
	first.vicinal.Start(t)
	works(first, "plugin-again")
	f.pluginsOthersGetNothing(t, first, f.strangers(t, ""))
	first.scheduler.Kill()
	first.vicinal.Kill()
	f.freeLeases(t)

	second := f.startPluginPod(t, "plugin-second")
	works(second, "plugin-second")
	f.pluginsOthersGetNothing(t, second, f.strangers(t, first.directory+"/tls"))
	works(second, "plugin-after")
}

// answered is how many attempts vicinal has answered. A scheduler that has just started
// takes a moment to know whose certificate may read its metrics.
func (p *pluginPod) answered(t *testing.T) float64 {
	t.Helper()
	answered := 0.0
	harness.Eventually(t, harness.OutcomeTimeout, "the scheduler's metrics", func() string {
		metrics, err := p.scheduler.Metrics()
		if err != nil {
			return err.Error()
		}
		answered = metrics.SumWhere("vicinal_plugin_attempts_total", map[string]string{"answered_by": "vicinal"})
		return ""
	})
	return answered
}

// pluginsOthersGetNothing: nobody gets through the socket, or can put another one in its
// place, and the admin listener, which is the only one, says no more than that it is there.
func (f *fixture) pluginsOthersGetNothing(t *testing.T, p *pluginPod, strangers map[string]harness.Pair) {
	t.Helper()
	f.othersGetNothingOf(t, p.vicinal.AdminAddress, []string{p.vicinal.AdminAddress + "/metrics", p.vicinal.AdminAddress + "/decisions"}, strangers)
	wantListeners(t, p.vicinal.PID(), p.vicinal.AdminAddress)
	own := with(harness.Pair{CertFile: p.directory + "/tls/client.crt", KeyFile: p.directory + "/tls/client.key"}, "https://"+p.vicinal.AdminAddress+"/metrics")
	if output, err := curl(nil, own...); err != nil || !strings.Contains(output, "\nvicinal_plugin_synced 1\n") {
		t.Errorf("/metrics with the pod's certificate: %v: %.200s", err, output)
	}
	if nobody() == nil {
		return // Without root the test is who may open the socket.
	}
	socket := p.vicinal.Socket
	connect := func(as []string) bool {
		_, err := curl(as, "--http2-prior-knowledge", "--unix-socket", socket, "http://vicinal/")
		var exit *exec.ExitError
		const cannotConnect = 7
		return !errors.As(err, &exit) || exit.ExitCode() != cannotConnect
	}
	if !connect(nil) {
		t.Error("the owner cannot open the socket: nothing is tried here")
	}
	if connect(nobody()) {
		t.Error("nobody can open the socket")
	}
	for _, try := range [][]string{{"rm", "-f", socket}, {"mv", socket, socket + "2"}, {"cat", p.directory + "/tls/client.key"}, {"touch", filepath.Join(p.directory, "x")}} {
		if output, err := exec.Command(nobody()[0], append(nobody()[1:], try...)...).CombinedOutput(); err == nil {
			t.Errorf("nobody can %v: %s", try, output)
		}
	}
}

// wantProbesAnswered: kubelet, which has no certificate, reaches what it probes, and is
// content while all is well.
func wantProbesAnswered(t *testing.T, pod *corev1.Pod, scheduler, vicinal string) {
	t.Helper()
	// By the number of the port: who listens, and on which addresses in the manifests.
	urls := map[int32]string{10259: scheduler, 8891: vicinal}
	listens := map[int32]string{}
	names := map[string]int32{}
	for _, c := range pod.Spec.Containers {
		for _, arg := range slices.Concat(c.Command, c.Args) {
			if address, ok := strings.CutPrefix(arg, "--bind-address="); ok {
				listens[10259] = address
			}
			if address, ok := strings.CutPrefix(arg, "--admin-listen-address="); ok {
				listens[8891] = strings.TrimSuffix(address, ":8891")
			}
		}
		for _, port := range c.Ports {
			names[port.Name] = port.ContainerPort
		}
	}
	for _, c := range pod.Spec.Containers {
		for _, probe := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
			if probe == nil {
				continue
			}
			get := probe.HTTPGet
			port := get.Port.IntVal
			if get.Port.StrVal != "" {
				port = names[get.Port.StrVal]
			}
			if listens[port] == "127.0.0.1" && (get.Host != "127.0.0.1" || !pod.Spec.HostNetwork) {
				t.Errorf("%s: kubelet cannot reach port %d, which is on loopback", c.Name, port)
			}
			if get.Scheme != corev1.URISchemeHTTPS {
				t.Errorf("%s: a probe with the scheme %q, want HTTPS", c.Name, get.Scheme)
			}
			harness.Eventually(t, harness.OutcomeTimeout, c.Name+": "+get.Path+" is answered", func() string {
				if output, err := curl(nobody(), urls[port]+get.Path); err != nil {
					return fmt.Sprint(err, ": ", output)
				}
				return ""
			})
		}
	}
}
