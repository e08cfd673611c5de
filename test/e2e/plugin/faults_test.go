package plugin

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vicinal/test/e2e/harness"
)

const (
	podsDuringFault = 30 // so many are placed while a fault lasts
	backlog         = 30 // so many pods wait at most, so that a slow machine has no more of them
)

// underLoad is a cluster whose scheduler and vicinal a test troubles. They are replaced by
// others when the leader changes.
type underLoad struct {
	*fixture
	cp         *harness.ControlPlane
	proxy      *harness.Proxy // between the scheduler and vicinal
	watches    *watches
	kubeconfig string
	config     map[string]any // of the scheduler that leads
	replicas   int
	created    atomic.Int64
}

// startUnderLoad has nodes in three zones, and others, of which each has room for eight of
// the pods that ask for CPU.
func startUnderLoad(t *testing.T, rounds int) *underLoad {
	t.Helper()
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	u := &underLoad{fixture: &fixture{}, cp: cp, watches: newWatches()}
	api := cp.StartAPIProxy(t)
	api.Intercept(u.watches.intercept)
	u.kubeconfig = cp.Kubeconfig(t, "kube-scheduler", api.URL, cp.ClientCertificate(t, "system:kube-scheduler"))
	u.Cluster = &harness.Cluster{Client: cp.Admin, Observer: cp.StartObserver(t)}
	u.newLeader(t)
	var nodes []runtime.Object // at once: the scheduler says once a second how many it knows
	for i := range 30 * rounds {
		node := harness.NodeOf(fmt.Sprint("zoned-", i))
		node.Labels[zone] = fmt.Sprint("z", i%3)
		nodes = append(nodes, node)
	}
	for i := range 20 * rounds {
		node := harness.NodeOf(fmt.Sprint("room-", i))
		node.Labels["room"] = "yes"
		nodes = append(nodes, node)
	}
	u.Apply(t, nodes...)
	for range 3 { // one in each zone: others want to be beside them
		u.waitPlaced(t, u.SubmitPod(t, spread("anchor", harness.PodOf("anchor"))))
	}
	u.awaitVicinal(t)
	return u
}

// newLeader starts a scheduler with a vicinal of its own, and ends the one that leads.
func (u *underLoad) newLeader(t *testing.T) {
	t.Helper()
	u.replicas++
	name := fmt.Sprint("replica-", u.replicas)
	socket := u.cp.Run.Path(name + "-proxy.sock")
	_, config := u.cp.PluginConfig(t, socket, map[string]any{"timeout": "100ms"})
	config["clientConnection"] = map[string]any{"kubeconfig": u.kubeconfig}
	vicinal := harness.NewPluginVicinal(t, u.cp.Run, u.cp.Run.Path(name+".sock"), config)
	proxy := harness.StartUnixProxy(t, socket, vicinal.Socket)
	vicinal.Start(t)
	standby := u.startScheduler(t, config)
	if u.Scheduler != nil {
		u.wantNoFailedAttempt(t)
		u.Scheduler.Kill()
		u.vicinal.Kill()
	}
	u.config, u.Scheduler, u.vicinal, u.proxy = config, standby, vicinal, proxy
}

func (u *underLoad) startScheduler(t *testing.T, config map[string]any) *harness.Scheduler {
	t.Helper()
	return u.cp.StartPluginScheduler(t, u.kubeconfig, config, "--leader-elect=true",
		"--leader-elect-lease-duration=4s", "--leader-elect-renew-deadline=3s", "--leader-elect-retry-period=500ms")
}

// restartScheduler: its successor leads once the lease has expired.
func (u *underLoad) restartScheduler(t *testing.T) {
	t.Helper()
	u.wantNoFailedAttempt(t)
	u.Scheduler.Kill()
	u.Scheduler = u.startScheduler(t, u.config)
}

// watches are the scheduler's.
type watches struct {
	mu      sync.Mutex
	open    context.Context // guarded by mu
	end     context.CancelFunc
	expired map[string]bool // guarded by mu; by path: the next one is refused
}

