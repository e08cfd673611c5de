package churn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"vicinal/test/e2e/harness"
	"vicinal/test/e2e/truth"
)

// churn changes the cluster.
type churn struct {
	client  kubernetes.Interface
	changes atomic.Int64
	created atomic.Int64
	// Held by readers while they change something.
	stop     sync.RWMutex
	problems problems

	mu   sync.Mutex
	pods []types.NamespacedName // guarded by mu; those that nobody is changing
}

var now = metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}

// newChurn creates the nodes and namespaces, and the objects that mark how far a watch
// has come.
func newChurn(t *testing.T, client kubernetes.Interface) *churn {
	t.Helper()
	c := &churn{client: client}
	ctx := t.Context()
	create := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range nodes {
		_, err := client.CoreV1().Nodes().Create(ctx, node(i), metav1.CreateOptions{})
		create(err)
	}
	for i := range truth.Namespaces {
		_, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: truth.Namespace(i), Labels: map[string]string{"stage": "s0"},
		}}, metav1.CreateOptions{})
		create(err)
	}
	_, err := client.CoreV1().Pods("default").Create(ctx, harness.RunningOn("node-0", marker()), metav1.CreateOptions{})
	create(err)
	_, err = client.CoreV1().Services("default").Create(ctx, service("marker", "default", 0), metav1.CreateOptions{})
	create(err)
	_, err = client.AppsV1().ReplicaSets("default").Create(ctx, replicaSet("marker", "default", 0), metav1.CreateOptions{})
	create(err)
	return c
}

func node(i int) *corev1.Node {
	name := fmt.Sprintf("node-%d", i)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			corev1.LabelHostname: name, corev1.LabelTopologyZone: fmt.Sprintf("zone-%d", i%5),
		}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("256Gi"),
			corev1.ResourcePods: resource.MustParse("100000"),
		}},
	}
}

func marker() *corev1.Pod {
	pod := harness.PodOf("marker")
	pod.GenerateName, pod.Name = "", "marker"
	return pod
}

func service(name, namespace string, app int) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: corev1.ServiceSpec{
			ClusterIP: corev1.ClusterIPNone, Selector: map[string]string{"app": fmt.Sprintf("a%d", app)},
			Ports: []corev1.ServicePort{{Port: 80}},
		},
	}
}

func replicaSet(name, namespace string, app int) *appsv1.ReplicaSet {
	labels := map[string]string{"app": fmt.Sprintf("a%d", app)}
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: appsv1.ReplicaSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "registry.example/app"}}},
			},
		},
	}
}

// write makes one change after the other, at the pace.
func (c *churn) write(end time.Time, pace *pace, r *rand.Rand) {
	for pace.wait(); time.Now().Before(end); pace.wait() {
		c.stop.RLock()
		if err := c.change(context.Background(), r); err != nil {
			c.problems.add("change: %v", err)
		}
		c.stop.RUnlock()
		c.changes.Add(1)
	}
}

func (c *churn) change(ctx context.Context, r *rand.Rand) error {
	switch p := r.IntN(100); {
	case p < 2:
		return c.patchNode(ctx, r)
	case p < 3:
		return c.patchNamespace(ctx, r)
	case p < 4:
		return c.replaceService(ctx, r)
	case p < 30:
		return c.relabelPod(ctx, r)
	}
	c.mu.Lock()
	few := len(c.pods) < population/2 || len(c.pods) < population*3/2 && r.IntN(2) == 0
	c.mu.Unlock()
	if few {
		return c.createPod(ctx, r)
	}
	return c.deletePod(ctx, r)
}

func (c *churn) createPod(ctx context.Context, r *rand.Rand) error {
	pod := truth.RandomPod(r)
	pod.Name = fmt.Sprintf("p%d", c.created.Add(1))
	if r.IntN(10) > 0 { // One in ten waits, as far as anybody knows.
		pod.Spec.NodeName = fmt.Sprintf("node-%d", r.IntN(nodes))
	}
	if _, err := c.client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return err
	}
	c.put(types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name})
	return nil
}

func (c *churn) deletePod(ctx context.Context, r *rand.Rand) error {
	pod, ok := c.take(r)
	if !ok {
		return c.createPod(ctx, r)
	}
	return c.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, now)
}

func (c *churn) relabelPod(ctx context.Context, r *rand.Rand) error {
	pod, ok := c.take(r)
	if !ok {
		return c.createPod(ctx, r)
	}
	defer c.put(pod)
	patch := fmt.Sprintf(`{"metadata":{"labels":{"tier":"t%d"}}}`, r.IntN(3))
	_, err := c.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// patchNode moves a node to another zone, or out of all.
func (c *churn) patchNode(ctx context.Context, r *rand.Rand) error {
	zone := "null"
	if i := r.IntN(6); i < 5 {
		zone = fmt.Sprintf("%q", fmt.Sprintf("zone-%d", i))
	}
	patch := fmt.Sprintf(`{"metadata":{"labels":{"topology.kubernetes.io/zone":%s}}}`, zone)
	_, err := c.client.CoreV1().Nodes().Patch(ctx, fmt.Sprintf("node-%d", r.IntN(nodes)), types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

func (c *churn) patchNamespace(ctx context.Context, r *rand.Rand) error {
	patch := fmt.Sprintf(`{"metadata":{"labels":{"stage":"s%d"}}}`, r.IntN(2))
	_, err := c.client.CoreV1().Namespaces().Patch(ctx, truth.Namespace(r.IntN(truth.Namespaces)), types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// replaceService: its selector makes default spread constraints.
func (c *churn) replaceService(ctx context.Context, r *rand.Rand) error {
	name := fmt.Sprintf("s%d", c.created.Add(1))
	namespace := truth.Namespace(r.IntN(truth.Namespaces))
	if _, err := c.client.CoreV1().Services(namespace).Create(ctx, service(name, namespace, r.IntN(20)), metav1.CreateOptions{}); err != nil {
		return err
	}
	return c.client.CoreV1().Services(namespace).Delete(ctx, name, metav1.DeleteOptions{})
}

// take removes a random pod from the list, so that nobody else changes it.
func (c *churn) take(r *rand.Rand) (types.NamespacedName, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pods) == 0 {
		return types.NamespacedName{}, false
	}
	i, last := r.IntN(len(c.pods)), len(c.pods)-1
	pod := c.pods[i]
	c.pods[i] = c.pods[last]
	c.pods = c.pods[:last]
	return pod, true
}

func (c *churn) put(pod types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pods = append(c.pods, pod)
}

// waitKnown is called while nothing changes. It changes one object of each kind and waits
// until the test and vicinal know of that: then they know of everything before.
func (c *churn) waitKnown(t *testing.T, observer *harness.Observer, v *harness.Vicinal) {
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
			if got := observer.Version(resource, mark.namespace, mark.name); got < want {
				return fmt.Sprintf("the test is at %s %d, not %d", resource, got, want)
			}
			got, err := metrics.Value("vicinal_watch_resource_version", "resource", resource)
			if err != nil || got < float64(want) {
				return fmt.Sprintf("vicinal is at %s %.0f, not %d (%v)", resource, got, want, err)
			}
		}
		return ""
	})
}
