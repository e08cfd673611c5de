// Package silence lets the API server fall silent in every way that closes no connection:
// vicinal must not answer from what it knew before for longer than it may.
package silence

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vicinal/test/e2e/harness"
)

const (
	// What --max-watch-outage is unless a part says something else.
	outage = 6 * time.Second
	// Later than the outage that is borne.
	latest = 2 * time.Second
	// From the first byte to the first answer.
	recovery = 5 * time.Second
)

// One control plane serves all parts.
func TestTheAPIServerFallsSilent(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	for _, node := range []string{"n1", "n2"} {
		if _, err := cp.Admin.CoreV1().Nodes().Create(t.Context(), harness.NodeOf(node), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("behind proxies", func(t *testing.T) {
		t.Run("all connections freeze, by the default flags", func(t *testing.T) { t.Parallel(); freeze(t, cp) })
		t.Run("the connections are dead, new ones work", func(t *testing.T) { t.Parallel(); deadConnections(t, cp) })
		t.Run("all connections are dead for a while", func(t *testing.T) { t.Parallel(); deadForAWhile(t, cp) })
	})
	t.Run("it does nothing any more", func(t *testing.T) { stopped(t, cp) })
}

func start(t *testing.T, cp *harness.ControlPlane, server string, flags ...string) *harness.Vicinal {
	t.Helper()
	v := harness.StartVicinal(t, cp.Run, append(flags, "--mode=advise", "--kubeconfig="+kubeconfig(t, cp, server))...)
	v.WaitReady(t)
	return v
}

// One file of the run is written for all parts, and vicinal reads its own again when it
// changes.
var writing sync.Mutex

// kubeconfig is a file of the part's own.
func kubeconfig(t *testing.T, cp *harness.ControlPlane, server string) string {
	t.Helper()
	writing.Lock()
	defer writing.Unlock()
	content, err := os.ReadFile(cp.VicinalKubeconfig(t, server))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func seconds(d time.Duration) string { return fmt.Sprintf("--max-watch-outage=%d", int(d.Seconds())) }

// refusing is "" once a question is refused.
func refusing(v *harness.Vicinal) string {
	status, _, err := v.Filter(harness.PodOf("web"), "n1")
	if status != http.StatusServiceUnavailable {
		return fmt.Sprint(status, err)
	}
	return ""
}

// run lets a pod of app run on n1.
func run(t *testing.T, cp *harness.ControlPlane, app string) {
	t.Helper()
	pod := harness.RunningOn("n1", harness.PodOf(app))
	pod.Name = "of-" + app
	if _, err := cp.Admin.CoreV1().Pods(pod.Namespace).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// knows is "" once v answers, and knows of the pod of app on n1.
func knows(v *harness.Vicinal, app string) string {
	pod := harness.AwayFrom(app, corev1.LabelHostname, harness.PodOf("probe"))
	pod.Name = "probe"
	status, result, err := v.Filter(pod, "n1", "n2")
	if err != nil || status != http.StatusOK || !slices.Equal(*result.NodeNames, []string{"n2"}) {
		return fmt.Sprintf("status %d, %+v, %v", status, result, err)
	}
	return ""
}

// freeze: no byte moves, and no connection ends. Then all bytes come, in order.
func freeze(t *testing.T, cp *harness.ControlPlane) {
	proxy := harness.StartProxy(t, cp.URL)
	v := start(t, cp, proxy.URL())
	frozen := time.Now()
	proxy.Hold()
	run(t, cp, "frozen")
	harness.Eventually(t, 30*time.Second+latest, "questions are refused", func() string { return refusing(v) })
	refused := time.Since(frozen)
	if status, err := v.Get("/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("/readyz: %d %v", status, err)
	}
	mended := time.Now()
	proxy.Mend()
	harness.Eventually(t, recovery, "the answers are right again", func() string { return knows(v, "frozen") })
	harness.Tell(t, "connections freeze (no bytes, not closed)", told(refused, time.Since(mended)), "–")
}

func told(refused, recovered time.Duration) string {
	return fmt.Sprintf("503 after %.1f s, right again %.1f s after the first byte", refused.Seconds(), recovered.Seconds())
}

// deadConnections: a load balancer has forgotten what it forwarded, and says nothing.
func deadConnections(t *testing.T, cp *harness.ControlPlane) {
	proxy := harness.StartProxy(t, cp.URL)
	// A third of it is silence, another one for the new watch: also on a busy machine.
	const patience = 3 * outage
	v := start(t, cp, proxy.URL(), seconds(patience))
	lists := v.WatchMetric(t, "vicinal_watch_lists_total")
	for i := range 3 {
		proxy.Strand()
		app := fmt.Sprintf("stranded-%d", i)
		run(t, cp, app)
		// At no time is a question refused: the watches are renewed before.
		harness.Eventually(t, patience, "what has changed is known", func() string {
			if refusing(v) == "" {
				t.Fatal("a question was refused")
			}
			return knows(v, app)
		})
	}
	for resource, after := range v.WatchMetric(t, "vicinal_watch_lists_total") {
		if after != lists[resource] {
			t.Errorf("%s: %v lists before, %v after", resource, lists[resource], after)
		}
	}
}

// deadForAWhile: what was opened before the network is back stays dead.
func deadForAWhile(t *testing.T, cp *harness.ControlPlane) {
	proxy := harness.StartProxy(t, cp.URL)
	v := start(t, cp, proxy.URL(), seconds(outage))
	proxy.Hold()
	run(t, cp, "while-dead")
	harness.Eventually(t, outage+latest, "questions are refused", func() string { return refusing(v) })
	time.Sleep(outage) // Several attempts to watch.
	proxy.Strand()
	proxy.Mend()
	harness.Eventually(t, recovery, "the answers are right again", func() string { return knows(v, "while-dead") })
}

func stopped(t *testing.T, cp *harness.ControlPlane) {
	v := start(t, cp, cp.URL, seconds(outage))
	run(t, cp, "before")
	harness.Eventually(t, recovery, "the first pod is known", func() string { return knows(v, "before") })
	stopped := time.Now()
	cp.FreezeAPIServer(t)
	defer cp.ThawAPIServer(t)
	harness.Eventually(t, outage+latest, "questions are refused", func() string { return refusing(v) })
	refused := time.Since(stopped)
	cp.ThawAPIServer(t)
	run(t, cp, "after") // Returns once the API server answers.
	thawed := time.Now()
	harness.Eventually(t, recovery, "the answers are right again", func() string { return knows(v, "after") })
	harness.Tell(t, fmt.Sprintf("the API server is stopped (SIGSTOP), with `--max-watch-outage=%.0f`", outage.Seconds()), told(refused, time.Since(thawed)), "–")
}
