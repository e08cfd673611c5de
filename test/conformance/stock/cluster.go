package stock

import (
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Cluster is what the scheduler's informers would hold. Of two objects of the
// same kind and name the later one counts.
type Cluster struct {
	Nodes                  byName[v1.Node]
	Pods                   byName[v1.Pod]
	Namespaces             byName[v1.Namespace]
	Services               byName[v1.Service]
	ReplicationControllers byName[v1.ReplicationController]
	ReplicaSets            byName[appsv1.ReplicaSet]
	StatefulSets           byName[appsv1.StatefulSet]
}

// byName keeps objects in the order in which their names first appeared.
type byName[T any] struct {
	index   map[string]int
	objects []*T
}

func (b *byName[T]) put(name string, object *T) {
	if i, ok := b.index[name]; ok {
		b.objects[i] = object
		return
	}
	if b.index == nil {
		b.index = make(map[string]int)
	}
	b.index[name] = len(b.objects)
	b.objects = append(b.objects, object)
}

// Add puts objects as an API server has stored them. Kinds that the plugins never look
// at are an error.
func (c *Cluster) Add(objects ...any) error {
	for _, object := range objects {
		meta, ok := object.(metav1.Object)
		if !ok {
			return fmt.Errorf("%T is no object", object)
		}
		name := meta.GetNamespace() + "/" + meta.GetName()
		switch o := object.(type) {
		case *v1.Node:
			c.Nodes.put(name, o)
		case *v1.Pod:
			c.Pods.put(name, o)
		case *v1.Namespace:
			c.Namespaces.put(name, o)
		case *v1.Service:
			c.Services.put(name, o)
		case *v1.ReplicationController:
			c.ReplicationControllers.put(name, o)
		case *appsv1.ReplicaSet:
			c.ReplicaSets.put(name, o)
		case *appsv1.StatefulSet:
			c.StatefulSets.put(name, o)
		default:
			return fmt.Errorf("%T is of no kind that the plugins look at", object)
		}
	}
	return nil
}

// decode reads the objects of a case. Kinds that the plugins never look at are
// skipped, so that a dump of a cluster may hold them.
func (c *Cluster) decode(objects []json.RawMessage) error {
	for i, raw := range objects {
		var meta metav1.TypeMeta
		if err := unmarshal(raw, &meta); err != nil {
			return fmt.Errorf("objects[%d]: %w", i, err)
		}
		if err := c.decodeKind(meta.Kind, raw); err != nil {
			return fmt.Errorf("objects[%d]: %w", i, err)
		}
	}
	return nil
}

func (c *Cluster) decodeKind(kind string, raw json.RawMessage) error {
	switch kind {
	case "Node":
		return decodeInto(&c.Nodes, raw)
	case "Pod":
		pod := &v1.Pod{}
		if err := unmarshal(raw, pod); err != nil {
			return err
		}
		if err := admit(pod); err != nil {
			return err
		}
		c.Pods.put(pod.Namespace+"/"+pod.Name, pod)
		return nil
	case "Namespace":
		return decodeInto(&c.Namespaces, raw)
	case "Service":
		return decodeInto(&c.Services, raw)
	case "ReplicationController":
		return decodeInto(&c.ReplicationControllers, raw)
	case "ReplicaSet":
		return decodeInto(&c.ReplicaSets, raw)
	case "StatefulSet":
		return decodeInto(&c.StatefulSets, raw)
	}
	return nil
}

type object[T any] interface {
	*T
	metav1.Object
}

func decodeInto[T any, P object[T]](into *byName[T], raw json.RawMessage) error {
	o := P(new(T))
	if err := unmarshal(raw, o); err != nil {
		return err
	}
	into.put(o.GetNamespace()+"/"+o.GetName(), (*T)(o))
	return nil
}

// Has says whether there is a pod of that name.
func (c *Cluster) Has(pod *v1.Pod) bool {
	_, ok := c.Pods.index[pod.Namespace+"/"+pod.Name]
	return ok
}

// AllNodes and AllPods may be changed before the cluster is asked about.
func (c *Cluster) AllNodes() []*v1.Node { return c.Nodes.objects }

// AllPods are those that run, and those that wait.
func (c *Cluster) AllPods() []*v1.Pod { return c.Pods.objects }

// objects are those that informers are started with; of the nodes the cache knows.
func (c *Cluster) objects() []runtime.Object {
	var objects []runtime.Object
	add(&objects, c.Namespaces.objects)
	add(&objects, visible(c.Pods.objects))
	add(&objects, c.Services.objects)
	add(&objects, c.ReplicationControllers.objects)
	add(&objects, c.ReplicaSets.objects)
	add(&objects, c.StatefulSets.objects)
	return objects
}

func add[T any, P interface {
	*T
	runtime.Object
}](objects *[]runtime.Object, more []*T) {
	for _, o := range more {
		*objects = append(*objects, P(o))
	}
}
