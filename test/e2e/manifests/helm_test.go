package manifests

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"vicinal/test/e2e/harness"
)

// chart makes the Helm chart.
func chart(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "chart")
	build := exec.Command(harness.RepositoryFile(t, "manifests/chart/build"), folder)
	build.Env = []string{"HOME=" + t.TempDir(), "PATH=" + filepath.Dir(harness.KubeBinary(t, "kubectl")) + ":/usr/bin:/bin"}
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return folder
}

// helm runs it, and says what it printed where it succeeds.
func helm(t *testing.T, args ...string) ([]byte, error) {
	t.Helper()
	command := exec.Command(harness.KubeBinary(t, "helm"), args...)
	command.Env = []string{"HOME=" + t.TempDir(), "PATH=/usr/bin:/bin"}
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		return []byte(stderr.String()), err
	}
	return output, nil
}

// templates are the objects of the chart, each by kind and name.
func templates(t *testing.T, folder string, args ...string) map[string]any {
	t.Helper()
	output, err := helm(t, append([]string{"template", "vicinal", folder, "--namespace=kube-system"}, args...)...)
	if err != nil {
		t.Fatalf("helm template %q: %v\n%s", args, err, output)
	}
	return byName(t, output)
}

func byName(t *testing.T, text []byte) map[string]any {
	t.Helper()
	objects := map[string]any{}
	for document := range strings.SplitSeq("\n"+string(text), "\n---") {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			t.Fatalf("%v in %s", err, document)
		}
		if object == nil {
			continue
		}
		metadata := object["metadata"].(map[string]any)
		objects[object["kind"].(string)+" "+metadata["name"].(string)] = object
	}
	return objects
}

// at is the value at a path of fields and, as numbers, of elements.
func at(t *testing.T, value any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			value = value.(map[string]any)[step]
		case int:
			value = value.([]any)[step]
		}
	}
	return value
}

func TestTheChartIsWhatTheOverlaysAre(t *testing.T) {
	folder := chart(t)
	if output, err := helm(t, "lint", "--strict", folder); err != nil {
		t.Errorf("helm lint: %v\n%s", err, output)
	}
	for _, test := range []struct {
		overlay string
		args    []string
	}{
		{"overlays/second-scheduler-decide", nil},
		{"overlays/second-scheduler", []string{"--set=scheduler.mode=advise"}},
		{"overlays/plugin", []string{"--set=scheduler.mode=plugin"}},
		{"deschedule/deployment", []string{"--set=scheduler.enabled=false,descheduler.enabled=true"}},
		{"deschedule/cronjob", []string{"--set=scheduler.enabled=false,descheduler.enabled=true,descheduler.kind=CronJob"}},
	} {
		t.Run(test.overlay, func(t *testing.T) {
			want, got := byName(t, kustomize(t, test.overlay)), templates(t, folder, test.args...)
			for name, object := range got {
				kind, _, _ := strings.Cut(name, " ")
				// What the chart has by default, and the overlays leave out.
				if kind == "Deployment" || kind == "CronJob" {
					template := at(t, object, "spec")
					if kind == "CronJob" {
						template = at(t, template, "jobTemplate", "spec")
					}
					spec := at(t, template, "template", "spec").(map[string]any)
					delete(spec, "nodeSelector")
					delete(spec, "tolerations")
					delete(at(t, template, "template", "metadata").(map[string]any), "annotations")
				}
			}
			// The name of the policy's ConfigMap has a hash of another text in it.
			for _, objects := range []map[string]any{want, got} {
				for name, object := range objects {
					if prefix := "ConfigMap vicinal-deschedule-policy-"; strings.HasPrefix(name, prefix) {
						hash := strings.TrimPrefix(name, prefix)
						delete(objects, name)
						objects[prefix] = object
						replaceText(objects, hash, "")
					}
				}
			}
			for name := range want {
				if !reflect.DeepEqual(want[name], got[name]) {
					t.Errorf("%s: the overlay has\n%s\nthe chart\n%s", name, asJSON(want[name]), asJSON(got[name]))
				}
			}
			for name := range got {
				if want[name] == nil {
					t.Errorf("the chart has %s, the overlay has not", name)
				}
			}
		})
	}
}

