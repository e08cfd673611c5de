package main

import (
	"encoding/json"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// cluster is what both tools are given. Objects are shared between clusters and never
// changed; a pod that moves is a new one.
type cluster struct {
	nodes      []*corev1.Node
	namespaces []*corev1.Namespace
	owners     []*appsv1.ReplicaSet
	pods       []*corev1.Pod
	moves      int // so far, for the names of replacements
}

func keyOf(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }

func (c *cluster) pod(key string) *corev1.Pod {
	for _, pod := range c.pods {
		if keyOf(pod) == key {
			return pod
		}
	}
	return nil
}

// without is the cluster after the pod has gone.
func (c *cluster) without(pod *corev1.Pod) *cluster {
	rest := *c
	rest.pods = slices.DeleteFunc(slices.Clone(c.pods), func(p *corev1.Pod) bool { return p == pod })
	return &rest
}

// replace is the cluster after the pod has been evicted and its owner has made another,
// which is on that node; "" if it waits.
func (c *cluster) replace(pod *corev1.Pod, node string) *cluster {
	next := c.without(pod)
	next.moves++
	fresh := pod.DeepCopy()
	fresh.Name = fmt.Sprintf("%s-again%d", pod.Name, next.moves)
	fresh.UID = uidOf(fresh)
	fresh.Spec.NodeName = node
	if node == "" {
		fresh.Status.Phase = corev1.PodPending
	}
	next.pods = append(next.pods, fresh)
	return next
}

// objects in the form of a dump: each says its kind.
func (c *cluster) objects() ([]json.RawMessage, error) {
	var objects []json.RawMessage
	add := func(apiVersion, kind string, object any) error {
		content, err := json.Marshal(object)
		if err != nil {
			return err
		}
		fields := map[string]any{}
		if err := json.Unmarshal(content, &fields); err != nil {
			return err
		}
		fields["apiVersion"], fields["kind"] = apiVersion, kind
		if content, err = json.Marshal(fields); err != nil {
			return err
		}
		objects = append(objects, content)
		return nil
	}
	for _, node := range c.nodes {
		if err := add("v1", "Node", node); err != nil {
			return nil, err
		}
	}
	for _, namespace := range c.namespaces {
		if err := add("v1", "Namespace", namespace); err != nil {
			return nil, err
		}
	}
	for _, owner := range c.owners {
		if err := add("apps/v1", "ReplicaSet", owner); err != nil {
			return nil, err
		}
	}
	for _, pod := range c.pods {
		if err := add("v1", "Pod", pod); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// dump is what `kubectl get … -A -o json` would print.
func (c *cluster) dump() ([]byte, error) {
	objects, err := c.objects()
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": objects})
}
