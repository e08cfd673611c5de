package deschedule

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"

	"vicinal/test/e2e/harness"
)

// onClosedNode starts one pod of each app on n1, and then closes n1 and opens two more.
func (f *fixture) onClosedNode(t *testing.T, apps ...string) []*corev1.Pod {
	t.Helper()
	f.nodes(t, "n1")
	var pods []*corev1.Pod
	for _, app := range apps {
		f.deploy(t, app, 1, nil)
		pods = append(pods, f.podsOf(t, app)...)
	}
	f.nodes(t, "n2", "n3")
	f.taint(t, "n1", closed)
	return pods
}

func disruptionBudget(t *testing.T, f *fixture) {
	f.nodes(t, "n1")
	f.deploy(t, "guarded", 2, nil)
	f.nodes(t, "n2", "n3")
	budgets := f.cluster.Client.PolicyV1().PodDisruptionBudgets(metav1.NamespaceDefault)
	if _, err := budgets.Create(t.Context(), &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "guarded"},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: ptr.To(intstr.FromInt32(2)), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "guarded"}},
		},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := budgets.Delete(context.WithoutCancel(t.Context()), "guarded", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	waitBudget := func(allowed int32) {
		t.Helper()
		harness.Eventually(t, 30*time.Second, "the disruption controller has counted", func() string {
			budget, err := budgets.Get(t.Context(), "guarded", metav1.GetOptions{})
			if err != nil {
				return err.Error()
			}
			if budget.Status.ObservedGeneration != budget.Generation || budget.Status.CurrentHealthy != 2 || budget.Status.DisruptionsAllowed != allowed {
				return budget.Status.String()
			}
			return ""
		})
	}
	waitBudget(0)
	f.taint(t, "n1", closed)
	before := f.podsOf(t, "guarded")
	policy := f.taintPolicy(t)

	asked := f.evictions(nil)
	f.run(t, f.throughProxy, policy, "--evict", "--max-evictions-per-owner=0")
	for pod, count := range asked.ofEach() {
		if count != 1 {
			t.Errorf("%s was asked for %d times in one pass", pod, count)
		}
	}
	if asked.total() == 0 {
		t.Error("no eviction was asked for: this part shows nothing")
	}
	for _, pod := range before {
		if !f.exists(t, pod) {
			t.Errorf("%s is gone in spite of the budget", pod.Name)
		}
	}

	if _, err := budgets.Patch(t.Context(), "guarded", types.MergePatchType, []byte(`{"spec":{"minAvailable":1}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	waitBudget(1)
	loop := f.loop(t, f.throughProxy, policy, "--max-evictions-per-owner=0")
	harness.Eventually(t, 60*time.Second, "both pods have moved", func() string {
		for _, pod := range f.podsOf(t, "guarded") {
			if pod.Spec.NodeName == "n1" {
				return pod.Name + " is on n1"
			}
		}
		return ""
	})
	f.waitRunning(t, "guarded", 2)
	// The second pod may have been refused until the budget counted the first one's replacement.
	if code, err := loop.Terminate(20 * time.Second); err != nil || (code != 0 && code != notAllEvicted) {
		t.Errorf("the loop ended with %d, %v", code, err)
	}
}

func errorsInTheMiddle(t *testing.T, f *fixture) {
	before := f.onClosedNode(t, "red", "green", "blue")
	done := map[string]int{} // evictions that the API server has carried out; the requests come one at a time
	asked := f.evictions(func(number int, pod string, w http.ResponseWriter, r *http.Request) bool {
		if number == 1 {
			http.Error(w, "the first one fails", http.StatusInternalServerError)
			return true
		}
		if err := f.evict(r); err != nil {
			t.Log(err) // it has gone: no second eviction
		} else {
			done[pod]++
		}
		if number == 2 {
			f.hangUp(t, w) // and nobody knows that it was carried out
			return true
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Success","code":201}`)
		return true
	})
	loop := f.loop(t, f.throughProxy, f.taintPolicy(t))
	harness.Eventually(t, 60*time.Second, "nothing is left on n1", func() string {
		for _, pod := range f.cluster.Observer.Pods(t) {
			if pod.Spec.NodeName == "n1" {
				return pod.Name
			}
		}
		return ""
	})
	time.Sleep(3 * time.Second) // three passes more
	if code, err := loop.Terminate(20 * time.Second); err != nil || code != notAllEvicted {
		t.Errorf("the loop ended with %d, %v", code, err)
	}
	want := map[string]int{}
	for _, pod := range before {
		want[pod.Name] = 1
	}
	if !maps.Equal(done, want) {
		t.Errorf("carried out %v, want %v", done, want)
	}
	if asked.total() < 4 {
		t.Errorf("asked for %v: the first one failed and was not tried again", asked.ofEach())
	}
	if lists := asked.podLists(); lists != 1 {
		t.Errorf("all pods were listed %d times in one run of many passes, want once", lists)
	}
}

