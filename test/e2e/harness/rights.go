package harness

import (
	"fmt"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// ClientOfUser is an API client with the client certificate of a user.
func (cp *ControlPlane) ClientOfUser(t testing.TB, user string) kubernetes.Interface {
	t.Helper()
	pair := cp.CA.Client(t, user)
	return cp.client(t, func(c *rest.Config) { c.CertData, c.KeyData = pair.CertPEM, pair.KeyPEM })
}

// ClientOfServiceAccount is an API client with a token of a service account.
func (cp *ControlPlane) ClientOfServiceAccount(t testing.TB, namespace, name string) kubernetes.Interface {
	t.Helper()
	token := cp.ServiceAccountToken(t, namespace, name)
	return cp.client(t, func(c *rest.Config) { c.CertData, c.KeyData, c.BearerToken = nil, nil, token })
}

func (cp *ControlPlane) client(t testing.TB, as func(*rest.Config)) kubernetes.Interface {
	t.Helper()
	config := rest.CopyConfig(cp.AdminREST)
	as(config)
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Rights asks the authorizer about every verb of every resource: all that the account
// may do in all namespaces and to objects of any name, as "verb path".
func Rights(t testing.TB, account kubernetes.Interface) map[string]bool {
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
				attributes := authorizationv1.ResourceAttributes{Verb: verb}
				if g, _, named := strings.Cut(group.GroupVersion, "/"); named {
					attributes.Group = g
				}
				attributes.Resource, attributes.Subresource, _ = strings.Cut(resource.Name, "/")
				if May(t, account, attributes) {
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

// May asks the authorizer whether the account may do something.
func May(t testing.TB, account kubernetes.Interface, what authorizationv1.ResourceAttributes) bool {
	t.Helper()
	review, err := account.AuthorizationV1().SelfSubjectAccessReviews().Create(t.Context(), &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &what},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(fmt.Errorf("may I %s %s: %w", what.Verb, what.Resource, err))
	}
	return review.Status.Allowed
}
