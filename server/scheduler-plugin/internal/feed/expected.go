package feed

import (
	"container/heap"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/scheduling/corev1"

	"vicinal/scheduler-plugin/internal/link"
)

// turn is when a pod that was not tried yet is expected to be: as the scheduler's queue
// does by default, the important ones first, and then in the order in which they came.
type turn struct {
	priority int32
	arrival  uint64
	uid      types.UID
}

// turns is a heap. It may have pods that were tried, or are gone.
type turns []turn

func (t turns) Len() int      { return len(t) }
func (t turns) Swap(i, j int) { t[i], t[j] = t[j], t[i] }
func (t turns) Less(i, j int) bool {
	if t[i].priority != t[j].priority {
		return t[i].priority > t[j].priority
	}
	return t[i].arrival < t[j].arrival
}
func (t *turns) Push(x any) { *t = append(*t, x.(turn)) }
func (t *turns) Pop() any {
	last := len(*t) - 1
	x := (*t)[last]
	*t = (*t)[:last]
	return x
}

// expect is called with mu held.
func (f *Feed) expect(pod *v1.Pod) {
	f.arrivals++
	heap.Push(&f.turns, turn{priority: corev1.PodPriority(pod), arrival: f.arrivals, uid: pod.UID})
}

// Expected returns the pod that the scheduler most likely tries next, nil if none waits
// that was not tried, and the Version that goes with it.
func (f *Feed) Expected() (*v1.Pod, uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.turns) > 0 {
		if known, ok := f.pods[f.turns[0].uid]; ok && known.node == waits && known.untried {
			return known.pod, f.version
		}
		heap.Pop(&f.turns)
	}
	return nil, f.version
}

// Tried says that the pod's turn has come.
func (f *Feed) Tried(uid types.UID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known, ok := f.pods[uid]; ok {
		known.untried = false
		f.pods[uid] = known
	}
}

// Version changes with everything that is told and may change the answer about a pod.
func (f *Feed) Version() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.version
}

// Placed tells that a pod that waits is about to be placed, before the snapshot says so:
// the next Snapshot confirms it or takes it back. False: it was not told.
func (f *Feed) Placed(session *link.Session, uid types.UID, node string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	known, ok := f.pods[uid]
	number, there := f.numbers[node]
	if f.session != session || !ok || known.node != waits || !there {
		return false
	}
	known.node, known.untried = int32(number), false
	f.pods[uid] = known
	f.placed = append(f.placed, uid)
	f.version++
	session.TellWithNext(podPlaced(uid, int32(number)))
	return true
}

// takeBack tells of the pods of Placed that are not in the snapshot.
func (f *Feed) takeBack(changes []link.Change) []link.Change {
	for _, uid := range f.placed {
		if known, ok := f.pods[uid]; ok && known.seen != f.epoch {
			delete(f.pods, uid)
			changes = append(changes, podRemoved(uid))
		}
	}
	f.placed = f.placed[:0]
	return changes
}