func mendedMeanwhile(t *testing.T, f *fixture) {
	before := f.onClosedNode(t, "red", "green", "blue")
	asked := f.evictions(func(int, string, http.ResponseWriter, *http.Request) bool {
		f.setTaints(t, "n1", nil)
		return false
	})
	if p := f.run(t, f.throughProxy, f.taintPolicy(t)); len(p.Evictions) != 3 {
		t.Fatalf("planned: %+v, want 3 evictions", p.Evictions)
	}
	// A plan is made anew before the next eviction, a second later.
	f.run(t, f.throughProxy, f.taintPolicy(t), "--evict")
	f.wantOneGone(t, before, asked)
}

func replacedMeanwhile(t *testing.T, f *fixture) {
	before := f.onClosedNode(t, "red", "green")
	var other *corev1.Pod
	asked := f.evictions(func(number int, pod string, _ http.ResponseWriter, _ *http.Request) bool {
		if number == 1 {
			other = before[slices.IndexFunc(before, func(p *corev1.Pod) bool { return p.Name != pod })]
			f.cluster.RemovePod(t, other)
			f.waitRunning(t, other.Labels["app"], 1)
			time.Sleep(time.Second)
		}
		return false
	})
	f.run(t, f.throughProxy, f.taintPolicy(t), "--evict")
	if asked.total() == 0 || other == nil {
		t.Fatal("no eviction was asked for: this part shows nothing")
	}
	replacement := f.podsOf(t, other.Labels["app"])
	if len(replacement) != 1 || replacement[0].Spec.NodeName == "n1" {
		t.Fatalf("the replacement: %v", replacement)
	}
	for pod := range asked.ofEach() {
		if !slices.ContainsFunc(before, func(p *corev1.Pod) bool { return p.Name == pod }) {
			t.Errorf("%s was to be evicted, and is a replacement", pod)
		}
	}
	if count := asked.ofEach()[other.Name]; count != 0 {
		t.Errorf("%s was gone for a second, and its eviction asked for %d times", other.Name, count)
	}
}

func limits(t *testing.T, f *fixture) {
	before := f.onClosedNode(t, "red", "green", "blue")
	asked := f.evictions(nil)
	f.run(t, f.throughProxy, f.taintPolicy(t, "maxNoOfPodsToEvictTotal: 1"), "--evict")
	f.wantOneGone(t, before, asked)
	for _, app := range []string{"red", "green", "blue"} {
		f.waitRunning(t, app, 1)
	}
	f.run(t, f.throughProxy, f.taintPolicy(t, "maxNoOfPodsToEvictPerNode: 1"), "--evict")
	if total := asked.total(); total != 2 {
		t.Errorf("%d evictions after two passes with a limit of one", total)
	}
}