// replaceText replaces part of all texts in a value.
func replaceText(value any, from, to string) {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			if text, ok := inner.(string); ok {
				value[key] = strings.ReplaceAll(text, from, to)
			}
			replaceText(inner, from, to)
		}
	case []any:
		for _, inner := range value {
			replaceText(inner, from, to)
		}
	}
}

func asJSON(value any) string {
	text, _ := json.MarshalIndent(value, "", " ")
	return string(text)
}

func TestEachValueOfTheChartHasItsPlace(t *testing.T) {
	folder := chart(t)
	values := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(values, []byte(`
images: {vicinal: "registry:5000/vicinal@sha256:0", kubeScheduler: "registry/kube-scheduler:v9", kubeSchedulerWithPlugin: mine}
scheduler:
  replicas: 3
  extraArgs: [--rescue=false, "--v=2"]
  resources: {limits: {memory: 1Gi}}
  nodeSelector: {node-role.kubernetes.io/control-plane: ""}
  tolerations: [{key: node-role.kubernetes.io/control-plane, operator: Exists}]
descheduler:
  enabled: true
  replicas: 1
  interval: 7m
  policy: |
    apiVersion: descheduler/v1alpha2
    kind: DeschedulerPolicy
    profiles: []  # "quoted" and {{ braces }}
  resources: {limits: {cpu: "1"}}
  nodeSelector: {pool: system}
  tolerations: [{operator: Exists}]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"decide", "advise", "plugin"} {
		for _, monitoring := range []bool{false, true} {
			objects := templates(t, folder, "--values="+values, "--set=scheduler.mode="+mode, "--set=monitoring.enabled="+map[bool]string{true: "true", false: "false"}[monitoring])
			scheduler, descheduler := objects["Deployment vicinal-scheduler"], objects["Deployment vicinal-deschedule"]
			kubeScheduler := "registry/kube-scheduler:v9"
			if mode == "plugin" {
				kubeScheduler = "mine"
			}
			pod := at(t, scheduler, "spec", "template", "spec")
			args := at(t, pod, "containers", 1, "args").([]any)
			other := at(t, descheduler, "spec", "template", "spec")
			for _, check := range []struct {
				what      string
				got, want any
			}{
				{"replicas", at(t, scheduler, "spec", "replicas"), 3.0},
				{"kube-scheduler's image", at(t, pod, "containers", 0, "image"), kubeScheduler},
				{"vicinal's image", at(t, pod, "containers", 1, "image"), "registry:5000/vicinal@sha256:0"},
				{"the image of the certificates", at(t, pod, "initContainers", 0, "image"), "registry:5000/vicinal@sha256:0"},
				{"resources", at(t, pod, "containers", 1, "resources", "limits", "memory"), "1Gi"},
				{"nodeSelector", at(t, pod, "nodeSelector", "node-role.kubernetes.io/control-plane"), ""},
				{"tolerations", at(t, pod, "tolerations", 0, "operator"), "Exists"},
				{"extraArgs", slices.Contains(args, any("--rescue=false")) && slices.Contains(args, any("--v=2")), true},
				{"the descheduler's replicas", at(t, descheduler, "spec", "replicas"), 1.0},
				{"the descheduler's image", at(t, other, "containers", 0, "image"), "registry:5000/vicinal@sha256:0"},
				{"the interval", slices.Contains(at(t, other, "containers", 0, "args").([]any), any("--interval=7m")), true},
				{"the descheduler's resources", at(t, other, "containers", 0, "resources", "limits", "cpu"), "1"},
				{"the descheduler's nodeSelector", at(t, other, "nodeSelector", "pool"), "system"},
				{"the metrics' readers", strings.Contains(asJSON(args), "--metrics-client-ca-file="), monitoring && mode != "plugin"},
				{"alerts", objects["PrometheusRule vicinal"] != nil, monitoring},
				{"ServiceMonitor", objects["ServiceMonitor vicinal"] != nil, monitoring},
			} {
				if !reflect.DeepEqual(check.got, check.want) {
					t.Errorf("mode %s, monitoring %v: %s: %v, want %v", mode, monitoring, check.what, check.got, check.want)
				}
			}
			for name, object := range objects {
				if strings.HasPrefix(name, "ConfigMap vicinal-deschedule-policy") {
					if policy := at(t, object, "data", "policy.yaml").(string); !strings.Contains(policy, `profiles: []  # "quoted" and {{ braces }}`) {
						t.Errorf("the policy is %q", policy)
					}
				}
			}
		}
	}
}

