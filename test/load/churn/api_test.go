package churn

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"vicinal/test/e2e/harness"
)

// apiCluster is a real API server.
type apiCluster struct {
	client   kubernetes.Interface
	observer *harness.Observer
}

func newAPICluster(t *testing.T, cp *harness.ControlPlane) *apiCluster {
	t.Helper()
	config := rest.CopyConfig(cp.AdminREST)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	c := &apiCluster{client, cp.StartObserver(t)}
	// What settle changes.
	if err := c.createPod(marker()); err != nil {
		t.Fatal(err)
	}
	if err := c.createService(service("marker", "default", 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := client.AppsV1().ReplicaSets("default").Create(t.Context(), replicaSet("marker", "default", 0), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *apiCluster) createNode(node *corev1.Node) error {
	_, err := c.client.CoreV1().Nodes().Create(context.Background(), node, metav1.CreateOptions{})
	return err
}

func (c *apiCluster) createNamespace(namespace *corev1.Namespace) error {
	_, err := c.client.CoreV1().Namespaces().Create(context.Background(), namespace, metav1.CreateOptions{})
	return err
}

func (c *apiCluster) createPod(pod *corev1.Pod) error {
	_, err := c.client.CoreV1().Pods(pod.Namespace).Create(context.Background(), pod, metav1.CreateOptions{})
	return err
}

func (c *apiCluster) createService(service *corev1.Service) error {
	_, err := c.client.CoreV1().Services(service.Namespace).Create(context.Background(), service, metav1.CreateOptions{})
	return err
}

func (c *apiCluster) moveNode(name, zone string) error {
	value := "null"
	if zone != "" {
		value = fmt.Sprintf("%q", zone)
	}
	patch := fmt.Sprintf(`{"metadata":{"labels":{"topology.kubernetes.io/zone":%s}}}`, value)
	_, err := c.client.CoreV1().Nodes().Patch(context.Background(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

func (c *apiCluster) relabelNamespace(name, stage string) error {
	patch := fmt.Sprintf(`{"metadata":{"labels":{"stage":%q}}}`, stage)
	_, err := c.client.CoreV1().Namespaces().Patch(context.Background(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

func (c *apiCluster) relabelPod(pod types.NamespacedName, tier string) error {
	patch := fmt.Sprintf(`{"metadata":{"labels":{"tier":%q}}}`, tier)
	_, err := c.client.CoreV1().Pods(pod.Namespace).Patch(context.Background(), pod.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

func (c *apiCluster) deletePod(pod types.NamespacedName) error {
	now := metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}
	return c.client.CoreV1().Pods(pod.Namespace).Delete(context.Background(), pod.Name, now)
}

func (c *apiCluster) deleteService(namespace, name string) error {
	return c.client.CoreV1().Services(namespace).Delete(context.Background(), name, metav1.DeleteOptions{})
}

// settle changes one object of each kind and waits until the test and vicinal know of
// that: then they know of everything before.
func (c *apiCluster) settle(t *testing.T, v *harness.Vicinal) []any {
	t.Helper()
	ctx := t.Context()
	patch := []byte(fmt.Sprintf(`{"metadata":{"annotations":{"marker":"%d"}}}`, time.Now().UnixNano()))
	type mark struct {
		namespace, name string
		object          metav1.Object
	}
	options := metav1.PatchOptions{}
	core := c.client.CoreV1()
	changes := map[string]func() (metav1.Object, error){
		"pods": func() (metav1.Object, error) {
			return core.Pods("default").Patch(ctx, "marker", types.MergePatchType, patch, options)
		},
		"nodes": func() (metav1.Object, error) {
			return core.Nodes().Patch(ctx, "node-0", types.MergePatchType, patch, options)
		},
		"namespaces": func() (metav1.Object, error) {
			return core.Namespaces().Patch(ctx, "default", types.MergePatchType, patch, options)
		},
		"services": func() (metav1.Object, error) {
			return core.Services("default").Patch(ctx, "marker", types.MergePatchType, patch, options)
		},
		"replicasets": func() (metav1.Object, error) {
			return c.client.AppsV1().ReplicaSets("default").Patch(ctx, "marker", types.MergePatchType, patch, options)
		},
	}
	var mu sync.Mutex
	marks := map[string]mark{} // guarded by mu
	var changing sync.WaitGroup
	for resource, change := range changes {
		changing.Go(func() {
			object, err := change()
			if err != nil {
				t.Errorf("%s: %v", resource, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			marks[resource] = mark{object.GetNamespace(), object.GetName(), object}
		})
	}
	changing.Wait()
	harness.Eventually(t, time.Minute, "the test and vicinal know all changes", func() string {
		metrics, err := v.Metrics()
		if err != nil {
			return err.Error()
		}
		for resource, mark := range marks {
			want := harness.VersionOf(mark.object)
			if got := c.observer.Version(resource, mark.namespace, mark.name); got < want {
				return fmt.Sprintf("the test is at %s %d, not %d", resource, got, want)
			}
			got, err := metrics.Value("vicinal_watch_resource_version", "resource", resource)
			if err != nil || got < float64(want) {
				return fmt.Sprintf("vicinal is at %s %.0f, not %d (%v)", resource, got, want, err)
			}
		}
		return ""
	})
	return c.observer.Objects()
}
