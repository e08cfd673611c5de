package feed

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

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
	at, same := f.changedAt(nodes)
	if !same {
		return f.wholeDifference(nodes)
	}
	var changes []link.Change
	var changed []changedNode
	for _, i := range at {
		changes, changed = f.look(i, nodes[i], f.order[i].record, changes, changed)
	}
	return f.podChanges(changed, changes)
}

// changedAt returns where the list has nodes of a new generation. same is false if the
// list itself is another one. This runs in each attempt for all nodes: it reads one word
// of each NodeInfo, and nothing else that is not side by side.
func (f *Feed) changedAt(nodes []fwk.NodeInfo) (at []int, same bool) {
	if len(nodes) != len(f.order) {
		return nil, false
	}
	for i, node := range nodes {
		known := &f.order[i]
		info, ok := node.(*framework.NodeInfo)
		if !ok || info != known.info {
			return nil, false
		}
		if info.Generation != known.generation {
			at = append(at, i)
		}
	}
	return at, true
}

// look notes what a place of the list has now.
func (f *Feed) look(i int, info fwk.NodeInfo, record *nodeRecord, changes []link.Change, changed []changedNode) ([]link.Change, []changedNode) {
	generation := info.GetGeneration()
	known, _ := info.(*framework.NodeInfo)
	f.order[i] = place{info: known, generation: generation, record: record}
	if record.generation == generation {
		return changes, changed
	}
	record.generation = generation
	if node := info.Node(); record.node != node {
		record.node = node
		changes = append(changes, nodeUpsert(record.number, node))
	}
	return changes, append(changed, change(record, info))
}

func (f *Feed) podChanges(changed []changedNode, changes []link.Change) []link.Change {
	for _, c := range changed {
		changes = f.added(c, changes)
	}
	for _, c := range changed {
		changes = f.removed(c, changes)
	}
	return f.takeBack(changes)
}

// wholeDifference is for another list of nodes.
func (f *Feed) wholeDifference(nodes []fwk.NodeInfo) []link.Change {
	var changes []link.Change
	var changed []changedNode
	grown := false
	f.order = make([]place, len(nodes))
	for i, info := range nodes {
		record, isNew := f.find(info.Node().Name)
		grown = grown || isNew
		record.seen = f.epoch
		changes, changed = f.look(i, info, record, changes, changed)
	}
	changes = f.podChanges(changed, changes)
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
func (f *Feed) find(name string) (record *nodeRecord, isNew bool) {
	if record = f.nodes[name]; record != nil {
		return record, false
	}
	record = &nodeRecord{name: name}
	if last := len(f.free) - 1; last >= 0 {
		record.number, f.free = f.free[last], f.free[:last]
	} else {
		record.number = f.next
		f.next++
	}
	f.nodes[name] = record
	return record, true
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
		case ok && known.node == number && (known.pod == pod || sameVersion(known.pod, pod) || countsTheSame(known.pod, pod)):
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
