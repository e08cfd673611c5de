// Package failure does to a running vicinal what operators fear, and looks whether its
// answers are right again afterwards and its memory is back.
package failure

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"vicinal/test/e2e/harness"
	"vicinal/test/e2e/truth"
)

// One control plane serves all parts.
func TestTheAPIServerFails(t *testing.T) {
	t.Parallel() // It waits most of the time.
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	oracle, err := truth.NewOracle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{cp: cp, oracle: oracle, random: rand.New(rand.NewPCG(1, 2))}
	f.fill(t)
	f.observer = cp.StartObserver(t)
	t.Run("its answers take two seconds each", f.slow)
	t.Run("every watch is cut every second", f.watchesCutEverySecond)
	t.Run("every watch is answered 410", f.expiredStorm)
	t.Run("it is overloaded and says 429 and 503", f.overloaded)
	t.Run("vicinal's token has expired", f.tokenExpired)
	t.Run("its authority and vicinal's certificate are replaced", f.authorityRotated)
	t.Run("lists are streams", f.listsAreStreams)
	t.Run("a list changes between its pages", f.listChangesBetweenPages)
	t.Run("a list expires between its pages", f.listExpiresBetweenPages)
	t.Run("one page in twenty fails", f.pagesFail)
	t.Run("vicinal's clock jumps", f.clockJumps)
	t.Run("the disk is full that vicinal logs to", f.diskFull)
	t.Run("nobody reads the pipe that vicinal logs to", f.logPipeFull)
	t.Run("vicinal is killed under load", f.killedUnderLoad)
	t.Run("it is down for a minute", f.down)
}

type fixture struct {
	cp       *harness.ControlPlane
	observer *harness.Observer
	oracle   *truth.Oracle
	random   *rand.Rand
	pods     int
	node     *corev1.Node // the last one that was changed
}

const nodes = 20

func (f *fixture) fill(t *testing.T) {
	t.Helper()
	for i := range nodes {
		name := fmt.Sprintf("node-%d", i)
		if _, err := f.cp.Admin.CoreV1().Nodes().Create(t.Context(), &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name, corev1.LabelTopologyZone: fmt.Sprintf("zone-%d", i%4)}},
			Status:     corev1.NodeStatus{Allocatable: corev1.ResourceList{corev1.ResourcePods: resourceOf("10000")}},
		}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range truth.Namespaces {
		if _, err := f.cp.Admin.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: truth.Namespace(i), Labels: map[string]string{"stage": "s0"},
		}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	f.change(t, 100)
}

