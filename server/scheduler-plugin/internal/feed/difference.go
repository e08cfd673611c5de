package feed

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"vicinal/scheduler-plugin/internal/link"
)

// changedNode is a node whose generation is new, and its pods from the first on that is
// not as it was.
type changedNode struct {
	record      *nodeRecord
	before, now []*v1.Pod
}

// difference returns what the nodes have and was not told, in this order: nodes, pods
// that are new or have moved, pods that are gone, nodes that are gone. A pod that moves
// from one node to another is told of once.
func (f *Feed) difference(nodes []fwk.NodeInfo) []link.Change {
	f.epoch++
	var changes []link.Change
	var changed []changedNode
	grown := false
	if len(f.order) != len(nodes) {
		f.order = make([]*nodeRecord, len(nodes))
	}
	for i, info := range nodes {
		record := f.order[i]
		if record == nil || record.info != info {
			var isNew bool
			record, isNew = f.find(info)
			grown = grown || isNew
			f.order[i] = record
		}
		record.seen = f.epoch
		if generation := info.GetGeneration(); record.generation != generation {
			record.generation = generation
			if node := info.Node(); record.node != node {
				record.node = node
				changes = append(changes, nodeUpsert(record.number, node))
			}
			changed = append(changed, change(record, info))
		}
	}
	for _, c := range changed {
		changes = f.added(c, changes)
	}
	for _, c := range changed {
		changes = f.removed(c, changes)
	}
	gone := len(f.nodes) > len(nodes)
	if gone {
		changes = f.sweep(changes)
	}
	if grown || gone {
		f.numbers, f.names = make(map[string]uint32, len(f.nodes)), make([]string, f.next)
		for name, record := range f.nodes {
			f.numbers[name], f.names[record.number] = record.number, name
		}
	}
	return changes
}

// find returns the record of a node by its name.
func (f *Feed) find(info fwk.NodeInfo) (record *nodeRecord, isNew bool) {
	name := info.Node().Name
	record = f.nodes[name]
	if record == nil {
		record = &nodeRecord{name: name}
		if last := len(f.free) - 1; last >= 0 {
			record.number, f.free = f.free[last], f.free[:last]
		} else {
			record.number = f.next
			f.next++
		}
		f.nodes[name] = record
		isNew = true
	}
	record.info = info
	return record, isNew
}

// change compares the pods of a node. The scheduler appends new ones and moves the last
// one to where one was removed, so what differs is mostly at the end.
func change(record *nodeRecord, info fwk.NodeInfo) changedNode {
	infos := info.GetPods()
	same := 0
	for same < len(infos) && same < len(record.pods) && infos[same].GetPod() == record.pods[same] {
		same++
	}
	now := make([]*v1.Pod, len(infos))
	copy(now, record.pods[:same])
	for i := same; i < len(infos); i++ {
		now[i] = infos[i].GetPod()
	}
	c := changedNode{record: record, before: record.pods[same:], now: now[same:]}
	record.pods = now
	return c
}

func (f *Feed) added(c changedNode, changes []link.Change) []link.Change {
	number := int32(c.record.number)
	for _, pod := range c.now {
		known, ok := f.pods[pod.UID]
		f.pods[pod.UID] = podRecord{pod: pod, node: number, seen: f.epoch}
		switch {
		case ok && known.node == number && (known.pod == pod || sameVersion(known.pod, pod)):
		case ok && sameVersion(known.pod, pod):
			changes = append(changes, podPlaced(pod.UID, number))
		default:
			changes = append(changes, podUpsert(pod, number))
		}
	}
	return changes
}

func (f *Feed) removed(c changedNode, changes []link.Change) []link.Change {
	for _, pod := range c.before {
		if known, ok := f.pods[pod.UID]; ok && known.node == int32(c.record.number) && known.seen != f.epoch {
			delete(f.pods, pod.UID)
			changes = append(changes, podRemoved(pod.UID))
		}
	}
	return changes
}

// sweep tells of the nodes that the snapshot has no more.
func (f *Feed) sweep(changes []link.Change) []link.Change {
	for name, record := range f.nodes {
		if record.seen == f.epoch {
			continue
		}
		changes = f.removed(changedNode{record: record, before: record.pods}, changes)
		changes = append(changes, nodeRemoved(record.number))
		f.free = append(f.free, record.number)
		delete(f.nodes, name)
	}
	return changes
}