// wantOneGone wants that one eviction was asked for and carried out.
func (f *fixture) wantOneGone(t *testing.T, before []*corev1.Pod, asked *requests) {
	t.Helper()
	if total := asked.total(); total != 1 {
		t.Errorf("asked for %v, want one", asked.ofEach())
	}
	harness.Eventually(t, 20*time.Second, "one pod is gone", func() string {
		left := slices.DeleteFunc(slices.Clone(before), func(pod *corev1.Pod) bool { return !f.exists(t, pod) })
		if len(left) != len(before)-1 {
			return "all are there, or too few"
		}
		return ""
	})
}

func leaderElection(t *testing.T, f *fixture) {
	f.nodes(t, "n1")
	f.deploy(t, "red", 1, nil)
	f.deploy(t, "green", 1, nil)
	f.nodes(t, "n2", "n3")
	other := f.cp.StartAPIProxy(t)
	kubeconfigs := []string{f.throughProxy, f.cp.Kubeconfig(t, "descheduler-other", other.URL, f.cp.ClientCertificate(t, "unused"))}
	asked := []*requests{f.evictions(nil), (&fixture{proxy: other}).evictions(nil)}
	policy := f.taintPolicy(t)
	first := f.loop(t, kubeconfigs[0], policy, "--leader-elect")
	holder := func() string {
		lease, err := f.cluster.Client.CoordinationV1().Leases(metav1.NamespaceSystem).Get(t.Context(), "vicinal-deschedule", metav1.GetOptions{})
		if err != nil {
			return ""
		}
		return ptr.Deref(lease.Spec.HolderIdentity, "")
	}
	harness.Eventually(t, 30*time.Second, "the first one leads", func() string {
		if holder() == "" {
			return "nobody leads"
		}
		return ""
	})
	leader := holder()
	second := f.loop(t, kubeconfigs[1], policy, "--leader-elect")
	f.taint(t, "n1", closed)
	f.waitEmpty(t, "n1")
	if asked[0].total() != 2 || asked[1].total() != 0 {
		t.Errorf("the leader asked for %v, the other one for %v", asked[0].ofEach(), asked[1].ofEach())
	}
	for _, app := range []string{"red", "green"} {
		f.waitRunning(t, app, 1)
	}
	first.Kill()
	f.taint(t, "n1")
	f.taint(t, "n2", closed)
	f.taint(t, "n3", closed)
	f.waitEmpty(t, "n2")
	f.waitEmpty(t, "n3")
	if asked[0].total() != 2 || asked[1].total() != 2 || holder() == leader {
		t.Errorf("the first asked for %v, the second for %v, %s leads", asked[0].ofEach(), asked[1].ofEach(), holder())
	}
	terminate(t, second)
	// With the rights of its own account, which the proxies do not need.
	released := holder()
	third := f.loop(t, f.kubeconfig, policy, "--leader-elect")
	harness.Eventually(t, 60*time.Second, "the third one leads", func() string {
		if now := holder(); now == "" || now == released {
			return fmt.Sprintf("%q leads", now)
		}
		return ""
	})
	terminate(t, third)
}

func (f *fixture) waitEmpty(t *testing.T, node string) {
	t.Helper()
	harness.Eventually(t, 90*time.Second, "nothing is left on "+node, func() string {
		for _, pod := range f.cluster.Observer.Pods(t) {
			if pod.Spec.NodeName == node {
				return pod.Name
			}
		}
		return ""
	})
}

// evict carries out the eviction of a request.
func (f *fixture) evict(r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	eviction := &policyv1.Eviction{}
	if err := runtime.DecodeInto(scheme.Codecs.UniversalDeserializer(), body, eviction); err != nil {
		return err
	}
	return f.cluster.Client.PolicyV1().Evictions(eviction.Namespace).Evict(context.Background(), eviction)
}

// hangUp ends the connection of a request without an answer.
func (f *fixture) hangUp(t *testing.T, w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	conn.Close()
}

func terminate(t *testing.T, p *harness.Process) {
	t.Helper()
	if code, err := p.Terminate(20 * time.Second); err != nil || code != 0 {
		t.Errorf("%s ended with %d, %v", p.Name, code, err)
	}
}
