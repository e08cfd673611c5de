package harness

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Referee watches the API server and judges every placement when it is made, against
// what was placed before it. Its watch has the events in the order in which the API
// server stored them, which an informer's handlers need not have.
//
// Anti-affinity must hold at once. A pod whose affinity or spread is about others may be
// bound before these are: the scheduler, with its own plugins too, decides on one pod
// after the other and has them bound in the background. Such a placement must be mended
// by the others' bindings, within maxLate.
type Referee struct {
	nodes map[string]*corev1.Node

	mu       sync.Mutex
	placed   map[types.UID]*corev1.Pod // guarded by mu
	lacking  map[types.UID]lack        // guarded by mu; those that were bound early
	total    int                       // guarded by mu; placements judged
	early    int                       // guarded by mu; those that were bound early
	earliest time.Duration             // guarded by mu; how long before it was mended, at most
	broken   []string                  // guarded by mu
	failed   error                     // guarded by mu; of the watch
}

// lack is a placement whose rules do not hold yet.
type lack struct {
	since time.Time
	rules []string
}

// As long as the scheduler takes at most to try a pod again whose binding has failed.
const maxLate = 15 * time.Second

// StartReferee begins with a cluster whose nodes do not change. What is placed already is
// taken as it is.
func (cp *ControlPlane) StartReferee(t testing.TB, nodes map[string]*corev1.Node) *Referee {
	t.Helper()
	config := rest.CopyConfig(cp.AdminREST)
	config.Timeout = 0 // it would end the watch
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	list, err := client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	r := newReferee(nodes)
	for i := range list.Items {
		if pod := &list.Items[i]; pod.Spec.NodeName != "" {
			r.placed[pod.UID] = pod
		}
	}
	var watching sync.WaitGroup
	watching.Go(func() { r.watch(ctx, client, list.ResourceVersion) })
	t.Cleanup(func() {
		cancel()
		watching.Wait()
	})
	return r
}

func newReferee(nodes map[string]*corev1.Node) *Referee {
	return &Referee{nodes: nodes, placed: map[types.UID]*corev1.Pod{}, lacking: map[types.UID]lack{}}
}

// watch resumes after the API server has ended a watch.
func (r *Referee) watch(ctx context.Context, client kubernetes.Interface, version string) {
	for ctx.Err() == nil {
		w, err := client.CoreV1().Pods(metav1.NamespaceAll).Watch(ctx, metav1.ListOptions{ResourceVersion: version, AllowWatchBookmarks: true})
		if err != nil {
			time.Sleep(100 * time.Millisecond) // it may be restarting
			continue
		}
		for event := range w.ResultChan() {
			pod, ok := event.Object.(*corev1.Pod)
			if !ok {
				r.mu.Lock()
				r.failed = fmt.Errorf("the referee's watch: %v", event.Object)
				r.mu.Unlock()
				return
			}
			version = pod.ResourceVersion
			r.judge(event.Type, pod)
		}
	}
}

func (r *Referee) judge(what watch.EventType, pod *corev1.Pod) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case what == watch.Bookmark:
	case what == watch.Deleted:
		delete(r.placed, pod.UID)
		delete(r.lacking, pod.UID)
	case pod.Spec.NodeName != "" && r.placed[pod.UID] == nil:
		r.place(pod, time.Now())
	}
}

// place wants the mutex.
func (r *Referee) place(pod *corev1.Pod, now time.Time) {
	pods := slices.Collect(maps.Values(r.placed))
	problems := conflicts(pod, pods, r.nodes)
	if field := beyondJudgement(pod); field != "" {
		problems = append(problems, complaint(pod, "this check does not know "+field))
	}
	r.placed[pod.UID] = pod
	r.total++
	r.complain(problems)

	pods = append(pods, pod)
	if rules := lacks(pod, pods, r.nodes); len(rules) > 0 {
		r.lacking[pod.UID] = lack{now, rules}
		r.early++
	}
	for uid, early := range r.lacking {
		if len(lacks(r.placed[uid], pods, r.nodes)) > 0 {
			continue
		}
		delete(r.lacking, uid)
		late := now.Sub(early.since)
		r.earliest = max(r.earliest, late)
		if late > maxLate {
			r.complain(early.rules)
		}
	}
}

// complain wants the mutex.
func (r *Referee) complain(rules []string) {
	for _, rule := range rules {
		r.broken = append(r.broken, fmt.Sprintf("placement %d: %s", r.total, rule))
	}
}

// Judged waits until so many placements have been judged since the start, and returns the
// rules that they broke. No placement may be made any more.
func (r *Referee) Judged(t testing.TB, placements int) []string {
	t.Helper()
	Eventually(t, 20*time.Second, fmt.Sprintf("%d placements are judged", placements), func() string {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.failed != nil {
			return r.failed.Error()
		}
		if r.total < placements {
			return fmt.Sprintf("%d are", r.total)
		}
		return ""
	})
	r.mu.Lock()
	t.Logf("%d placements judged; %d were bound before those that they wanted, by %v at most", r.total, r.early, r.earliest.Round(time.Millisecond))
	for _, early := range r.lacking {
		r.complain(early.rules)
	}
	r.mu.Unlock()
	return r.Broken()
}

// Broken are the rules that placements have broken so far.
func (r *Referee) Broken() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.broken)
}
