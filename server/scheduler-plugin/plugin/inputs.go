package plugin

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"vicinal/scheduler-plugin/internal/feed"
	"vicinal/scheduler-plugin/internal/link"
)

// inputs feeds what is not in the scheduler's snapshot from the informers that the
// scheduler has anyway.
type inputs struct {
	feed    *feed.Feed
	pods    cache.Indexer
	handled []cache.ResourceEventHandlerRegistration
}

func newInputs(factory informers.SharedInformerFactory) (*inputs, error) {
	in := &inputs{pods: factory.Core().V1().Pods().Informer().GetIndexer()}
	in.feed = feed.New(in.knows)
	handlers := map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		factory.Core().V1().Pods().Informer():                   cache.ResourceEventHandlerFuncs{AddFunc: in.podSet, UpdateFunc: func(_, pod any) { in.podSet(pod) }, DeleteFunc: in.podDeleted},
		factory.Core().V1().Namespaces().Informer():             in.objects("Namespace"),
		factory.Core().V1().Services().Informer():               in.objects("Service"),
		factory.Core().V1().ReplicationControllers().Informer(): in.objects("ReplicationController"),
		factory.Apps().V1().ReplicaSets().Informer():            in.objects("ReplicaSet"),
		factory.Apps().V1().StatefulSets().Informer():           in.objects("StatefulSet"),
	}
	for informer, handler := range handlers {
		registration, err := informer.AddEventHandler(handler)
		if err != nil {
			return nil, err
		}
		in.handled = append(in.handled, registration)
	}
	return in, nil
}

// How often waitForSync looks. cache.WaitForCacheSync looks every 100 ms, which is most of
// the time of a small cluster's start.
const syncPeriod = 5 * time.Millisecond

// waitForSync waits until the feed has every object that there was at the start.
func (in *inputs) waitForSync(ctx context.Context) bool {
	return nil == wait.PollUntilContextCancel(ctx, syncPeriod, true, func(context.Context) (bool, error) {
		return !slices.ContainsFunc(in.handled, func(r cache.ResourceEventHandlerRegistration) bool { return !r.HasSynced() }), nil
	})
}

// knows says whether the informer has this very pod.
func (in *inputs) knows(pod *v1.Pod) bool {
	known, ok, err := in.pods.GetByKey(pod.Namespace + "/" + pod.Name)
	return err == nil && ok && known.(*v1.Pod).UID == pod.UID
}

// follow is with a new session to its end. After its first feed, which an attempt makes,
// it tells of the pods that wait, so that their first attempts need not.
func (in *inputs) follow(session *link.Session) {
	if !session.WaitFed() {
		return
	}
	connected.Set(1)
	defer connected.Set(0)
	defer session.WaitDone()
	var waiting []*v1.Pod
	for _, object := range in.pods.List() {
		if pod := object.(*v1.Pod); pod.Spec.NodeName == "" {
			waiting = append(waiting, pod)
		}
	}
	// In about the order in which they are tried, see Feed.Expected.
	slices.SortFunc(waiting, func(a, b *v1.Pod) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), strings.Compare(a.Name, b.Name))
	})
	for _, pod := range waiting {
		in.feed.Waiting(session, pod)
	}
}

func (in *inputs) podSet(object any) {
	in.feed.Changed(object.(*v1.Pod))
}

func (in *inputs) podDeleted(object any) {
	if pod, ok := lastState(object).(*v1.Pod); ok {
		in.feed.Deleted(pod.UID)
	}
}

func (in *inputs) objects(kind string) cache.ResourceEventHandler {
	set := func(object any) {
		if m, err := meta.Accessor(object); err == nil {
			in.feed.SetObject(kind, m.GetNamespace(), m.GetName(), object.(runtime.Object))
		}
	}
	return cache.ResourceEventHandlerFuncs{AddFunc: set, UpdateFunc: func(_, object any) { set(object) }, DeleteFunc: func(object any) {
		if m, err := meta.Accessor(lastState(object)); err == nil {
			in.feed.DeleteObject(kind, m.GetNamespace(), m.GetName())
		}
	}}
}

// lastState is the object that a deletion names; the informer may have missed the event.
func lastState(object any) any {
	if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
		return unknown.Obj
	}
	return object
}
