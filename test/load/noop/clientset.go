package noop

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	core "k8s.io/client-go/testing"
)

// Clientset is for one scheduler, which must end before the next one gets its own.
func (a *API) Clientset() kubernetes.Interface {
	clientset := fake.NewClientset()
	list := func(resource string, build func(metav1.ListMeta) runtime.Object) {
		clientset.PrependReactor("list", resource, func(core.Action) (bool, runtime.Object, error) {
			a.mu.Lock()
			meta := metav1.ListMeta{ResourceVersion: fmt.Sprint(a.version)}
			a.mu.Unlock()
			return true, build(meta), nil
		})
	}
	list("pods", func(meta metav1.ListMeta) runtime.Object { return &v1.PodList{ListMeta: meta, Items: values(a.Pods())} })
	list("nodes", func(meta metav1.ListMeta) runtime.Object {
		return &v1.NodeList{ListMeta: meta, Items: values(a.cluster.Nodes)}
	})
	list("namespaces", func(meta metav1.ListMeta) runtime.Object {
		return &v1.NamespaceList{ListMeta: meta, Items: values(a.cluster.Namespaces)}
	})
	list("replicasets", func(meta metav1.ListMeta) runtime.Object {
		return &appsv1.ReplicaSetList{ListMeta: meta, Items: values(a.cluster.ReplicaSets)}
	})
	clientset.PrependReactor("create", "pods", func(action core.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "binding" {
			return false, nil, nil
		}
		binding := action.(core.CreateAction).GetObject().(*v1.Binding)
		return true, nil, a.bind(types.NamespacedName{Namespace: binding.Namespace, Name: binding.Name}, binding.UID, binding.Target.Name)
	})
	clientset.PrependReactor("patch", "pods", func(action core.Action) (bool, runtime.Object, error) {
		patch := action.(core.PatchAction)
		pod, err := a.patchStatus(types.NamespacedName{Namespace: patch.GetNamespace(), Name: patch.GetName()}, patch.GetPatch())
		return true, pod, err
	})
	// The scheduler lists before it watches, and nothing happens in between: pods are
	// placed only once it has both.
	clientset.PrependWatchReactor("pods", func(core.Action) (bool, watch.Interface, error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.watcher = &stream{a, make(chan watch.Event, schedulersBuffer)}
		return true, a.watcher, nil
	})
	return clientset
}

func values[T any](pointers []*T) []T {
	objects := make([]T, len(pointers))
	for i, p := range pointers {
		objects[i] = *p
	}
	return objects
}

// stream is a watch of pods.
type stream struct {
	api    *API
	events chan watch.Event
}

func (s *stream) ResultChan() <-chan watch.Event { return s.events }

// Stop is called when the scheduler ends.
func (s *stream) Stop() {
	s.api.mu.Lock()
	defer s.api.mu.Unlock()
	if s.api.watcher == s {
		s.api.watcher = nil
	}
}