// change creates pods on random nodes, deletes some and moves a node to another zone.
func (f *fixture) change(t *testing.T, n int) {
	t.Helper()
	ctx := t.Context()
	for range n {
		pod := truth.RandomPod(f.random)
		f.pods++
		pod.Name = fmt.Sprintf("p%d", f.pods)
		pod.Spec.NodeName = fmt.Sprintf("node-%d", f.random.IntN(nodes))
		if _, err := f.cp.Admin.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if f.pods%3 == 0 {
			now := int64(0)
			if err := f.cp.Admin.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
				t.Fatal(err)
			}
		}
	}
	patch := fmt.Sprintf(`{"metadata":{"labels":{"topology.kubernetes.io/zone":"zone-%d"},"annotations":{"at":"%d"}}}`, f.random.IntN(4), f.pods)
	var err error
	if f.node, err = f.cp.Admin.CoreV1().Nodes().Patch(ctx, fmt.Sprintf("node-%d", f.random.IntN(nodes)), types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

// wantRight changes something, waits until vicinal knows, and compares.
func (f *fixture) wantRight(t *testing.T, v *harness.Vicinal) {
	t.Helper()
	f.change(t, 5)
	f.pods++
	last := truth.RandomPod(f.random)
	last.Name, last.Spec.NodeName = fmt.Sprintf("p%d", f.pods), "node-0"
	created, err := f.cp.Admin.CoreV1().Pods(last.Namespace).Create(t.Context(), last, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, 90*time.Second, "the test knows its last changes", func() string {
		if f.observer.Version("pods", created.Namespace, created.Name) == 0 || f.observer.Version("nodes", "", f.node.Name) < harness.VersionOf(f.node) {
			return "not yet"
		}
		return ""
	})
	f.observer.WaitSeen(t, v)
	objects := f.observer.Objects()
	for range 20 {
		pod := truth.RandomPod(f.random)
		pod.Name = "question"
		differences, err := f.oracle.Differences(v, objects, pod)
		if err != nil {
			t.Error(err)
		}
		if len(differences) > 0 {
			t.Errorf("%s\nof pod %v %v %v", strings.Join(differences[:min(5, len(differences))], "\n"), pod.Labels, pod.Spec.Affinity, pod.Spec.TopologySpreadConstraints)
		}
	}
}

func (f *fixture) start(t *testing.T, server string, flags ...string) *harness.Vicinal {
	t.Helper()
	v := harness.StartVicinal(t, f.cp.Run, append(flags, "--mode=advise", "--kubeconfig="+f.cp.VicinalKubeconfig(t, server))...)
	v.WaitReady(t)
	return v
}

func (f *fixture) slow(t *testing.T) {
	proxy := harness.StartProxy(t, f.cp.URL)
	proxy.Delay(2 * time.Second)
	v := f.start(t, proxy.URL()) // Ready within 30 s all the same.
	load := startLoad(v)
	f.wantRight(t, v)
	load.want(t, http.StatusOK)
	if lag := sumOf(t, v, "vicinal_event_lag_seconds", "pods"); lag < 2 {
		t.Errorf("the lag of all pod events together is %.1f s, want 2 and more", lag)
	}
	proxy.Delay(0)
	f.wantRight(t, v)
}

func (f *fixture) watchesCutEverySecond(t *testing.T) {
	proxy := harness.StartProxy(t, f.cp.URL)
	v := f.start(t, proxy.URL())
	lists := v.WatchMetric(t, "vicinal_watch_lists_total")
	load := startLoad(v)
	for range 10 {
		proxy.Cut()
		proxy.Mend()
		f.change(t, 5)
		time.Sleep(time.Second)
	}
	f.wantRight(t, v)
	load.want(t, http.StatusOK)
	for resource, after := range v.WatchMetric(t, "vicinal_watch_lists_total") {
		if after != lists[resource] {
			t.Errorf("%s: %v lists before, %v after: a cut watch is resumed", resource, lists[resource], after)
		}
	}
	if cuts := v.WatchMetric(t, "vicinal_watch_disconnects_total"); cuts["pods"] < 2 {
		t.Errorf("disconnects %v: the watches were not cut", cuts)
	}
}

func (f *fixture) expiredStorm(t *testing.T) {
	proxy := f.cp.StartAPIProxy(t)
	v := f.start(t, proxy.URL)
	before := v.Gauge(t, residentMemory)
	var refused atomic.Int64
	proxy.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("watch") == "" {
			return false
		}
		refused.Add(1)
		answer(w, http.StatusGone, "too old resource version")
		return true
	})
	load := startLoad(v)
	f.endWatches(t, proxy, v)
	time.Sleep(8 * time.Second)
	f.change(t, 10)
	count := refused.Load()
	proxy.Intercept(nil)
	f.wantRight(t, v)
	load.want(t, http.StatusOK)
	// With backoff: seven resources for eight seconds.
	if count < 14 || count > 700 {
		t.Errorf("%d watches were refused, want some, and not a flood", count)
	}
	wantMemoryBack(t, v, before)
}

func (f *fixture) overloaded(t *testing.T) {
	proxy := f.cp.StartAPIProxy(t)
	v := f.start(t, proxy.URL)
	var refused atomic.Int64
	proxy.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Retry-After", "1")
		if refused.Add(1)%2 == 0 {
			answer(w, http.StatusTooManyRequests, "too many requests")
		} else {
			answer(w, http.StatusServiceUnavailable, "overloaded")
		}
		return true
	})
	load := startLoad(v)
	begin := time.Now()
	f.endWatches(t, proxy, v)
	time.Sleep(5 * time.Second)
	f.change(t, 10)
	count, most := refused.Load(), 10*int64(time.Since(begin).Seconds()+3)
	proxy.Intercept(nil)
	f.wantRight(t, v)
	load.want(t, http.StatusOK)
	// Each of the seven waits a second and more after each refusal.
	if count < 7 || count > most {
		t.Errorf("%d requests were refused, want about one a second for each resource, %d at most", count, most)
	}
}

