package feed

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"vicinal/scheduler-plugin/internal/fakevicinal"
	"vicinal/scheduler-plugin/internal/link"
	"vicinal/scheduler-plugin/internal/release"
	pb "vicinal/scheduler-plugin/internal/v1"
)

// world is the scheduler's own cache, the feed of its snapshot, and what arrives.
type world struct {
	t        *testing.T
	random   *rand.Rand
	cache    cache.Cache
	snapshot *cache.Snapshot
	fake     *fakevicinal.Server
	link     *link.Link
	feed     *Feed
	nodes    map[string]*v1.Node
	pods     map[types.UID]*v1.Pod // those that the cache has
	assumed  map[types.UID]*v1.Pod
	waiting  map[types.UID]*v1.Pod // those that the informer has, and that wait
	serial   int

	counting map[uint64]int // what had arrived that counts, by the feed's version
}

func newWorld(t *testing.T, seed int64) *world {
	metrics.Register()
	w := &world{t: t, random: rand.New(rand.NewSource(seed)), snapshot: cache.NewEmptySnapshot(),
		nodes: map[string]*v1.Node{}, pods: map[types.UID]*v1.Pod{}, assumed: map[types.UID]*v1.Pod{}, waiting: map[types.UID]*v1.Pod{}, counting: map[uint64]int{}}
	ctx := klog.NewContext(t.Context(), klog.Logger{})
	w.cache = release.NewCache(ctx)
	w.fake = fakevicinal.Start(t, func(*fakevicinal.Cluster, *pb.Question) *pb.Answer { return &pb.Answer{} })
	w.feed = New(func(pod *v1.Pod) bool { return w.waiting[pod.UID] != nil })
	w.link = link.New(w.fake.Address, func() *pb.Hello { return &pb.Hello{KubernetesVersion: "v1.37.1"} }, nil)
	go w.link.Run(ctx)
	return w
}

func (w *world) session() *link.Session {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if s := w.link.Session(); s != nil {
			return s
		}
	}
	w.t.Fatal("no session")
	return nil
}

// cycle does what the start of an attempt does, and waits for an answer: then everything
// before it has arrived.
func (w *world) cycle() {
	logger := klog.Logger{}
	if err := w.cache.UpdateSnapshot(logger, w.snapshot); err != nil {
		w.t.Fatal(err)
	}
	nodes, err := w.snapshot.NodeInfos().List()
	if err != nil {
		w.t.Fatal(err)
	}
	session := w.session()
	if !w.feed.Snapshot(session, nodes) {
		session.WaitFed()
	}
	pod := w.pod()
	w.waiting[pod.UID] = pod
	if !w.feed.Waiting(session, pod) {
		w.t.Fatal("a pod that waits is refused")
	}
	question, err := session.Ask(&pb.Question{Uid: string(pod.UID)})
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := question.Wait(time.Minute); err != nil {
		w.t.Fatal(err)
	}
	w.compare()
	w.checkVersion()
}

// checkVersion: of one version only one cluster has arrived.
func (w *world) checkVersion() {
	w.fake.Look(func(c *fakevicinal.Cluster, _ *pb.Hello) {
		version := w.feed.Version()
		if before, ok := w.counting[version]; ok && before != c.Counting {
			w.t.Fatalf("%d changes that count have arrived, and %d before, of the same version", c.Counting, before)
		}
		w.counting[version] = c.Counting
	})
}

// compare compares what has arrived with the snapshot.
func (w *world) compare() {
	w.fake.Look(func(c *fakevicinal.Cluster, _ *pb.Hello) {
		nodes, _ := w.snapshot.NodeInfos().List()
		if len(c.Nodes) != len(nodes) {
			w.t.Fatalf("%d nodes have arrived, want %d", len(c.Nodes), len(nodes))
		}
		onNodes := 0
		for _, info := range nodes {
			number, ok := w.feed.Numbers()[info.Node().Name]
			if !ok || c.Nodes[number] == nil || !maps.Equal(c.Nodes[number].Labels, info.Node().Labels) {
				w.t.Fatalf("node %s has arrived as %v", info.Node().Name, c.Nodes[number])
			}
			if name, ok := w.feed.Name(number); !ok || name != info.Node().Name {
				w.t.Fatalf("number %d is %q, want %q", number, name, info.Node().Name)
			}
			for _, pod := range info.GetPods() {
				onNodes++
				got, ok := c.Pods[pod.GetPod().UID]
				if !ok || got.Node == nil || *got.Node != number || !maps.Equal(got.Pod.Labels, pod.GetPod().Labels) {
					w.t.Fatalf("pod %s on node %d has arrived as %+v", pod.GetPod().UID, number, got)
				}
			}
		}
		for uid, pod := range c.Pods {
			if pod.Node != nil {
				onNodes--
			} else if w.waiting[uid] == nil && w.assumed[uid] == nil && w.pods[uid] == nil { // the latter on nodes that are gone
				w.t.Fatalf("pod %s waits in vicinal, and not in the cluster", uid)
			}
		}
		if onNodes != 0 {
			w.t.Fatalf("%d pods on nodes more in the snapshot than have arrived", onNodes)
		}
	})
}

func (w *world) name() (string, string) {
	w.serial++
	return fmt.Sprint("n", w.serial), fmt.Sprint("v", w.serial)
}

func (w *world) pod() *v1.Pod {
	name, version := w.name()
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name), ResourceVersion: version, Labels: map[string]string{"app": version}}}
}

func anyOf[K comparable, V any](r *rand.Rand, m map[K]V) (V, bool) {
	skip := 0
	if len(m) > 0 {
		skip = r.Intn(len(m))
	}
	for _, v := range m {
		if skip == 0 {
			return v, true
		}
		skip--
	}
	var none V
	return none, false
}

