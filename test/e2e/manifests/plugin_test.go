package manifests

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"vicinal/test/e2e/harness"
)

var pluginVariant = variant{name: "plugin", overlay: "overlays/plugin"}

// The scheduler and vicinal share a socket in memory, and nothing else.
func TestThePluginAsksTheSocketThatVicinalListensOn(t *testing.T) {
	pod := pluginVariant.pod(t)
	vicinal, scheduler := container(t, pod, "vicinal"), container(t, pod, "kube-scheduler")
	help, err := exec.Command(harness.VicinalBinary(t), "serve-plugin", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	flags := map[string]string{}
	for _, arg := range vicinal.Args[1:] {
		flag, value, _ := strings.Cut(arg, "=")
		flags[flag] = value
		if !regexp.MustCompile(regexp.QuoteMeta(flag) + `\b`).Match(help) {
			t.Errorf("vicinal serve-plugin has no flag %s", flag)
		}
	}
	var config struct {
		Profiles []struct {
			PluginConfig []struct {
				Args struct{ Vicinal struct{ Address string } }
			}
		}
	}
	if err := yaml.Unmarshal([]byte(pluginVariant.schedulerConfig(t)), &config); err != nil {
		t.Fatal(err)
	}
	if address := config.Profiles[0].PluginConfig[0].Args.Vicinal.Address; vicinal.Args[0] != "serve-plugin" || address != "unix:"+flags["--socket"] {
		t.Errorf("the scheduler asks %s, vicinal has %q", address, vicinal.Args)
	}
	for _, volume := range pod.Spec.Volumes {
		if volume.Name == "run" && (volume.EmptyDir == nil || volume.EmptyDir.Medium != corev1.StorageMediumMemory) {
			t.Errorf("the socket is in %+v", volume.VolumeSource)
		}
	}
	for name, of := range map[string]*corev1.Container{"vicinal": vicinal, "kube-scheduler": scheduler} {
		if !strings.Contains(fmt.Sprint(of.VolumeMounts), "{run false <nil> /run/vicinal") {
			t.Errorf("%s does not have the socket: %v", name, of.VolumeMounts)
		}
	}
}

func TestVicinalBesideThePluginHasNoPortsAndNoRights(t *testing.T) {
	pod := pluginVariant.pod(t)
	vicinal := container(t, pod, "vicinal")
	if len(vicinal.Ports) > 0 {
		t.Errorf("ports %v", vicinal.Ports)
	}
	if pod.Spec.AutomountServiceAccountToken == nil || *pod.Spec.AutomountServiceAccountToken {
		t.Error("every container gets the token of the pod's account")
	}
	for _, mount := range vicinal.VolumeMounts {
		if mount.Name != "run" && mount.Name != "config" {
			t.Errorf("vicinal has the volume %s", mount.Name)
		}
	}
	for _, object := range pluginVariant.objects(t) {
		switch o := object.(type) {
		case *corev1.ServiceAccount:
			if o.Name == "vicinal" {
				t.Error("vicinal has an account")
			}
		case *rbacv1.ClusterRole:
			t.Errorf("a role %s", o.Name)
		}
	}
}

func (f *fixture) pluginIsAccepted(t *testing.T) {
	if applied := f.apply(t, pluginVariant.overlay); len(applied) != len(pluginVariant.objects(t)) {
		t.Errorf("applied %v", applied)
	}
}