// endWatches ends all watches at once.
func (f *fixture) endWatches(t *testing.T, proxy *harness.APIProxy, v *harness.Vicinal) {
	t.Helper()
	before := v.WatchMetric(t, "vicinal_watch_disconnects_total")
	proxy.CloseConnections()
	harness.Eventually(t, 20*time.Second, "all watches are broken", func() string {
		for resource, after := range v.WatchMetric(t, "vicinal_watch_disconnects_total") {
			if after <= before[resource] {
				return resource
			}
		}
		return ""
	})
}

func (f *fixture) tokenExpired(t *testing.T) {
	tokenFile := f.cp.Run.Path("vicinal-token")
	write := func(token string) {
		if err := os.WriteFile(tokenFile+".new", []byte(token), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(tokenFile+".new", tokenFile); err != nil {
			t.Fatal(err)
		}
	}
	write(f.cp.ServiceAccountToken(t, "kube-system", "vicinal"))
	proxy := harness.StartProxy(t, f.cp.URL)
	v := harness.StartVicinal(t, f.cp.Run, "--mode=advise", "--max-watch-outage=2",
		"--kubeconfig="+f.cp.Kubeconfig(t, "with-token", proxy.URL(), &clientcmdapi.AuthInfo{TokenFile: tokenFile}))
	v.WaitReady(t)
	f.wantRight(t, v)
	// The API server tells an expired token from a valid one when a connection asks again.
	write("expired")
	load := startLoad(v)
	harness.Eventually(t, 120*time.Second, "questions are refused", func() string {
		proxy.Cut()
		proxy.Mend()
		time.Sleep(time.Second)
		if status, _, err := v.Filter(harness.PodOf("web"), "node-0"); status != http.StatusServiceUnavailable {
			return fmt.Sprint(status, err)
		}
		return ""
	})
	load.want(t, http.StatusOK, http.StatusServiceUnavailable)
	wantLogged(t, v, "401")
	write(f.cp.ServiceAccountToken(t, "kube-system", "vicinal"))
	harness.Eventually(t, 120*time.Second, "questions are answered again", func() string {
		status, _, err := v.Filter(harness.PodOf("web"), "node-0")
		if status != http.StatusOK {
			return fmt.Sprint(status, err)
		}
		return ""
	})
	f.wantRight(t, v)
}

func (f *fixture) killedUnderLoad(t *testing.T) {
	v := f.start(t, f.cp.URL)
	var asking sync.WaitGroup
	stop := make(chan struct{})
	for range 8 {
		asking.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_, _, _ = v.Filter(harness.PodOf("web"), "node-0", "node-1") // It will fail.
				}
			}
		})
	}
	time.Sleep(500 * time.Millisecond)
	begin := time.Now()
	f.change(t, 5)
	again := v.Restart(t, f.cp.Run)
	again.WaitReady(t)
	t.Logf("ready %v after the kill", time.Since(begin).Round(time.Millisecond))
	f.wantRight(t, again)
	close(stop)
	asking.Wait()
}

func (f *fixture) down(t *testing.T) {
	v := f.start(t, f.cp.URL, "--max-watch-outage=3")
	before := v.Gauge(t, residentMemory)
	load := startLoad(v)
	f.cp.KillAPIServer()
	begin := time.Now()
	harness.Eventually(t, 30*time.Second, "questions are refused", func() string {
		if status, _, err := v.Filter(harness.PodOf("web"), "node-0"); status != http.StatusServiceUnavailable {
			return fmt.Sprint(status, err)
		}
		return ""
	})
	if after := time.Since(begin); after < 2*time.Second {
		t.Errorf("questions are refused %v after the API server was killed, want about 3 s", after)
	}
	time.Sleep(60*time.Second - time.Since(begin))
	if status, _, err := v.Filter(harness.PodOf("web"), "node-0"); status != http.StatusServiceUnavailable {
		t.Errorf("after a minute: status %d, %v", status, err)
	}
	wantFewLogLines(t, v, 100)
	f.cp.StartAPIServer(t)
	v.WaitReady(t)
	// After an outage client-go's reflectors wait for up to a minute, a new one does not.
	f.observer = f.cp.StartObserver(t)
	f.wantRight(t, v)
	load.want(t, http.StatusOK, http.StatusServiceUnavailable)
	wantMemoryBack(t, v, before)
}

func answer(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":%q,"code":%d}`, message, code)
}