// step changes something as the scheduler's event handlers and cycles do.
func (w *world) step() {
	logger := klog.Logger{}
	must := func(err error) {
		if err != nil {
			w.t.Fatal(err)
		}
	}
	switch w.random.Intn(11) {
	case 0, 1: // a node comes
		name, version := w.name()
		w.nodes[name] = &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"v": version}}}
		w.cache.AddNode(logger, w.nodes[name])
	case 2: // a node changes
		if node, ok := anyOf(w.random, w.nodes); ok {
			_, version := w.name()
			changed := node.DeepCopy()
			changed.Labels["v"] = version
			w.nodes[node.Name] = changed
			w.cache.UpdateNode(logger, node, changed)
		}
	case 3: // a node goes, its pods stay in the API for a while
		if node, ok := anyOf(w.random, w.nodes); ok {
			delete(w.nodes, node.Name)
			must(w.cache.RemoveNode(logger, node))
		}
	case 4: // a bound pod comes
		if node, ok := anyOf(w.random, w.nodes); ok {
			pod := w.pod()
			pod.Spec.NodeName = node.Name
			w.pods[pod.UID] = pod
			must(w.cache.AddPod(logger, pod))
		}
	case 5: // a bound pod changes
		if pod, ok := anyOf(w.random, w.pods); ok {
			changed := pod.DeepCopy()
			_, changed.ResourceVersion = w.name()
			changed.Labels["app"] = changed.ResourceVersion
			w.pods[pod.UID] = changed
			w.feed.Changed(changed)
			must(w.cache.UpdatePod(logger, pod, changed))
		}
	case 6: // a bound pod goes
		if pod, ok := anyOf(w.random, w.pods); ok {
			delete(w.pods, pod.UID)
			must(w.cache.RemovePod(logger, pod))
			w.feed.Deleted(pod.UID)
		}
	case 7: // a pod is assumed
		pod, ok := anyOf(w.random, w.waiting)
		node, ok2 := anyOf(w.random, w.nodes)
		if ok && ok2 {
			if w.random.Intn(2) == 0 { // an attempt has told of it
				w.feed.Placed(w.session(), pod.UID, node.Name)
				if w.random.Intn(3) == 0 { // and fails
					return
				}
			}
			placed := pod.DeepCopy()
			placed.Spec.NodeName = node.Name
			delete(w.waiting, pod.UID)
			w.assumed[pod.UID] = placed
			must(w.cache.AssumePod(logger, placed))
			w.feed.Changed(pod) // the informer may still say that it waits
		}
	case 8: // a binding fails
		if pod, ok := anyOf(w.random, w.assumed); ok {
			delete(w.assumed, pod.UID)
			must(w.cache.ForgetPod(logger, pod))
			again := pod.DeepCopy()
			again.Spec.NodeName = ""
			w.waiting[pod.UID] = again
		}
	case 9: // a binding is confirmed
		if pod, ok := anyOf(w.random, w.assumed); ok {
			delete(w.assumed, pod.UID)
			bound := pod.DeepCopy()
			_, bound.ResourceVersion = w.name()
			w.pods[pod.UID] = bound
			if w.random.Intn(2) == 0 { // else the informer's event comes late
				w.feed.Changed(bound)
			}
			must(w.cache.AddPod(logger, bound))
		}
	case 10: // a pod that waits goes
		if pod, ok := anyOf(w.random, w.waiting); ok {
			delete(w.waiting, pod.UID)
			w.feed.Deleted(pod.UID)
		}
	}
}

func TestWhatArrivesIsTheSnapshot(t *testing.T) {
	for range 20 {
		seed := rand.Int63()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorld(t, seed)
			for range 150 {
				for range w.random.Intn(6) {
					w.step()
				}
				w.cycle()
				if w.random.Intn(40) == 0 { // vicinal starts again, with nothing
					old := w.session()
					w.fake.Stop()
					old.WaitDone()
					w.fake.Restart(t)
				}
			}
		})
	}
}

func TestThePodThatIsExpectedIsTheMostImportantAndThenTheOldestThatWasNotTried(t *testing.T) {
	w := newWorld(t, 1)
	w.cycle()
	session := w.session()
	var pods []*v1.Pod
	for _, priority := range []int32{0, 5, 0, 5, 0} {
		pod := w.pod()
		pod.Spec.Priority = &priority
		w.waiting[pod.UID] = pod
		pods = append(pods, pod)
		w.feed.Changed(pod)
	}
	expect := func(want *v1.Pod) {
		t.Helper()
		if got, _ := w.feed.Expected(); got != want {
			t.Errorf("expected is %v, want %v", got, want)
		}
	}
	for first := range w.waiting {
		if !slices.ContainsFunc(pods, func(p *v1.Pod) bool { return p.UID == first }) {
			w.feed.Tried(first) // that of the cycle
		}
	}
	expect(pods[1])
	w.feed.Tried(pods[1].UID)
	expect(pods[3])
	w.feed.Deleted(pods[3].UID)
	expect(pods[0])
	again := pods[0].DeepCopy()
	again.ResourceVersion = "other"
	w.waiting[again.UID] = again
	w.feed.Changed(again)
	expect(again)
	w.feed.Tried(again.UID)
	w.feed.Changed(pods[0]) // it has changed since it was tried
	expect(pods[2])
	w.feed.Tried(pods[2].UID)
	if !w.feed.Waiting(session, pods[4]) {
		t.Error("a pod that waits is refused")
	}
	expect(pods[4])
	w.feed.Tried(pods[4].UID)
	expect(nil)
}
