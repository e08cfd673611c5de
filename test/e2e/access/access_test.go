// Package access tests what vicinal's account may do: manifests/rbac.yaml against the
// authorizer of a real API server.
package access

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"vicinal/test/e2e/harness"
)

// needed is what vicinal lists and watches, as paths of the API. Besides, it binds
// pods.
var needed = []string{
	"api/v1/nodes", "api/v1/pods", "api/v1/namespaces", "api/v1/services", "api/v1/replicationcontrollers",
	"apis/apps/v1/replicasets", "apis/apps/v1/statefulsets",
}

func TestVicinalAccountReadsAndBindsWhatItNeedsAndNothingElse(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	const nobody = "nobody"
	if _, err := cp.Admin.CoreV1().ServiceAccounts(metav1.NamespaceSystem).Create(t.Context(),
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: nobody}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	withCertificate := func(user string) kubernetes.Interface {
		pair := cp.CA.Client(t, user)
		return client(t, cp, func(c *rest.Config) { c.CertData, c.KeyData = pair.CertPEM, pair.KeyPEM })
	}
	withToken := func(account string) kubernetes.Interface {
		token := cp.ServiceAccountToken(t, metav1.NamespaceSystem, account)
		return client(t, cp, func(c *rest.Config) { c.CertData, c.KeyData, c.BearerToken = nil, nil, token })
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

func client(t *testing.T, cp *harness.ControlPlane, as func(*rest.Config)) kubernetes.Interface {
	t.Helper()
	config := rest.CopyConfig(cp.AdminREST)
	as(config)
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func readsWhatItNeeds(t *testing.T, vicinal kubernetes.Interface) {
	t.Helper()
	for _, path := range needed {
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
	for _, path := range needed {
		for _, verb := range []string{"get", "list", "watch"} {
			want[verb+" "+path] = true
		}
	}
	anyone := allowed(t, nobody)
	got := map[string]bool{}
	for action := range allowed(t, vicinal) {
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

// allowed is every "verb path" that the account may do.
func allowed(t *testing.T, account kubernetes.Interface) map[string]bool {
	t.Helper()
	_, groups, err := account.Discovery().ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	checked := 0
	for _, group := range groups {
		root := "apis/"
		if group.GroupVersion == "v1" {
			root = "api/"
		}
		for _, resource := range group.APIResources {
			for _, verb := range resource.Verbs {
				checked++
				if may(t, account, verb, group.GroupVersion, resource.Name) {
					set[verb+" "+root+group.GroupVersion+"/"+resource.Name] = true
				}
			}
		}
	}
	if checked < 300 {
		t.Fatalf("only %d actions found to check", checked)
	}
	return set
}

func may(t *testing.T, account kubernetes.Interface, verb, groupVersion, resource string) bool {
	t.Helper()
	group, _, named := strings.Cut(groupVersion, "/")
	if !named {
		group = ""
	}
	resource, subresource, _ := strings.Cut(resource, "/")
	review, err := account.AuthorizationV1().SelfSubjectAccessReviews().Create(t.Context(), &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: verb, Group: group, Resource: resource, Subresource: subresource,
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(fmt.Errorf("may I %s %s: %w", verb, resource, err))
	}
	return review.Status.Allowed
}