func TestTheChartGoesToTheNamespaceOfItsRelease(t *testing.T) {
	objects := templates(t, chart(t), "--namespace=placement", "--set=descheduler.enabled=true,monitoring.enabled=true")
	for name, object := range objects {
		text := asJSON(object)
		// Where the API server keeps whom it lets authenticate others.
		if strings.HasSuffix(name, "authentication-reader") {
			if namespace := at(t, object, "metadata", "namespace"); namespace != "kube-system" {
				t.Errorf("%s is in %v", name, namespace)
			}
			text = strings.Replace(text, `"namespace": "kube-system"`, "", 1)
		}
		if strings.Contains(text, "kube-system") {
			t.Errorf("%s names kube-system:\n%s", name, text)
		}
	}
}

func TestAValueThatIsNoneIsRefused(t *testing.T) {
	folder := chart(t)
	for value, want := range map[string]string{
		"scheduler.mode=both":                "/scheduler/mode",
		"scheduler.replicas=0":               "/scheduler/replicas",
		"scheduler.replica=3":                "replica",
		"descheduler.kind=Job":               "/descheduler/kind",
		"images.vicinal=":                    "/images/vicinal",
		"monitoring.enabled=perhaps":         "/monitoring/enabled",
		"descheduler.policy.profiles[0].a=b": "/descheduler/policy",
	} {
		output, err := helm(t, "template", "vicinal", folder, "--set="+value)
		if err == nil || !strings.Contains(strings.ReplaceAll(string(output), ".", "/"), want) {
			t.Errorf("%s: %v, want an error that names %s\n%s", value, err, want, output)
		}
	}
}

// On an API server that has nothing of vicinal, and none of the Prometheus operator.
func (f *fixture) helmInstalls(t *testing.T) {
	folder := chart(t)
	run := func(args ...string) {
		t.Helper()
		if output, err := helm(t, append(args, "--kubeconfig="+f.kubeconfig)...); err != nil {
			t.Fatalf("helm %q: %v\n%s", args, err, output)
		}
	}
	count := func() int {
		t.Helper()
		deployments, err := f.cp.Admin.AppsV1().Deployments("placement").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return len(deployments.Items)
	}
	run("install", "vicinal", folder, "--namespace=placement", "--create-namespace", "--set=scheduler.mode=advise")
	if count() != 1 {
		t.Errorf("%d Deployments after helm install, want that of the scheduler", count())
	}
	run("upgrade", "vicinal", folder, "--namespace=placement", "--set=scheduler.mode=plugin,descheduler.enabled=true")
	if count() != 2 {
		t.Errorf("%d Deployments after helm upgrade, want that of the descheduler too", count())
	}
	run("uninstall", "vicinal", "--namespace=placement")
	if count() != 0 {
		t.Errorf("%d Deployments after helm uninstall", count())
	}
	if roles := kubectl(t, nil, "--kubeconfig="+f.kubeconfig, "get", "clusterroles,clusterrolebindings,flowschemas", "-l=app.kubernetes.io/name=vicinal", "-o=name"); len(roles) != 0 {
		t.Errorf("helm uninstall leaves %s", roles)
	}
}
