// Package manifests renders what an operator applies with kubectl, applies it to a real
// API server, and runs the second scheduler as it says.
package manifests

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"vicinal/test/e2e/harness"
)

// A variant is one way to deploy vicinal.
type variant struct {
	name string
	// What is applied to the API server.
	overlay string
	// The static pod on each control plane node; "" if the overlay has a Deployment.
	staticPod string
	decide    bool
}

var variants = []variant{
	{name: "kubeadm", overlay: "overlays/kubeadm", staticPod: "overlays/kubeadm/static-pod"},
	{name: "kubeadm, decide", overlay: "overlays/kubeadm-decide", staticPod: "overlays/kubeadm-decide/static-pod", decide: true},
	{name: "second scheduler", overlay: "overlays/second-scheduler"},
	{name: "second scheduler, decide", overlay: "overlays/second-scheduler-decide", decide: true},
}

func TestVicinalKnowsTheFlagsOfEveryVariant(t *testing.T) {
	help := vicinalHelp(t)
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			args := container(t, v.pod(t), "vicinal").Args
			if args[0] != "serve" {
				t.Errorf("args %q, want serve first", args)
			}
			for _, arg := range args[1:] {
				flag, _, _ := strings.Cut(arg, "=")
				if !regexp.MustCompile(regexp.QuoteMeta(flag) + `\b`).MatchString(help) {
					t.Errorf("vicinal serve has no flag %s", flag)
				}
			}
			mode := "--mode=advise"
			if v.decide {
				mode = "--mode=decide"
			}
			if !strings.Contains(strings.Join(args, " ")+" ", mode+" ") {
				t.Errorf("args %q, want %s among them", args, mode)
			}
		})
	}
}

// The scheduler asks where vicinal listens, and only from within the pod.
func TestTheSchedulerAsksWhereVicinalListens(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			var config struct {
				Extenders []struct {
					URLPrefix, PrioritizeVerb, BindVerb, PreemptVerb string
					EnableHTTPS                                      bool
					TLSConfig                                        struct{ CAFile, CertFile, KeyFile string }
				}
			}
			if err := yaml.Unmarshal([]byte(v.schedulerConfig(t)), &config); err != nil {
				t.Fatal(err)
			}
			if len(config.Extenders) != 2 || config.Extenders[0].URLPrefix != config.Extenders[1].URLPrefix {
				t.Fatalf("%v, want two extenders of one server", config.Extenders)
			}
			address := strings.TrimPrefix(config.Extenders[0].URLPrefix, "https://")
			args := container(t, v.pod(t), "vicinal").Args
			if !strings.Contains(strings.Join(args, " ")+" ", "--listen-address="+address+" ") || !strings.HasPrefix(address, "127.0.0.1:") {
				t.Errorf("the scheduler asks %s, vicinal has %q", address, args)
			}
			for i, extender := range config.Extenders {
				if !extender.EnableHTTPS || extender.TLSConfig.CAFile == "" || extender.TLSConfig.CertFile == "" || extender.TLSConfig.KeyFile == "" {
					t.Errorf("extender %d is asked without a client certificate", i)
				}
			}
			if !slices.Contains(args, "--client-ca-file="+config.Extenders[0].TLSConfig.CAFile) {
				t.Errorf("vicinal asks its clients for no certificate: %q", args)
			}
			if scores := config.Extenders[0].PrioritizeVerb != ""; scores == v.decide {
				t.Errorf("prioritize %v in this mode", scores)
			}
			if bind, preempt := config.Extenders[1].BindVerb, config.Extenders[0].PreemptVerb; bind != "bind" || preempt != "preempt" {
				t.Errorf("bindVerb %q, preemptVerb %q", bind, preempt)
			}
		})
	}
}

// The second scheduler's profile is the first one's under another name.
func TestTheSecondSchedulerHasTheSameProfile(t *testing.T) {
	for _, pair := range [][2]variant{{variants[0], variants[2]}, {variants[1], variants[3]}} {
		var configs [2]map[string]any
		for i, v := range pair {
			if err := yaml.Unmarshal([]byte(v.schedulerConfig(t)), &configs[i]); err != nil {
				t.Fatal(err)
			}
			for _, profile := range configs[i]["profiles"].([]any) {
				delete(profile.(map[string]any), "schedulerName")
			}
		}
		for _, part := range []string{"profiles", "extenders"} {
			first, second := fmt.Sprint(configs[0][part]), fmt.Sprint(configs[1][part])
			if first != second {
				t.Errorf("%s of %s:\n  %s\nof %s:\n  %s", part, pair[0].name, first, pair[1].name, second)
			}
		}
	}
}

