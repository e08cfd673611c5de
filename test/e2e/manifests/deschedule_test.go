package manifests

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vicinal/test/e2e/harness"
	"vicinal/test/watched"
)

// The two ways to run the descheduler.
var deschedulers = []string{"deschedule/cronjob", "deschedule/deployment"}

// deschedulerPod is the pod that a kustomization of the descheduler makes, and its policy.
func deschedulerPod(t *testing.T, folder string) (*corev1.Pod, string) {
	t.Helper()
	var template *corev1.PodTemplateSpec
	policy := ""
	for _, object := range harness.ParseManifest(t, kustomize(t, folder)) {
		switch o := object.(type) {
		case *batchv1.CronJob:
			template = &o.Spec.JobTemplate.Spec.Template
		case *appsv1.Deployment:
			template = &o.Spec.Template
		case *corev1.ConfigMap:
			policy = o.Data["policy.yaml"]
		}
	}
	if template == nil || policy == "" {
		t.Fatalf("%s: no pod, or no policy", folder)
	}
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Name = "vicinal-deschedule"
	return pod, policy
}

func TestTheDeschedulersFlagsAndPolicyAreRead(t *testing.T) {
	help, err := exec.Command(harness.VicinalBinary(t), "deschedule", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range deschedulers {
		t.Run(folder, func(t *testing.T) {
			pod, policy := deschedulerPod(t, folder)
			args := container(t, pod, "vicinal").Args
			if args[0] != "deschedule" {
				t.Errorf("args %q, want deschedule first", args)
			}
			for _, arg := range args[1:] {
				flag, _, _ := strings.Cut(arg, "=")
				if !regexp.MustCompile(regexp.QuoteMeta(flag) + `\b`).Match(help) {
					t.Errorf("vicinal deschedule has no flag %s", flag)
				}
			}
			dir := t.TempDir()
			policyFile, clusterFile := filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "cluster.yaml")
			for file, content := range map[string]string{
				policyFile:  policy,
				clusterFile: "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata: {name: n1}\n",
			} {
				if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if output, err := exec.Command(harness.VicinalBinary(t), "deschedule", "--cluster-file", clusterFile, "--policy", policyFile).CombinedOutput(); err != nil {
				t.Errorf("the policy is not read: %v\n%s", err, output)
			}
		})
	}
}

func (f *fixture) deschedulersAreAccepted(t *testing.T) {
	for _, folder := range deschedulers {
		first := f.apply(t, folder)
		if len(first) < 5 {
			t.Errorf("%s: %d objects applied", folder, len(first))
		}
		if again := f.apply(t, folder); !maps.Equal(first, again) {
			t.Errorf("%s: applied %v, and again %v", folder, first, again)
		}
		pod, _ := deschedulerPod(t, folder)
		for _, secure := range []bool{true, false} {
			if !secure {
				container(t, pod, "vicinal").SecurityContext = nil
			}
			pod.Namespace = ""
			_, err := f.cp.Admin.CoreV1().Pods(restricted).Create(t.Context(), pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			if (err == nil) != secure {
				t.Errorf("%s: with its security context %v: %v", folder, secure, err)
			}
		}
	}
}

// With all kustomizations applied.
func (f *fixture) deschedulerRights(t *testing.T) {
	want := map[string]bool{"create api/v1/pods/eviction": true, "create api/v1/events": true, "get api/v1/pods": true}
	for _, resource := range watched.Resources {
		want["list "+resource.Path()], want["watch "+resource.Path()] = true, true
	}
	wantRights(t, "service account", f.serviceAccount(t), "vicinal-deschedule", want)
	account := f.serviceAccount(t)("vicinal-deschedule")
	for _, test := range []struct {
		verb, namespace, name string
		want                  bool
	}{
		{"get", "kube-system", "vicinal-deschedule", true},
		{"update", "kube-system", "vicinal-deschedule", true},
		{"create", "kube-system", "", true},
		{"delete", "kube-system", "vicinal-deschedule", false},
		{"update", "kube-system", "kube-controller-manager", false},
		{"update", "default", "vicinal-deschedule", false},
	} {
		lease := authorizationv1.ResourceAttributes{Group: "coordination.k8s.io", Resource: "leases", Verb: test.verb, Namespace: test.namespace, Name: test.name}
		if got := harness.May(t, account, lease); got != test.want {
			t.Errorf("%s lease %s/%s: %v, want %v", test.verb, test.namespace, test.name, got, test.want)
		}
	}
}
