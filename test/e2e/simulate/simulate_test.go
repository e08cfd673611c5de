// Package simulate tries `vicinal simulate` on a real API server.
package simulate

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vicinal/test/e2e/harness"
)

type report struct {
	Nodes, RunningBefore, Running, Pending int
	Pods                                   []struct{ Name, Change, Workload, NodeBefore, Node, Message string }
	Notes                                  []string
}

func run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err bytes.Buffer
	cmd := exec.Command(os.Getenv("VICINAL_BIN"), append([]string{"simulate"}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &err
	if e := cmd.Run(); e != nil {
		if _, ok := e.(*exec.ExitError); !ok {
			t.Fatal(e)
		}
	}
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}

func simulate(t *testing.T, args ...string) report {
	t.Helper()
	stdout, stderr, code := run(t, append([]string{"-o", "json"}, args...)...)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var r report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	return r
}

// fill makes the cluster of scenario S2 with the deployment checkout, its ReplicaSet
// and a pod of it on each node.
func fill(t *testing.T, cp *harness.ControlPlane) {
	t.Helper()
	api := cp.Admin
	for _, object := range harness.LoadManifest(t, harness.RepositoryFile(t, "test/scenarios/s2/cluster.yaml")) {
		var err error
		switch o := object.(type) {
		case *corev1.Node:
			_, err = api.CoreV1().Nodes().Create(t.Context(), o, metav1.CreateOptions{})
		case *corev1.Namespace:
			_, err = api.CoreV1().Namespaces().Create(t.Context(), o, metav1.CreateOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	deployment := harness.LoadManifest(t, harness.RepositoryFile(t, "test/scenarios/s2/checkout.yaml"))[0].(*appsv1.Deployment)
	created, err := api.AppsV1().Deployments(deployment.Namespace).Create(t.Context(), deployment, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	owned := func(name, kind, by string, uid *metav1.ObjectMeta) metav1.ObjectMeta {
		return metav1.ObjectMeta{
			Namespace: deployment.Namespace, Name: name, Labels: deployment.Spec.Template.Labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(
				&metav1.ObjectMeta{Name: by, UID: uid.UID}, appsv1.SchemeGroupVersion.WithKind(kind))},
		}
	}
	replicas := int32(2)
	set, err := api.AppsV1().ReplicaSets(deployment.Namespace).Create(t.Context(), &appsv1.ReplicaSet{
		ObjectMeta: owned("checkout-1", "Deployment", deployment.Name, &created.ObjectMeta),
		Spec:       appsv1.ReplicaSetSpec{Replicas: &replicas, Selector: deployment.Spec.Selector, Template: deployment.Spec.Template},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range []string{"node-1", "node-2"} {
		pod := &corev1.Pod{
			ObjectMeta: owned("checkout-1-on-"+node, "ReplicaSet", set.Name, &set.ObjectMeta),
			Spec:       *deployment.Spec.Template.Spec.DeepCopy(),
		}
		pod.Spec.NodeName = node
		if _, err := api.CoreV1().Pods(pod.Namespace).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSimulateOnARunningCluster(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	fill(t, cp)
	admin := cp.Kubeconfig(t, "admin", cp.URL, cp.ClientCertificate(t, "e2e-admin", "system:masters"))

	// One node is drained: its pod's successor must not stand beside the other.
	got := simulate(t, "--kubeconfig", admin, "drain", "node-2")
	if got.Nodes < 2 || got.RunningBefore != 2 || got.Running != 1 || got.Pending != 1 || len(got.Notes) != 0 {
		t.Errorf("%+v", got)
	}
	changes := map[string]string{}
	for _, pod := range got.Pods {
		changes[pod.Change] = pod.Workload + " " + pod.Message
	}
	if !strings.HasPrefix(changes["gone"], "Deployment/checkout") {
		t.Errorf("%+v", got.Pods)
	}
	if !strings.HasPrefix(changes["new"], "Deployment/checkout 0/") || !strings.Contains(changes["new"], "didn't match pod anti-affinity rules") {
		t.Errorf("%+v", got.Pods)
	}
	// Nothing has happened to the cluster itself.
	pods, err := cp.Admin.CoreV1().Pods("checkout").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(pods.Items) != 2 {
		t.Errorf("%d pods, %v", len(pods.Items), err)
	}

	t.Run("as an account that may list no Deployments", func(t *testing.T) {
		got := simulate(t, "--kubeconfig", cp.VicinalKubeconfig(t, cp.URL), "drain", "node-2")
		if got.Running != 1 || got.Pending != 1 {
			t.Errorf("%+v", got)
		}
		if !strings.Contains(strings.Join(got.Notes, "\n"), "/apis/apps/v1/deployments: 403") {
			t.Errorf("notes %q", got.Notes)
		}
	})
	t.Run("no API server", func(t *testing.T) {
		nowhere := cp.Kubeconfig(t, "nowhere", "https://127.0.0.1:1", cp.ClientCertificate(t, "vicinal"))
		_, stderr, code := run(t, "--kubeconfig", nowhere, "drain", "node-2")
		if code != 1 || !strings.Contains(stderr, "/api/v1/nodes: ") {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
	t.Run("two clusters", func(t *testing.T) {
		_, stderr, code := run(t, "--kubeconfig", admin, "--cluster-file", "c.json", "drain", "node-2")
		if code != 2 || !strings.Contains(stderr, "--cluster-file") {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
}