// Who may read the metrics is said by a component, in the pod of either Deployment.
func TestTheMetricsComponentsNameTheAuthorityOfTheReaders(t *testing.T) {
	for _, test := range []struct{ folder, component, flag string }{
		{"overlays/second-scheduler", "components/metrics", "--metrics-client-ca-file="},
		{"overlays/second-scheduler-decide", "components/metrics", "--metrics-client-ca-file="},
		{"deschedule/deployment", "components/metrics-deschedule", "--client-ca-file="},
	} {
		directory := t.TempDir()
		relative := func(folder string) string {
			path, err := filepath.Rel(directory, harness.RepositoryFile(t, filepath.Join("manifests", folder)))
			if err != nil {
				t.Fatal(err)
			}
			return path
		}
		content := fmt.Sprintf("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [%s]\ncomponents: [%s]\n", relative(test.folder), relative(test.component))
		if err := os.WriteFile(filepath.Join(directory, "kustomization.yaml"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		found := false
		for _, object := range harness.ParseManifest(t, kubectl(t, nil, "kustomize", directory)) {
			deployment, ok := object.(*appsv1.Deployment)
			if !ok {
				continue
			}
			pod := &corev1.Pod{Spec: deployment.Spec.Template.Spec}
			vicinal := container(t, pod, "vicinal")
			found = slices.Contains(vicinal.Args, test.flag+"/etc/vicinal-metrics/ca.crt") &&
				slices.ContainsFunc(vicinal.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == "/etc/vicinal-metrics" && m.ReadOnly })
		}
		if !found {
			t.Errorf("%s with %s: vicinal does not read the authority", test.folder, test.component)
		}
	}
}

// objects of the variant that are applied.
func (v variant) objects(t *testing.T) []runtime.Object {
	t.Helper()
	return harness.ParseManifest(t, kustomize(t, v.overlay))
}

// pod that vicinal runs in.
func (v variant) pod(t *testing.T) *corev1.Pod {
	t.Helper()
	if v.staticPod != "" {
		objects := harness.ParseManifest(t, kustomize(t, v.staticPod))
		pod, ok := objects[0].(*corev1.Pod)
		if !ok || len(objects) != 1 {
			t.Fatalf("%s has %d objects, want a pod and nothing else", v.staticPod, len(objects))
		}
		return pod
	}
	for _, object := range v.objects(t) {
		if deployment, ok := object.(*appsv1.Deployment); ok {
			pod := &corev1.Pod{ObjectMeta: deployment.Spec.Template.ObjectMeta, Spec: deployment.Spec.Template.Spec}
			pod.Name = deployment.Name
			return pod
		}
	}
	t.Fatalf("%s has no deployment", v.overlay)
	return nil
}

func (v variant) schedulerConfig(t *testing.T) string {
	t.Helper()
	for _, object := range v.objects(t) {
		if config, ok := object.(*corev1.ConfigMap); ok {
			return config.Data["kube-scheduler-config.yaml"]
		}
	}
	t.Fatalf("%s has no ConfigMap", v.overlay)
	return ""
}

func container(t *testing.T, pod *corev1.Pod, name string) *corev1.Container {
	t.Helper()
	for i := range pod.Spec.Containers {
		if pod.Spec.Containers[i].Name == name {
			return &pod.Spec.Containers[i]
		}
	}
	t.Fatalf("%s has no container %s", pod.Name, name)
	return nil
}

func vicinalHelp(t *testing.T) string {
	t.Helper()
	output, err := exec.Command(harness.VicinalBinary(t), "serve", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(output)
}

func kustomize(t *testing.T, folder string) []byte {
	t.Helper()
	return kubectl(t, nil, "kustomize", harness.RepositoryFile(t, filepath.Join("manifests", folder)))
}

func kubectl(t *testing.T, stdin []byte, args ...string) []byte {
	t.Helper()
	command := exec.Command(harness.KubeBinary(t, "kubectl"), args...)
	command.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	// Nothing of the user's own configuration.
	command.Env = []string{"HOME=" + t.TempDir(), "PATH=/usr/bin:/bin"}
	output, err := command.Output()
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	if stderr.Len() != 0 {
		t.Errorf("kubectl %s warns: %s", strings.Join(args, " "), &stderr)
	}
	return output
}
