// Package explain tries `vicinal explain` as a new user would: on a real API
// server, and on a file made by the kubectl command that --help names.
package explain

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vicinal/test/e2e/harness"
)

const fitsNowhere = 3

type answer struct {
	Warnings     []string
	Explanations []struct {
		Kind, Namespace, Name, Message string
		NodesTotal, NodesFitting       int
		Nodes                          []struct {
			Name, Plugin, Reason string
			Causes               []struct {
				Rule, TopologyKey, Domain string
				BlockingPods              []struct{ Namespace, Name string }
			}
		}
	}
}

// run returns what vicinal writes and its exit code.
func run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	bin := os.Getenv("VICINAL_BIN")
	if bin == "" {
		t.Fatal("VICINAL_BIN is not set: it names the vicinal binary")
	}
	var out, err bytes.Buffer
	cmd := exec.Command(bin, args...)
	cmd.Stdout, cmd.Stderr = &out, &err
	if e := cmd.Run(); e != nil {
		if _, ok := e.(*exec.ExitError); !ok {
			t.Fatal(e)
		}
	}
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}

// ask explains a manifest and checks that it fits nowhere.
func ask(t *testing.T, args ...string) answer {
	t.Helper()
	stdout, stderr, code := run(t, append([]string{"explain", "-o", "json"}, args...)...)
	if code != fitsNowhere {
		t.Fatalf("exit code %d, want %d: %s", code, fitsNowhere, stderr)
	}
	var a answer
	if err := json.Unmarshal([]byte(stdout), &a); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	return a
}

// kubectl runs the command of --help, word for word.
func kubectl(t *testing.T, kubeconfig, path string) {
	t.Helper()
	help, _, _ := run(t, "explain", "--help")
	line := regexp.MustCompile(`(?m)^ *kubectl (get .*)$`).FindStringSubmatch(help)
	if line == nil {
		t.Fatalf("no kubectl command in --help:\n%s", help)
	}
	cmd := exec.Command(filepath.Join(os.Getenv("KUBE_BIN_DIR"), "kubectl"), strings.Fields(line[1])...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("kubectl %s: %v %s", line[1], err, stderr.String())
	}
	if err := os.WriteFile(path, out, 0o600); err != nil {
		t.Fatal(err)
	}
}

// fill makes the cluster of scenario S2 with two checkouts and a redis beside each.
func fill(t *testing.T, cp *harness.ControlPlane) {
	t.Helper()
	for _, object := range harness.LoadManifest(t, harness.RepositoryFile(t, "test/scenarios/s2/cluster.yaml")) {
		var err error
		switch o := object.(type) {
		case *corev1.Node:
			_, err = cp.Admin.CoreV1().Nodes().Create(t.Context(), o, metav1.CreateOptions{})
		case *corev1.Namespace:
			_, err = cp.Admin.CoreV1().Namespaces().Create(t.Context(), o, metav1.CreateOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, app := range []string{"checkout", "checkout-redis"} {
		objects := harness.LoadManifest(t, harness.RepositoryFile(t, "test/scenarios/s2/"+app+".yaml"))
		deployment := objects[0].(*appsv1.Deployment)
		for _, node := range []string{"node-1", "node-2"} {
			pod := &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: deployment.Namespace, Name: app + "-on-" + node, Labels: deployment.Spec.Template.Labels},
				Spec:       *deployment.Spec.Template.Spec.DeepCopy(),
			}
			pod.Spec.NodeName = node
			if _, err := cp.Admin.CoreV1().Pods(pod.Namespace).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestExplainOfARealCluster(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	fill(t, cp)
	manifest := harness.RepositoryFile(t, "test/scenarios/s2/checkout-redis.yaml")
	dump := cp.Run.Path("cluster.json")
	kubectl(t, cp.Kubeconfig(t, "admin", cp.URL, cp.ClientCertificate(t, "e2e-admin", "system:masters")), dump)

	// S2.3: a third redis finds no node; each node has its rule and its pod.
	fromFile := ask(t, "--cluster-file", dump, "-f", manifest)
	if len(fromFile.Warnings) != 0 || len(fromFile.Explanations) != 1 {
		t.Fatalf("%+v", fromFile)
	}
	got := fromFile.Explanations[0]
	if got.Message != "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules." {
		t.Errorf("message %q", got.Message)
	}
	for _, node := range got.Nodes {
		if len(node.Causes) != 1 {
			t.Fatalf("%s: causes %+v", node.Name, node.Causes)
		}
		cause := node.Causes[0]
		if cause.Rule != "spec.template.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]" {
			t.Errorf("%s: rule %s", node.Name, cause.Rule)
		}
		if cause.Domain != node.Name || len(cause.BlockingPods) != 1 || cause.BlockingPods[0].Name != "checkout-redis-on-"+node.Name {
			t.Errorf("%s: %+v", node.Name, cause)
		}
	}

	// The same by vicinal's own account, which may only read.
	fromAPI := ask(t, "--kubeconfig", cp.VicinalKubeconfig(t, cp.URL), "-f", manifest)
	if !reflect.DeepEqual(fromFile, fromAPI) {
		t.Errorf("from the file %+v\nfrom the API server %+v", fromFile, fromAPI)
	}

	t.Run("a pod of the cluster", func(t *testing.T) {
		stdout, stderr, code := run(t, "explain", "--kubeconfig", cp.VicinalKubeconfig(t, cp.URL), "--pod", "checkout/checkout-on-node-1")
		if code != 0 || !strings.Contains(stdout, "fits on 1 of 2 nodes, best on node-1") || !strings.Contains(stderr, "runs on node-1") {
			t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
		}
	})
	t.Run("no API server", func(t *testing.T) {
		nowhere := cp.Kubeconfig(t, "nowhere", "https://127.0.0.1:1", cp.ClientCertificate(t, "vicinal"))
		_, stderr, code := run(t, "explain", "--kubeconfig", nowhere, "-f", manifest)
		if code != 1 || !strings.Contains(stderr, "/api/v1/nodes: ") || !strings.Contains(stderr, "127.0.0.1") {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
}

func TestWrongOptionsAreTold(t *testing.T) {
	for want, args := range map[string][]string{
		"exactly one of KIND/NAME, --filename, --pod, --decision and --batch is wanted": {"explain", "--cluster-file", "c"},
		"excludes --kubeconfig and --context":                                           {"explain", "--pod", "a/b", "--cluster-file", "c", "--context", "d"},
		"--output":                                                                      {"explain", "--pod", "a/b", "--cluster-file", "c", "-o", "xml"},
	} {
		_, stderr, code := run(t, args...)
		if code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, %q does not say %q", args, code, stderr, want)
		}
	}
}
