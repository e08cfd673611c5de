package feed

import (
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"

	"vicinal/scheduler-plugin/internal/link"
	"vicinal/scheduler-plugin/internal/release"
	pb "vicinal/scheduler-plugin/internal/v1"
)

func nodeUpsert(number uint32, node *v1.Node) link.Change {
	return func() (*pb.Change, error) {
		text, err := json.Marshal(node)
		return &pb.Change{Kind: &pb.Change_Node{Node: &pb.NodeUpsert{Number: number, Json: text}}}, err
	}
}

func nodeRemoved(number uint32) link.Change {
	return func() (*pb.Change, error) {
		return &pb.Change{Kind: &pb.Change_NodeRemoved{NodeRemoved: number}}, nil
	}
}

// podUpsert tells of a pod that waits if node is waits.
func podUpsert(pod *v1.Pod, node int32) link.Change {
	return func() (*pb.Change, error) {
		text, err := json.Marshal(pod)
		upsert := &pb.PodUpsert{Json: text}
		if node != waits {
			number := uint32(node)
			upsert.Node = &number
		}
		return &pb.Change{Kind: &pb.Change_Pod{Pod: upsert}}, err
	}
}

// countsTheSame says whether two objects of a pod are equal but for what vicinal does not
// read: versions, the node's name, and of the status all but resources. Most changes are
// such: the binding, which the scheduler had assumed, and what the kubelet says.
func countsTheSame(a, b *v1.Pod) bool {
	one, other := counting(a), counting(b)
	if a.Generation > 0 && a.Generation == b.Generation { // then the specs are equal
		one.Spec, other.Spec = v1.PodSpec{}, v1.PodSpec{}
	}
	return equality.Semantic.DeepEqual(one, other)
}

// counting is a copy that shares everything with the pod but what is left out.
func counting(pod *v1.Pod) *v1.Pod {
	c := &v1.Pod{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}
	c.ResourceVersion, c.Generation, c.ManagedFields = "", 0, nil
	c.Spec.NodeName = ""
	release.CopyPodLevelResources(&c.Status, &pod.Status)
	c.Status.Resize = pod.Status.Resize
	c.Status.InitContainerStatuses, c.Status.ContainerStatuses = resourcesOf(pod.Status.InitContainerStatuses), resourcesOf(pod.Status.ContainerStatuses)
	for _, condition := range pod.Status.Conditions {
		if condition.Type == v1.PodResizePending || condition.Type == v1.PodResizeInProgress {
			c.Status.Conditions = append(c.Status.Conditions, condition)
		}
	}
	return c
}

func resourcesOf(statuses []v1.ContainerStatus) []v1.ContainerStatus {
	var resources []v1.ContainerStatus
	for i := range statuses {
		s := &statuses[i]
		resources = append(resources, v1.ContainerStatus{Name: s.Name, AllocatedResources: s.AllocatedResources, Resources: s.Resources})
	}
	return resources
}

func podPlaced(uid types.UID, node int32) link.Change {
	return func() (*pb.Change, error) {
		return &pb.Change{Kind: &pb.Change_PodPlaced{PodPlaced: &pb.PodPlacement{Uid: string(uid), Node: uint32(node)}}}, nil
	}
}

func podRemoved(uid types.UID) link.Change {
	return func() (*pb.Change, error) {
		return &pb.Change{Kind: &pb.Change_PodRemoved{PodRemoved: string(uid)}}, nil
	}
}

// objectUpsert tells of one of the other kinds. The informers' objects have no kind.
func objectUpsert(object runtime.Object) link.Change {
	return func() (*pb.Change, error) {
		kinds, _, err := scheme.Scheme.ObjectKinds(object)
		if err != nil {
			return nil, fmt.Errorf("an object without a kind: %w", err)
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			return nil, err
		}
		content["apiVersion"], content["kind"] = kinds[0].ToAPIVersionAndKind()
		text, err := json.Marshal(content)
		return &pb.Change{Kind: &pb.Change_Object{Object: text}}, err
	}
}

func objectRemoved(key objectKey) link.Change {
	return func() (*pb.Change, error) {
		return &pb.Change{Kind: &pb.Change_ObjectRemoved{ObjectRemoved: &pb.ObjectName{Kind: key.kind, Namespace: key.namespace, Name: key.name}}}, nil
	}
}
