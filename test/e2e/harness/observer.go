package harness

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"vicinal/test/watched"
)

// Observer watches the API server as vicinal does and remembers, per resource, the
// resourceVersion of the newest event: what vicinal must have reached to know all
// that the test knows.
type Observer struct {
	pods   corelisters.PodLister
	nodes  corelisters.NodeLister
	stores map[string]cache.Store // by resource

	mu     sync.Mutex
	newest map[string]uint64 // guarded by mu; by resource
}

// StartObserver returns once everything has been listed.
func (cp *ControlPlane) StartObserver(t testing.TB) *Observer {
	t.Helper()
	config := rest.CopyConfig(cp.AdminREST)
	config.Timeout = 0 // it would end the watches
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	core := factory.Core().V1()
	o := &Observer{pods: core.Pods().Lister(), nodes: core.Nodes().Lister(), newest: map[string]uint64{}, stores: map[string]cache.Store{}}
	for _, w := range watched.Resources {
		generic, err := factory.ForResource(w.Versioned())
		if err != nil {
			t.Fatal(err)
		}
		resource, informer := w.Name, generic.Informer()
		o.stores[resource] = informer.GetStore()
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { o.saw(resource, object) },
			UpdateFunc: func(_, object any) { o.saw(resource, object) },
			// A deletion carries the version at which it happened.
			DeleteFunc: func(object any) { o.saw(resource, object) },
		}); err != nil {
			t.Fatal(err)
		}
	}
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop); factory.Shutdown() })
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	return o
}

func (o *Observer) saw(resource string, object any) {
	meta, ok := object.(metav1.Object)
	if !ok {
		return // deleted while the watch was down: the version is not known
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.newest[resource] = max(o.newest[resource], VersionOf(meta))
}

func (o *Observer) newestVersions() map[string]uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	versions := map[string]uint64{}
	for resource, version := range o.newest {
		versions[resource] = version
	}
	return versions
}

// Objects of all watched resources, as last seen. They are shared: not to be changed.
func (o *Observer) Objects() []any {
	var objects []any
	for _, store := range o.stores {
		objects = append(objects, store.List()...)
	}
	return objects
}

// Version of an object, as last seen; 0 if it is not there.
func (o *Observer) Version(resource, namespace, name string) uint64 {
	key := name
	if namespace != "" {
		key = namespace + "/" + name
	}
	object, exists, err := o.stores[resource].GetByKey(key)
	if err != nil || !exists {
		return 0
	}
	return VersionOf(object.(metav1.Object))
}

// VersionOf is the resourceVersion, which is a revision of etcd.
func VersionOf(meta metav1.Object) uint64 {
	version, err := strconv.ParseUint(meta.GetResourceVersion(), 10, 64)
	if err != nil {
		panic(fmt.Sprintf("resourceVersion %q of %s: %v", meta.GetResourceVersion(), meta.GetName(), err))
	}
	return version
}

// Pods of all namespaces, as last seen.
func (o *Observer) Pods(t testing.TB) []*corev1.Pod {
	t.Helper()
	pods, err := o.pods.List(labels.Everything())
	if err != nil {
		t.Fatal(err)
	}
	return pods
}

// Nodes as last seen, by name.
func (o *Observer) Nodes(t testing.TB) map[string]*corev1.Node {
	t.Helper()
	list, err := o.nodes.List(labels.Everything())
	if err != nil {
		t.Fatal(err)
	}
	nodes := map[string]*corev1.Node{}
	for _, node := range list {
		nodes[node.Name] = node
	}
	return nodes
}

// WaitOutcome waits until the scheduler has placed the pod or has said that it
// cannot (condition PodScheduled False, reason Unschedulable), and returns it. An
// attempt that ended in an error is no outcome: the scheduler repeats it.
func (o *Observer) WaitOutcome(t testing.TB, created *corev1.Pod, timeout time.Duration) *corev1.Pod {
	t.Helper()
	var pod *corev1.Pod
	Eventually(t, timeout, fmt.Sprintf("pod %s/%s has an outcome", created.Namespace, created.Name), func() string {
		var err error
		if pod, err = o.pods.Pods(created.Namespace).Get(created.Name); err != nil {
			return err.Error()
		}
		if pod.Spec.NodeName != "" {
			return ""
		}
		condition := scheduledCondition(pod)
		if condition == nil {
			return "not tried yet"
		}
		if condition.Reason != corev1.PodReasonUnschedulable {
			return condition.Reason + ": " + condition.Message
		}
		return ""
	})
	return pod
}

// WaitKnown waits until the test itself has been told of the pod.
func (o *Observer) WaitKnown(t testing.TB, created *corev1.Pod) {
	t.Helper()
	Eventually(t, 10*time.Second, fmt.Sprintf("pod %s/%s is known", created.Namespace, created.Name), func() string {
		if _, err := o.pods.Pods(created.Namespace).Get(created.Name); err != nil {
			return err.Error()
		}
		return ""
	})
}

// WaitCondition waits until the scheduler has given this reason for not placing the
// pod.
func (o *Observer) WaitCondition(t testing.TB, created *corev1.Pod, reason string) {
	t.Helper()
	Eventually(t, OutcomeTimeout, fmt.Sprintf("pod %s/%s is refused with %s", created.Namespace, created.Name, reason), func() string {
		pod, err := o.pods.Pods(created.Namespace).Get(created.Name)
		if err != nil {
			return err.Error()
		}
		if pod.Spec.NodeName != "" {
			return "it runs on " + pod.Spec.NodeName
		}
		if condition := scheduledCondition(pod); condition == nil || condition.Reason != reason {
			return fmt.Sprintf("condition %v", condition)
		}
		return ""
	})
}

// PendingMessage is what the scheduler said about a pod that is not placed; "" if
// nothing yet.
func PendingMessage(pod *corev1.Pod) string {
	if condition := scheduledCondition(pod); condition != nil {
		return condition.Message
	}
	return ""
}

func scheduledCondition(pod *corev1.Pod) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		condition := &pod.Status.Conditions[i]
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return condition
		}
	}
	return nil
}

// WaitSeen waits until vicinal has applied everything the observer has seen.
func (o *Observer) WaitSeen(t testing.TB, v *Vicinal) {
	t.Helper()
	v.await(t, 60*time.Second, "vicinal has seen what the API server says", func() string {
		m, err := v.Metrics()
		if err != nil {
			return err.Error()
		}
		for resource, want := range o.newestVersions() {
			got, err := m.Value("vicinal_watch_resource_version", "resource", resource)
			if err != nil {
				return err.Error()
			}
			if got < float64(want) {
				return fmt.Sprintf("%s at resourceVersion %.0f, newest event %d", resource, got, want)
			}
		}
		return ""
	})
}
