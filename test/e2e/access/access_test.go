// Package access tests what vicinal's account may do: manifests/base/rbac.yaml against the
// authorizer of a real API server.
package access

import (
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"vicinal/test/e2e/harness"
	"vicinal/test/watched"
)

func TestVicinalAccountReadsAndBindsWhatItNeedsAndNothingElse(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	const nobody = "nobody"
	if _, err := cp.Admin.CoreV1().ServiceAccounts(metav1.NamespaceSystem).Create(t.Context(),
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: nobody}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	withCertificate := func(user string) kubernetes.Interface { return cp.ClientOfUser(t, user) }
	withToken := func(account string) kubernetes.Interface {
		return cp.ClientOfServiceAccount(t, metav1.NamespaceSystem, account)
	}
	for name, login := range map[string]func(string) kubernetes.Interface{"user": withCertificate, "service account": withToken} {
		t.Run(name, func(t *testing.T) {
			vicinal := login("vicinal")
			readsWhatItNeeds(t, vicinal)
			bindsPods(t, vicinal)
			isRefusedWritesAndSecrets(t, vicinal)
			mayDoNothingElse(t, vicinal, login(nobody))
		})
	}
}

func readsWhatItNeeds(t *testing.T, vicinal kubernetes.Interface) {
	t.Helper()
	for _, resource := range watched.Resources {
		path := resource.Path()
		request := vicinal.Discovery().RESTClient().Get().AbsPath("/" + path)
		if _, err := request.Param("limit", "1").DoRaw(t.Context()); err != nil {
			t.Errorf("list %s: %v", path, err)
		}
		request = vicinal.Discovery().RESTClient().Get().AbsPath("/" + path)
		watch, err := request.Param("watch", "true").Param("timeoutSeconds", "1").Stream(t.Context())
		if err != nil {
			t.Errorf("watch %s: %v", path, err)
			continue
		}
		watch.Close()
	}
}

func bindsPods(t *testing.T, vicinal kubernetes.Interface) {
	t.Helper()
	err := vicinal.CoreV1().Pods("default").Bind(t.Context(), &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: "p"}, Target: corev1.ObjectReference{Kind: "Node", Name: "n"},
	}, metav1.CreateOptions{})
	if !apierrors.IsNotFound(err) { // allowed, but there is no such pod
		t.Errorf("bind a pod: got %v, want NotFound", err)
	}
}

func isRefusedWritesAndSecrets(t *testing.T, vicinal kubernetes.Interface) {
	t.Helper()
	ctx := t.Context()
	core := vicinal.CoreV1()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
	for what, attempt := range map[string]func() error{
		"read secrets":  func() error { _, err := core.Secrets("kube-system").List(ctx, metav1.ListOptions{}); return err },
		"create a pod":  func() error { _, err := core.Pods("default").Create(ctx, pod, metav1.CreateOptions{}); return err },
		"delete a pod":  func() error { return core.Pods("default").Delete(ctx, "p", metav1.DeleteOptions{}) },
		"delete a node": func() error { return core.Nodes().Delete(ctx, "n", metav1.DeleteOptions{}) },
	} {
		if err := attempt(); !apierrors.IsForbidden(err) {
			t.Errorf("%s: got %v, want Forbidden", what, err)
		}
	}
}

// mayDoNothingElse asks the authorizer about every verb of every resource. What any
// authenticated account may do (ask about itself, say) is not vicinal's doing.
func mayDoNothingElse(t *testing.T, vicinal, nobody kubernetes.Interface) {
	t.Helper()
	want := map[string]bool{"create api/v1/pods/binding": true, "patch api/v1/pods/status": true}
	for _, resource := range watched.Resources {
		for _, verb := range []string{"get", "list", "watch"} {
			want[verb+" "+resource.Path()] = true
		}
	}
	anyone := harness.Rights(t, nobody)
	got := map[string]bool{}
	for action := range harness.Rights(t, vicinal) {
		if !anyone[action] {
			got[action] = true
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("may do:\n  %s\nwant:\n  %s", list(got), list(want))
	}
}

func list(set map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(set)), "\n  ")
}
