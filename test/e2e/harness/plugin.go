package harness

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"regexp"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// PluginVicinal is a `vicinal serve-plugin`, which may end and come back on its socket.
type PluginVicinal struct {
	*Process
	// The admin listener's address is known while it runs.
	Socket, AdminAddress string
	run                  *Run
	args                 []string
}

// PluginConfig is the scheduler's configuration of manifests/overlays/plugin for the
// default scheduler; settings replace those of the block `vicinal`.
func (cp *ControlPlane) PluginConfig(t testing.TB, socket string, settings map[string]any) (string, map[string]any) {
	t.Helper()
	kubeconfig := cp.Kubeconfig(t, "kube-scheduler", cp.URL, cp.ClientCertificate(t, "system:kube-scheduler"))
	content, err := os.ReadFile(RepositoryFile(t, "manifests/overlays/plugin/kube-scheduler-config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	config := map[string]any{}
	if err := yaml.UnmarshalStrict(content, &config); err != nil {
		t.Fatal(err)
	}
	delete(config, "leaderElection")
	config["clientConnection"] = map[string]any{"kubeconfig": kubeconfig}
	profile := config["profiles"].([]any)[0].(map[string]any)
	profile["schedulerName"] = "default-scheduler"
	block := profile["pluginConfig"].([]any)[0].(map[string]any)["args"].(map[string]any)["vicinal"].(map[string]any)
	// Machines of tests are slow; that in-tree code answers is for tests that say so.
	block["address"], block["timeout"] = "unix:"+socket, "5s"
	for key, value := range settings {
		block[key] = value
	}
	return kubeconfig, config
}

// StartPluginScheduler starts the kube-scheduler of server/scheduler-plugin, which
// VICINAL_SCHEDULER_BIN names, with more flags.
func (cp *ControlPlane) StartPluginScheduler(t testing.TB, kubeconfig string, config map[string]any, flags ...string) *Scheduler {
	t.Helper()
	return cp.StartPluginReplica(t, "kube-scheduler", kubeconfig, config, append([]string{"--leader-elect=false"}, flags...)...)
}

// StartPluginReplica is StartPluginScheduler under a name, and with leader election as its
// configuration has it.
func (cp *ControlPlane) StartPluginReplica(t testing.TB, name, kubeconfig string, config map[string]any, flags ...string) *Scheduler {
	t.Helper()
	binary := os.Getenv("VICINAL_SCHEDULER_BIN")
	if !isExecutable(binary) {
		t.Fatalf("VICINAL_SCHEDULER_BIN: %q is no executable file; server/scheduler-plugin/build makes it", binary)
	}
	return cp.launchBinary(t, absolute(t, binary), name, kubeconfig, config, append([]string{"--v=3"}, flags...)...)
}

// NewPluginVicinal is one that does not run yet, and will listen on socket; flags are added.
func NewPluginVicinal(t testing.TB, run *Run, socket string, schedulerConfig map[string]any, flags ...string) *PluginVicinal {
	t.Helper()
	content, err := yaml.Marshal(schedulerConfig)
	if err != nil {
		t.Fatal(err)
	}
	file := socket + ".config.yaml"
	writeFile(t, file, content)
	return NewPluginVicinalWith(t, run, socket, append([]string{"--scheduler-config=" + file, "--admin-listen-address=127.0.0.1:0"}, flags...)...)
}

// NewPluginVicinalWith is NewPluginVicinal with all other flags given.
func NewPluginVicinalWith(t testing.TB, run *Run, socket string, flags ...string) *PluginVicinal {
	t.Helper()
	args := append([]string{"serve-plugin", "--socket=" + socket, "--kubernetes-release=" + pluginSchedulerRelease(t)}, flags...)
	return &PluginVicinal{Socket: socket, run: run, args: args}
}

var pluginListening = regexp.MustCompile(`^listening plugin=\S+ admin=(127\.0\.0\.1:[0-9]+)\n$`)

// Start starts it, or starts it again.
func (v *PluginVicinal) Start(t testing.TB) {
	t.Helper()
	stdout := &lineBuffer{}
	v.Process = startProcess(t, v.run, stdout, VicinalBinary(t), "vicinal", v.args...)
	v.await(t, 20*time.Second, "vicinal says where it listens", func() string {
		m := pluginListening.FindStringSubmatch(stdout.String())
		if m == nil {
			return fmt.Sprintf("stdout so far: %q", stdout.String())
		}
		v.AdminAddress = m[1]
		return ""
	})
}

// pluginSchedulerRelease is the version of the scheduler's code in VICINAL_SCHEDULER_BIN.
func pluginSchedulerRelease(t testing.TB) string {
	t.Helper()
	info, err := buildinfo.ReadFile(os.Getenv("VICINAL_SCHEDULER_BIN"))
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range info.Deps {
		if module.Path == "k8s.io/kubernetes" {
			return module.Version
		}
	}
	t.Fatal("VICINAL_SCHEDULER_BIN: built without k8s.io/kubernetes")
	return ""
}
