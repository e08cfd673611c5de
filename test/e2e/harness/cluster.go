package harness

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

// How long the scheduler may take over one pod: one that met an error is tried again
// after up to ten seconds, and after a restart of the API server the scheduler's own
// watches take some seconds to come back.
const OutcomeTimeout = 60 * time.Second

// Cluster is a control plane with a scheduler, as a test acts on it. After each
// pod it waits for the outcome, and until vicinal knows of it.
type Cluster struct {
	Client    kubernetes.Interface
	Observer  *Observer
	Scheduler *Scheduler
	// Vicinal beside the scheduler; nil when the scheduler is alone.
	Vicinal *Vicinal
}

// StartCluster starts a scheduler: with vicinal beside it, or alone and as shipped
// when that is nil.
func (cp *ControlPlane) StartCluster(t testing.TB, observer *Observer, vicinal *Vicinal) *Cluster {
	t.Helper()
	if vicinal != nil {
		vicinal.WaitReady(t)
	}
	return &Cluster{
		Client:    cp.Admin,
		Observer:  observer,
		Scheduler: cp.startScheduler(t, vicinal),
		Vicinal:   vicinal,
	}
}

// Apply creates objects in their order. A Deployment gets its ReplicaSet and pods.
func (c *Cluster) Apply(t testing.TB, objects ...runtime.Object) {
	t.Helper()
	for _, object := range objects {
		switch o := object.(type) {
		case *corev1.Pod:
			c.CreatePod(t, o)
		case *appsv1.Deployment:
			c.applyDeployment(t, o)
		default:
			if err := create(t.Context(), c.Client, object); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.waitNodesKnown(t)
}

// CreatePod creates a pod, waits for the outcome and returns it.
func (c *Cluster) CreatePod(t testing.TB, pod *corev1.Pod) *corev1.Pod {
	t.Helper()
	created := c.SubmitPod(t, pod)
	placed := c.Observer.WaitOutcome(t, created, OutcomeTimeout)
	c.waitSeen(t)
	return placed
}

// SubmitPod creates a pod and leaves it to itself.
func (c *Cluster) SubmitPod(t testing.TB, pod *corev1.Pod) *corev1.Pod {
	t.Helper()
	if pod.Namespace == "" {
		pod.Namespace = metav1.NamespaceDefault
	}
	created, err := c.Client.CoreV1().Pods(pod.Namespace).Create(t.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return created
}

// SubmitPods creates pods as fast as the API server takes them, about in their order,
// and leaves them to themselves.
func (c *Cluster) SubmitPods(t testing.TB, pods []*corev1.Pod) {
	t.Helper()
	const workers = 8
	queue := make(chan *corev1.Pod)
	failures := make([]error, workers)
	var creating sync.WaitGroup
	for w := range workers {
		creating.Go(func() {
			for pod := range queue {
				if _, err := c.Client.CoreV1().Pods(pod.Namespace).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
					failures[w] = err
				}
			}
		})
	}
	for _, pod := range pods {
		queue <- pod
	}
	close(queue)
	creating.Wait()
	if err := errors.Join(failures...); err != nil {
		t.Fatal(err)
	}
}

// ListPods asks the API server for the pods of all namespaces.
func (c *Cluster) ListPods(t testing.TB) []*corev1.Pod {
	t.Helper()
	list, err := c.Client.CoreV1().Pods(metav1.NamespaceAll).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pods := make([]*corev1.Pod, len(list.Items))
	for i := range list.Items {
		pods[i] = &list.Items[i]
	}
	return pods
}

// DeletePod removes a pod at once, as kubelet would have done after its
// containers ended, and waits until that is known.
func (c *Cluster) DeletePod(t testing.TB, pod *corev1.Pod) {
	t.Helper()
	c.RemovePod(t, pod)
	c.waitSeen(t)
}

// RemovePod removes a pod at once and waits until the test itself knows.
func (c *Cluster) RemovePod(t testing.TB, pod *corev1.Pod) {
	t.Helper()
	err := c.Client.CoreV1().Pods(pod.Namespace).Delete(t.Context(), pod.Name, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)})
	if err != nil {
		t.Fatal(err)
	}
	Eventually(t, 10*time.Second, "pod "+pod.Name+" is gone", func() string {
		if _, err := c.Observer.pods.Pods(pod.Namespace).Get(pod.Name); !apierrors.IsNotFound(err) {
			return fmt.Sprintf("still there (%v)", err)
		}
		return ""
	})
}

