// Package feed keeps vicinal's cluster equal to the scheduler's own snapshot.
//
// The truth about nodes and the pods on them is the snapshot of the scheduling cycle. At
// the start of each attempt Snapshot compares the generation of every NodeInfo with the
// one that was told last, which is O(nodes) of an integer compare, and tells what is
// different on the nodes that changed: O(their pods). Pods that wait, and Namespaces,
// Services, ReplicationControllers, ReplicaSets and StatefulSets, come from informers.
//
// The scheduler overwrites the NodeInfos of its snapshot in the next cycle; what is
// queued for sending holds pointers to API objects only, which nobody changes.
package feed

import (
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"vicinal/scheduler-plugin/internal/link"
)

// waits is the number of the node of a pod that has none.
const waits int32 = -1

// Feed is what a session has been told. Snapshot and Numbers are for one scheduling
// cycle at a time; the rest is safe for use by many.
type Feed struct {
	mu      sync.Mutex
	session *link.Session
	objects map[objectKey]runtime.Object
	pods    map[types.UID]podRecord
	nodes   map[string]*nodeRecord
	order   []place  // as the snapshot's list had it last
	free    []uint32 // numbers of nodes that are gone
	next    uint32
	epoch   uint64
	numbers map[string]uint32 // replaced when the set of nodes changes, never changed
	names   []string          // its inverse
	exists  func(*v1.Pod) bool

	version  uint64      // see Version
	placed   []types.UID // told by Placed since the latest Snapshot
	turns    turns       // of the pods that wait
	arrivals uint64
}

// nodeRecord is a node as told.
type nodeRecord struct {
	name       string
	number     uint32
	generation int64
	node       *v1.Node
	pods       []*v1.Pod
	seen       uint64 // the epoch
}

// place is one of the snapshot's list: the node that was there last.
type place struct {
	info       *framework.NodeInfo
	generation int64
	record     *nodeRecord
}

// podRecord is a pod as told.
type podRecord struct {
	pod  *v1.Pod
	node int32
	seen uint64 // the epoch in which its node's changes named it last
	// Waits, and the scheduler has not tried it yet.
	untried bool
}

type objectKey struct{ kind, namespace, name string }

// New returns a feed that has told nobody. exists says whether the informer knows this
// very pod (by uid).
func New(exists func(*v1.Pod) bool) *Feed {
	return &Feed{objects: map[objectKey]runtime.Object{}, exists: exists}
}

// Snapshot tells the session of everything that the snapshot of this cycle has and it
// does not know yet; it is sent with the next question, or with Session.Flush. The first time for a session that is the whole cluster; it returns
// false then. nodes must be all nodes of the snapshot.
func (f *Feed) Snapshot(session *link.Session, nodes []fwk.NodeInfo) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.session == session {
		changes := f.difference(nodes)
		if len(changes) > 0 {
			f.version++
			session.TellWithNext(changes...)
		}
		return true
	}
	f.session = session
	f.version++
	f.placed, f.turns = nil, nil
	f.pods, f.nodes = map[types.UID]podRecord{}, map[string]*nodeRecord{}
	f.order, f.free, f.next, f.numbers = nil, nil, 0, nil
	var changes []link.Change
	for _, object := range f.objects {
		changes = append(changes, objectUpsert(object))
	}
	session.TellAll(append(changes, f.difference(nodes)...))
	return false
}

// Numbers returns the number of each node of the latest Snapshot, by name. The map is
// never changed.
func (f *Feed) Numbers() map[string]uint32 { return f.numbers }

// Name returns the name of the node of a number, as of the latest Snapshot.
func (f *Feed) Name(number uint32) (string, bool) {
	if int(number) >= len(f.names) || f.names[number] == "" {
		return "", false
	}
	return f.names[number], true
}

// Waiting tells of a pod that waits, if the session does not know it as it is. It
// returns false if the pod cannot be asked about: it is gone, or counts on a node.
func (f *Feed) Waiting(session *link.Session, pod *v1.Pod) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.session != session || session == nil {
		return false
	}
	known, ok := f.pods[pod.UID]
	switch {
	case ok && known.node != waits:
		return false
	case ok && (known.pod == pod || sameVersion(known.pod, pod)):
		return true
	// The informer tells of a deletion after it has forgotten the pod: a pod that it
	// knows now is taken back by Deleted later, and no other one.
	case !f.exists(pod):
		return false
	}
	f.pods[pod.UID] = podRecord{pod: pod, node: waits, untried: !ok || known.untried}
	switch {
	case !ok: // a pod that waits changes no answer about another one
		f.expect(pod)
		session.Tell(podUpsert(pod, waits))
	case !countsTheSame(known.pod, pod):
		f.version++
		session.Tell(podUpsert(pod, waits))
	}
	return true
}

// Changed is for the informer: a pod is new or has changed. Pods on nodes are told by
// Snapshot; that most of their changes do not count is found out here, and not there.
func (f *Feed) Changed(pod *v1.Pod) {
	f.mu.Lock()
	session, known := f.session, f.pods[pod.UID]
	f.mu.Unlock()
	switch {
	case pod.Spec.NodeName == "":
		f.Waiting(session, pod)
	case known.pod != nil && known.node != waits && known.pod != pod && countsTheSame(known.pod, pod):
		f.mu.Lock()
		defer f.mu.Unlock()
		if now := f.pods[pod.UID]; f.session == session && now.pod == known.pod && now.node == known.node {
			now.pod = pod
			f.pods[pod.UID] = now
		}
	}
}

// Deleted is for the informer: a pod is gone. Those on nodes are left to the snapshot.
func (f *Feed) Deleted(uid types.UID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known, ok := f.pods[uid]; ok && known.node == waits {
		delete(f.pods, uid)
		f.session.Tell(podRemoved(uid))
	}
}

// SetObject is for the informers of the other kinds.
func (f *Feed) SetObject(kind, namespace, name string, object runtime.Object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.objects[objectKey{kind, namespace, name}] = object
	f.version++
	if f.session != nil {
		f.session.Tell(objectUpsert(object))
	}
}

// DeleteObject is for the informers of the other kinds.
func (f *Feed) DeleteObject(kind, namespace, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := objectKey{kind, namespace, name}
	delete(f.objects, key)
	f.version++
	if f.session != nil {
		f.session.Tell(objectRemoved(key))
	}
}

// sameVersion says whether two objects of a pod are the same but for the node that the
// scheduler has assumed for one of them.
func sameVersion(a, b *v1.Pod) bool {
	return a.ResourceVersion != "" && a.ResourceVersion == b.ResourceVersion
}
