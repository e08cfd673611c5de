package churn

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vicinal/test/e2e/harness"
)

// fedCluster is what the test says over gRPC. Objects in it are not changed but replaced.
type fedCluster struct {
	mu      sync.Mutex
	stream  *harness.Feeding // guarded by mu
	objects map[key]any      // guarded by mu
}

type key struct{ kind, namespace, name string }

// The names of the kinds in v1.Object.
var fields = map[string]string{"Node": "node", "Namespace": "namespace", "Pod": "pod", "Service": "service"}

// newFedCluster tells all there is at first in a stream of its own; the changes come in
// another, which goes on as long as the test.
func newFedCluster(t *testing.T, g *harness.GRPC) *fedCluster {
	t.Helper()
	c := &fedCluster{objects: map[key]any{}}
	var err error
	if c.stream, err = g.Feed(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.createNamespace(namespace("default")); err != nil {
		t.Fatal(err)
	}
	populate(t, c)
	if err := c.stream.Send(map[string]any{"initialEventsEnd": map[string]any{}}); err != nil {
		t.Fatal(err)
	}
	if err := c.stream.End(); err != nil {
		t.Fatal(err)
	}
	// Not that of t, which ends before End is called.
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	if c.stream, err = g.Feed(ctx); err != nil {
		t.Fatal(err)
	}
	return c
}

// end closes the stream. Error: not all of it has been applied.
func (c *fedCluster) end() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stream.End()
}

func (c *fedCluster) upsert(kind string, object metav1.Object) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.objects[key{kind, object.GetNamespace(), object.GetName()}] = object
	return c.stream.Send(map[string]any{"upsert": map[string]any{fields[kind]: object}})
}

func (c *fedCluster) remove(kind, namespace, name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.objects, key{kind, namespace, name})
	return c.stream.Send(map[string]any{"delete": map[string]any{"kind": kind, "namespace": namespace, "name": name}})
}

func (c *fedCluster) object(kind, namespace, name string) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.objects[key{kind, namespace, name}]
}

func (c *fedCluster) createNode(node *corev1.Node) error { return c.upsert("Node", node) }

func (c *fedCluster) createNamespace(namespace *corev1.Namespace) error {
	return c.upsert("Namespace", namespace)
}

func (c *fedCluster) createPod(pod *corev1.Pod) error {
	pod.UID = types.UID(pod.Name)
	return c.upsert("Pod", pod)
}

func (c *fedCluster) createService(service *corev1.Service) error {
	return c.upsert("Service", service)
}

func (c *fedCluster) moveNode(name, zone string) error {
	node := c.object("Node", "", name).(*corev1.Node).DeepCopy()
	if zone == "" {
		delete(node.Labels, corev1.LabelTopologyZone)
	} else {
		node.Labels[corev1.LabelTopologyZone] = zone
	}
	return c.upsert("Node", node)
}

func (c *fedCluster) relabelNamespace(name, stage string) error {
	namespace := c.object("Namespace", "", name).(*corev1.Namespace).DeepCopy()
	namespace.Labels["stage"] = stage
	return c.upsert("Namespace", namespace)
}

func (c *fedCluster) relabelPod(name types.NamespacedName, tier string) error {
	pod := c.object("Pod", name.Namespace, name.Name).(*corev1.Pod).DeepCopy()
	pod.Labels["tier"] = tier
	return c.upsert("Pod", pod)
}

func (c *fedCluster) deletePod(pod types.NamespacedName) error {
	return c.remove("Pod", pod.Namespace, pod.Name)
}

func (c *fedCluster) deleteService(namespace, name string) error {
	return c.remove("Service", namespace, name)
}

// settle gives the marker a new label, and waits until a pod that avoids such pods cannot
// go to the marker's node: events are applied one after the other.
func (c *fedCluster) settle(t *testing.T, v *harness.Vicinal) []any {
	t.Helper()
	label := map[string]string{"marker": fmt.Sprint(time.Now().UnixNano())}
	pod := marker()
	pod.Labels = label
	if err := c.createPod(pod); err != nil {
		t.Fatal(err)
	}
	avoids := harness.PodOf("question")
	avoids.Namespace = "default"
	avoids.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			LabelSelector: &metav1.LabelSelector{MatchLabels: label}, TopologyKey: corev1.LabelHostname,
		}},
	}}
	harness.Eventually(t, time.Minute, "vicinal knows all changes", func() string {
		status, result, err := v.Filter(avoids, "node-0")
		if err != nil || status != http.StatusOK {
			return fmt.Sprintf("filter: status %d, %v", status, err)
		}
		if result.NodeNames != nil && len(*result.NodeNames) > 0 {
			return "the marker does not count yet"
		}
		return ""
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Values(c.objects))
}
