package harness

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
)

// strict refuses fields that the API does not have: a misspelt rule would
// otherwise be no rule.
var strict = serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()

// LoadManifest reads a file of YAML documents.
func LoadManifest(t testing.TB, path string) []runtime.Object {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return ParseManifest(t, content)
}

// ParseManifest reads YAML documents.
func ParseManifest(t testing.TB, content []byte) []runtime.Object {
	t.Helper()
	var objects []runtime.Object
	reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatal(err)
		}
		object, _, err := strict.Decode(document, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
}

// Create writes an object that nothing else has to react to.
func (cp *ControlPlane) Create(t testing.TB, object runtime.Object) {
	t.Helper()
	if err := create(t.Context(), cp.Admin, object); err != nil {
		t.Fatal(err)
	}
}

// create writes an object that nothing else has to react to.
func create(ctx context.Context, client kubernetes.Interface, object runtime.Object) error {
	options := metav1.CreateOptions{}
	var err error
	switch o := object.(type) {
	case *corev1.Node:
		_, err = client.CoreV1().Nodes().Create(ctx, o, options)
	case *corev1.Namespace:
		_, err = client.CoreV1().Namespaces().Create(ctx, o, options)
	case *corev1.ServiceAccount:
		_, err = client.CoreV1().ServiceAccounts(o.Namespace).Create(ctx, o, options)
	case *schedulingv1.PriorityClass:
		_, err = client.SchedulingV1().PriorityClasses().Create(ctx, o, options)
	case *rbacv1.ClusterRole:
		_, err = client.RbacV1().ClusterRoles().Create(ctx, o, options)
	case *rbacv1.ClusterRoleBinding:
		_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, o, options)
	case *rbacv1.Role:
		_, err = client.RbacV1().Roles(o.Namespace).Create(ctx, o, options)
	case *rbacv1.RoleBinding:
		_, err = client.RbacV1().RoleBindings(o.Namespace).Create(ctx, o, options)
	default:
		err = fmt.Errorf("the harness does not know how to create a %T", object)
	}
	return err
}
