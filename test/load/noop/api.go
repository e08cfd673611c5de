// Package noop is an API server that costs next to nothing: its objects are in
// memory, a binding copies one pod, and nothing is checked or stored. The scheduler
// uses it in the same process, vicinal over HTTP.
package noop

import (
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vicinal/test/bench/cluster"
)

// API is safe to use from several goroutines.
type API struct {
	cluster *cluster.Cluster

	mu       sync.Mutex
	version  int64                            // guarded by mu; the newest resourceVersion
	pods     map[types.NamespacedName]*v1.Pod // guarded by mu; what is in it does not change
	order    []types.NamespacedName           // guarded by mu; the keys of pods
	bindings []time.Time                      // guarded by mu; when each was made
	events   []event                          // guarded by mu; of pods, ascending
	arrived  chan struct{}                    // guarded by mu; closed at the next event
	watcher  *stream                          // guarded by mu; the scheduler's, or nil
}

// event is a line of a watch.
type event struct {
	version int64
	line    []byte
}

// schedulersBuffer: a binding must not wait for the scheduler that has asked for it.
const schedulersBuffer = 100000

// New serves a cluster; its pods run.
func New(c *cluster.Cluster) *API {
	a := &API{cluster: c, version: 1, pods: map[types.NamespacedName]*v1.Pod{}, arrived: make(chan struct{})}
	for _, node := range c.Nodes {
		node.TypeMeta, node.ResourceVersion = metav1.TypeMeta{}, "1"
	}
	for _, pod := range c.Pods() {
		pod.TypeMeta, pod.ResourceVersion = metav1.TypeMeta{}, "1"
		a.put(pod)
	}
	return a
}

func keyOf(pod *v1.Pod) types.NamespacedName {
	return types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
}

// put wants the mutex, or nobody else around.
func (a *API) put(pod *v1.Pod) {
	key := keyOf(pod)
	if _, known := a.pods[key]; !known {
		a.order = append(a.order, key)
	}
	a.pods[key] = pod
}

// change stores a pod and tells the watches; wants the mutex.
func (a *API) change(pod *v1.Pod, what watch.EventType) error {
	a.version++
	pod.TypeMeta, pod.ResourceVersion = metav1.TypeMeta{}, strconv.FormatInt(a.version, 10)
	object, err := json.Marshal(pod)
	if err != nil {
		return err
	}
	a.put(pod)
	a.events = append(a.events, event{a.version, fmt.Appendf(nil, "{\"type\":%q,\"object\":%s}\n", what, object)})
	close(a.arrived)
	a.arrived = make(chan struct{})
	if a.watcher != nil {
		a.watcher.events <- watch.Event{Type: what, Object: pod}
	}
	return nil
}

// Create adds pending pods and returns the resourceVersion of the last.
func (a *API) Create(pods []*v1.Pod) (int64, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, pod := range pods {
		if err := a.change(pod, watch.Added); err != nil {
			return 0, err
		}
	}
	return a.version, nil
}

// bind is idempotent, as far as the node is the same.
func (a *API) bind(key types.NamespacedName, uid types.UID, node string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	pod, err := a.find(key, uid)
	if err != nil {
		return err
	}
	if pod.Spec.NodeName != "" {
		return fmt.Errorf("pod %s is already assigned to node %s", key, pod.Spec.NodeName)
	}
	bound := pod.DeepCopy()
	bound.Spec.NodeName = node
	bound.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionTrue}}
	a.bindings = append(a.bindings, time.Now())
	return a.change(bound, watch.Modified)
}

// patchStatus does what the scheduler's patches and vicinal's are about: conditions,
// and the nominated node, which null takes away.
func (a *API) patchStatus(key types.NamespacedName, patch []byte) (*v1.Pod, error) {
	var wanted struct {
		Metadata struct{ UID types.UID }
		Status   map[string]json.RawMessage
	}
	if err := json.Unmarshal(patch, &wanted); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	pod, err := a.find(key, wanted.Metadata.UID)
	if err != nil {
		return nil, err
	}
	patched := pod.DeepCopy()
	if conditions, ok := wanted.Status["conditions"]; ok {
		patched.Status.Conditions = nil
		if err := json.Unmarshal(conditions, &patched.Status.Conditions); err != nil {
			return nil, err
		}
	}
	if nominated, ok := wanted.Status["nominatedNodeName"]; ok {
		patched.Status.NominatedNodeName = ""
		if err := json.Unmarshal(nominated, &patched.Status.NominatedNodeName); err != nil { // null leaves it
			return nil, err
		}
	}
	return patched, a.change(patched, watch.Modified)
}

// find wants the mutex. An empty uid is any.
func (a *API) find(key types.NamespacedName, uid types.UID) (*v1.Pod, error) {
	pod := a.pods[key]
	if pod == nil || uid != "" && uid != pod.UID {
		return nil, fmt.Errorf("pods %q not found", key)
	}
	return pod, nil
}

// Bindings are the times of all bindings so far.
func (a *API) Bindings() []time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.bindings[:len(a.bindings):len(a.bindings)]
}

// Pods are all, as they are now. They are shared: not to be changed.
func (a *API) Pods() []*v1.Pod {
	a.mu.Lock()
	defer a.mu.Unlock()
	pods := make([]*v1.Pod, len(a.order))
	for i, key := range a.order {
		pods[i] = a.pods[key]
	}
	return pods
}