func newWatches() *watches {
	w := &watches{expired: map[string]bool{}}
	w.open, w.end = context.WithCancel(context.Background())
	return w
}

// expire ends all of them, and has the API server know their resourceVersion no more, so
// that each resource is listed again.
func (w *watches) expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end()
	w.open, w.end = context.WithCancel(context.Background())
	for path := range w.expired {
		w.expired[path] = true
	}
}

func (w *watches) listedAgain() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !slices.Contains(slices.Collect(maps.Values(w.expired)), true)
}

func (w *watches) intercept(answer http.ResponseWriter, r *http.Request) bool {
	query := r.URL.Query()
	if !query.Has("watch") || strings.Contains(r.URL.Path, "/namespaces/kube-system/") {
		return false
	}
	w.mu.Lock()
	open, expired := w.open, w.expired[r.URL.Path] && !query.Has("sendInitialEvents") // that is a list
	w.expired[r.URL.Path] = w.expired[r.URL.Path] && !expired
	w.mu.Unlock()
	if expired {
		answer.Header().Set("Content-Type", "application/json")
		answer.WriteHeader(http.StatusGone)
		fmt.Fprint(answer, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,"message":"too old resource version"}`)
		return true
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(open, cancel)()
	harness.ForwardOf(r).ServeHTTP(answer, r.WithContext(ctx))
	return true
}

// wantNoFailedAttempt: each pod here has a node when its turn comes.
func (u *underLoad) wantNoFailedAttempt(t *testing.T) {
	t.Helper()
	for _, result := range []string{"unschedulable", "error"} {
		if failed := u.count(t, "scheduler_schedule_attempts_total", "result", result); failed != 0 {
			t.Errorf("%v attempts end as %s", failed, result)
		}
	}
}

// load creates pods until its context ends.
func (u *underLoad) load(ctx context.Context, t *testing.T) error {
	for batch := 0; ctx.Err() == nil; batch++ {
		for _, pod := range batchOfEachKind(batch) {
			for int(u.created.Load())-u.placed(t) > backlog && ctx.Err() == nil {
				time.Sleep(10 * time.Millisecond)
			}
			if _, err := u.Client.CoreV1().Pods(metav1.NamespaceDefault).Create(context.WithoutCancel(ctx), pod, metav1.CreateOptions{}); err != nil {
				return err
			}
			u.created.Add(1)
		}
	}
	return nil
}

// batchOfEachKind: each of the pods fits, in whichever order they are tried. A scheduler
// that restarts, or lists again, does not try them in the order of their creation.
func batchOfEachKind(batch int) []*corev1.Pod {
	alone, even, room := fmt.Sprint("alone-", batch), fmt.Sprint("even-", batch), fmt.Sprint("room-", batch)
	var pods []*corev1.Pod
	for range 6 {
		pods = append(pods, harness.AwayFrom(alone, host, harness.PodOf(alone)), spread(even, harness.PodOf(even)),
			harness.Beside("anchor", zone, harness.PodOf(fmt.Sprint("beside-", batch))))
	}
	for range 3 {
		pod := harness.Requesting("1", harness.PodOf(room))
		pod.Spec.NodeSelector = map[string]string{"room": "yes"}
		pods = append(pods, pod)
	}
	return pods
}

func (u *underLoad) placed(t *testing.T) int {
	count := 0
	for _, pod := range u.Observer.Pods(t) {
		if pod.Spec.NodeName != "" && pod.Labels["app"] != "anchor" && pod.Labels["app"] != "probe" {
			count++
		}
	}
	return count
}

// awaitPlaced waits until so many more pods are placed.
func (u *underLoad) awaitPlaced(t *testing.T, more int) {
	t.Helper()
	want := u.placed(t) + more
	harness.Eventually(t, harness.OutcomeTimeout, fmt.Sprintf("%d more pods are placed", more), func() string {
		if placed := u.placed(t); placed < want {
			return fmt.Sprintf("%d of %d", placed, want)
		}
		return ""
	})
}

// fault is what happens to vicinal or its scheduler, and how it ends. A scheduler that is
// new leads at the end.
type fault struct {
	name       string
	begin, end func()
	inTree     bool // meanwhile in-tree code answers
}

func (u *underLoad) faults(t *testing.T) []fault {
	nothing := func() {}
	return []fault{
		{"killed", func() { u.vicinal.Kill() }, func() { u.vicinal.Start(t) }, true},
		{"stopped", func() { u.vicinal.Signal(t, syscall.SIGSTOP) }, func() { u.vicinal.Signal(t, syscall.SIGCONT) }, true},
		{"slow", func() { u.proxy.Delay(200 * time.Millisecond) }, func() { u.proxy.Delay(0) }, true},
		{"restarted", nothing, func() { u.vicinal.Kill(); u.vicinal.Start(t) }, false},
		{"saying nonsense", func() { u.proxy.Garble() }, func() { u.proxy.Mend() }, true},
		{"without its socket, and cut off", func() {
			if err := os.Remove(u.vicinal.Socket); err != nil {
				t.Fatal(err)
			}
			u.proxy.Cut()
		}, func() { u.proxy.Mend() }, true},
		{"asked by a scheduler that lists again", u.watches.expire, func() {
			harness.Eventually(t, harness.OutcomeTimeout, "all is listed again", func() string {
				if !u.watches.listedAgain() {
					return "not yet"
				}
				return ""
			})
		}, false},
		{"asked by a scheduler that restarts", nothing, func() { u.restartScheduler(t); u.awaitPlaced(t, 1) }, false},
		{"asked by another leader", nothing, func() { u.newLeader(t); u.awaitPlaced(t, 1) }, false},
	}
}

// happen has a fault come and go under load.
func (u *underLoad) happen(t *testing.T, fault fault) {
	t.Helper()
	begun := u.answered(t, "in_tree")
	fault.begin()
	u.awaitPlaced(t, podsDuringFault)
	inTree := u.answered(t, "in_tree") - begun
	if fault.inTree && inTree == 0 {
		t.Errorf("vicinal is %s: no attempt is counted as in-tree's", fault.name)
	}
	fault.end()
	before, returned := u.answered(t, "vicinal"), time.Now()
	harness.Eventually(t, harness.OutcomeTimeout, "vicinal answers again after it was "+fault.name, func() string {
		if u.answered(t, "vicinal") > before {
			return ""
		}
		return "in-tree code does"
	})
	t.Logf("vicinal is %s: in-tree code answers %v attempts; vicinal answers again after %v", fault.name, inTree, time.Since(returned).Round(time.Millisecond))
	u.awaitPlaced(t, podsDuringFault/3)
}

func TestFaultsUnderLoadFailNoAttemptAndBreakNoRule(t *testing.T) {
	rounds := harness.Count(t, "VICINAL_PLUGIN_FAULTS", 1, 1) // The long form of test/run has more.
	u := startUnderLoad(t, rounds)
	ctx, stop := context.WithCancel(t.Context())
	var loading sync.WaitGroup
	var failed error
	loading.Go(func() { failed = u.load(ctx, t) })
	defer loading.Wait()
	defer stop()
	for range rounds {
		for _, fault := range u.faults(t) {
			u.happen(t, fault)
		}
	}
	stop()
	loading.Wait()
	if failed != nil {
		t.Fatal(failed)
	}
	created := int(u.created.Load())
	harness.Eventually(t, harness.OutcomeTimeout, "all pods are placed", func() string {
		if placed := u.placed(t); placed < created {
			return fmt.Sprintf("%d of %d", placed, created)
		}
		return ""
	})
	t.Logf("%d pods", created)
	u.wantNoFailedAttempt(t)
	pods, nodes := u.Observer.Pods(t), u.Observer.Nodes(t)
	for _, broken := range append(harness.BrokenRules(pods, nodes), harness.Overcommitted(pods, nodes)...) {
		t.Error(broken)
	}
}
