package churn

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"vicinal/test/e2e/truth"
)

// churn changes the cluster.
type churn struct {
	cluster  cluster
	changes  atomic.Int64
	created  atomic.Int64
	problems problems
	// Held by readers while they change something.
	stop sync.RWMutex

	mu   sync.Mutex
	pods []types.NamespacedName // guarded by mu; those that nobody is changing
}

// write makes one change after the other, at the pace.
func (c *churn) write(end time.Time, pace *pace, r *rand.Rand) {
	for pace.wait(); time.Now().Before(end); pace.wait() {
		c.stop.RLock()
		if err := c.change(r); err != nil {
			c.problems.add("change: %v", err)
		}
		c.stop.RUnlock()
		c.changes.Add(1)
	}
}

func (c *churn) change(r *rand.Rand) error {
	switch p := r.IntN(100); {
	case p < 2:
		return c.moveNode(r)
	case p < 3:
		return c.cluster.relabelNamespace(truth.Namespace(r.IntN(truth.Namespaces)), fmt.Sprintf("s%d", r.IntN(2)))
	case p < 4:
		return c.replaceService(r)
	case p < 30:
		return c.relabelPod(r)
	}
	c.mu.Lock()
	few := len(c.pods) < population/2 || len(c.pods) < population*3/2 && r.IntN(2) == 0
	c.mu.Unlock()
	if few {
		return c.createPod(r)
	}
	return c.deletePod(r)
}

func (c *churn) createPod(r *rand.Rand) error {
	pod := truth.RandomPod(r)
	pod.Name = fmt.Sprintf("p%d", c.created.Add(1))
	if r.IntN(10) > 0 { // One in ten waits, as far as anybody knows.
		pod.Spec.NodeName = fmt.Sprintf("node-%d", r.IntN(nodes))
	}
	if err := c.cluster.createPod(pod); err != nil {
		return err
	}
	c.put(types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name})
	return nil
}

func (c *churn) deletePod(r *rand.Rand) error {
	pod, ok := c.take(r)
	if !ok {
		return c.createPod(r)
	}
	return c.cluster.deletePod(pod)
}

func (c *churn) relabelPod(r *rand.Rand) error {
	pod, ok := c.take(r)
	if !ok {
		return c.createPod(r)
	}
	defer c.put(pod)
	return c.cluster.relabelPod(pod, fmt.Sprintf("t%d", r.IntN(3)))
}

// moveNode moves a node to another zone, or out of all.
func (c *churn) moveNode(r *rand.Rand) error {
	zone := ""
	if i := r.IntN(6); i < 5 {
		zone = fmt.Sprintf("zone-%d", i)
	}
	return c.cluster.moveNode(fmt.Sprintf("node-%d", r.IntN(nodes)), zone)
}

// replaceService: its selector makes default spread constraints.
func (c *churn) replaceService(r *rand.Rand) error {
	name := fmt.Sprintf("s%d", c.created.Add(1))
	namespace := truth.Namespace(r.IntN(truth.Namespaces))
	if err := c.cluster.createService(service(name, namespace, r.IntN(20))); err != nil {
		return err
	}
	return c.cluster.deleteService(namespace, name)
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