// waitSeen waits until vicinal knows all that the test knows. The scheduler may
// otherwise ask about the next pod before vicinal has seen where the last one went.
func (c *Cluster) waitSeen(t testing.TB) {
	t.Helper()
	if c.Vicinal != nil {
		c.Observer.WaitSeen(t, c.Vicinal)
	}
}

// waitNodesKnown waits until the scheduler has the nodes that exist.
func (c *Cluster) waitNodesKnown(t testing.TB) {
	t.Helper()
	list, err := c.Client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	Eventually(t, 20*time.Second, "the scheduler and the test know the nodes", func() string {
		cached, err := c.Scheduler.CachedNodes()
		if err != nil {
			return err.Error()
		}
		if seen := len(c.Observer.Nodes(t)); cached != len(list.Items) || seen != len(list.Items) {
			return fmt.Sprintf("%d nodes exist, the scheduler has %d, the test %d", len(list.Items), cached, seen)
		}
		return ""
	})
	c.waitSeen(t)
}

// SettleProblem is "" when nothing is on its way: no pod is tried or about to be
// tried, and vicinal knows everything.
func (c *Cluster) SettleProblem(t testing.TB) string {
	soon, parked, err := c.Scheduler.QueuedPods()
	if err != nil {
		return err.Error()
	}
	pending := 0
	for _, pod := range c.Observer.Pods(t) {
		if pod.Spec.NodeName == "" {
			pending++
		}
	}
	if soon != 0 || parked != pending {
		return fmt.Sprintf("%d pods pending; the scheduler is about to try %d, has parked %d", pending, soon, parked)
	}
	c.waitSeen(t)
	return ""
}

// Clear deletes what tests create: nodes, workloads, and all namespaces but the
// API server's own. Vicinal need not be there any more.
func (c *Cluster) Clear(t testing.TB) {
	t.Helper()
	// Also after t's own context has ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	if err := c.clear(ctx); err != nil {
		t.Fatal(err)
	}
	Eventually(t, 20*time.Second, "the cluster is empty", func() string {
		cached, err := c.Scheduler.CachedNodes()
		if err != nil {
			return err.Error()
		}
		if pods := len(c.Observer.Pods(t)); cached != 0 || pods != 0 {
			return fmt.Sprintf("%d nodes in the scheduler's cache, %d pods", cached, pods)
		}
		return ""
	})
}

func (c *Cluster) clear(ctx context.Context) error {
	now := metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}
	namespaces, err := c.Client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range namespaces.Items {
		namespace := &namespaces.Items[i]
		// Workloads before their pods, as a garbage collector would.
		for _, deleteAll := range []func() error{
			func() error {
				return c.Client.AppsV1().Deployments(namespace.Name).DeleteCollection(ctx, now, metav1.ListOptions{})
			},
			func() error {
				return c.Client.AppsV1().ReplicaSets(namespace.Name).DeleteCollection(ctx, now, metav1.ListOptions{})
			},
			func() error {
				return c.Client.CoreV1().Pods(namespace.Name).DeleteCollection(ctx, now, metav1.ListOptions{})
			},
		} {
			if err := deleteAll(); err != nil {
				return err
			}
		}
		if isSystemNamespace(namespace.Name) {
			continue
		}
		if err := c.Client.CoreV1().Namespaces().Delete(ctx, namespace.Name, now); err != nil {
			return err
		}
		// The namespace controller's last act.
		namespace.ResourceVersion = ""
		namespace.Spec.Finalizers = nil
		if _, err := c.Client.CoreV1().Namespaces().Finalize(ctx, namespace, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	return c.Client.CoreV1().Nodes().DeleteCollection(ctx, now, metav1.ListOptions{})
}

func isSystemNamespace(name string) bool {
	switch name {
	case metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic, corev1.NamespaceNodeLease:
		return true
	}
	return false
}
