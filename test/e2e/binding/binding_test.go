package binding

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"vicinal/test/e2e/harness"
)

const (
	podsPerNode   = 10
	settleTimeout = 6 * time.Minute
)

// podCount is how many pods a run creates; $VICINAL_BINDING_PODS or 200.
func podCount(t *testing.T) int {
	t.Helper()
	return harness.Count(t, "VICINAL_BINDING_PODS", 200, 100)
}

// delays are those of the issue in the long form ($VICINAL_BINDING_PODS is set).
func delays() []time.Duration {
	if os.Getenv("VICINAL_BINDING_PODS") == "" {
		return []time.Duration{300 * time.Millisecond}
	}
	return []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, 600 * time.Millisecond, time.Second}
}

// Nodes with room for a twentieth more pods than are created.
func nodes(n int) []runtime.Object {
	var nodes []runtime.Object
	for i := range (n + n/20 + podsPerNode - 1) / podsPerNode {
		name := fmt.Sprintf("n%03d", i)
		nodes = append(nodes, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
			Status: corev1.NodeStatus{
				Allocatable: corev1.ResourceList{
					corev1.ResourceCPU:    *resource.NewQuantity(podsPerNode, resource.DecimalSI),
					corev1.ResourceMemory: resource.MustParse("256Gi"),
					corev1.ResourcePods:   resource.MustParse("500"),
				},
				Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			},
		})
	}
	return nodes
}

// Every second pod may not be beside another of its group, which has as many as there
// are nodes at most.
func workload(n int) []*corev1.Pod {
	var pods []*corev1.Pod
	for i := range n {
		app := fmt.Sprintf("g%d", i/podsPerNode)
		pod := harness.PodOf(app)
		pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
		if i/podsPerNode%2 == 0 {
			pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{harness.TermTo(app, corev1.LabelHostname)},
			}}
		}
		pods = append(pods, pod)
	}
	return pods
}

// overcommitted names the nodes with more pods than they have room for.
func overcommitted(pods []*corev1.Pod) []string {
	count := map[string]int{}
	for _, pod := range pods {
		if pod.Spec.NodeName != "" {
			count[pod.Spec.NodeName]++
		}
	}
	var over []string
	for node, n := range count {
		if n > podsPerNode {
			over = append(over, fmt.Sprintf("%s: %d pods", node, n))
		}
	}
	slices.Sort(over)
	return over
}

func TestSlowAndFailingWrites(t *testing.T) {
	controlPlane := harness.StartControlPlane(t, harness.NewRun(t))
	observer := controlPlane.StartObserver(t)
	for _, delay := range delays() {
		var told [2]string
		for i, inTree := range []bool{true, false} {
			name := map[bool]string{true: "in-tree", false: "vicinal"}[inTree]
			t.Run(fmt.Sprintf("%v %s", delay, name), func(t *testing.T) {
				told[i] = place(t, controlPlane, observer, delay, inTree)
			})
		}
		harness.Tell(t, fmt.Sprintf("%d pods, a twentieth more places, each write of a binding takes %v and each twentieth fails", podCount(t), delay), told[1], told[0])
	}
}

// place has the workload placed, and returns what that took.
func place(t *testing.T, cp *harness.ControlPlane, observer *harness.Observer, delay time.Duration, inTree bool) string {
	proxy := cp.StartAPIProxy(t)
	var v *harness.Vicinal
	if !inTree {
		v = harness.StartVicinal(t, cp.Run, "--kubeconfig="+cp.VicinalKubeconfig(t, proxy.URL))
		v.WaitReady(t)
	}
	cluster := &harness.Cluster{Client: cp.Admin, Observer: observer, Vicinal: v, Scheduler: cp.StartQuietSchedulerAt(t, proxy.URL, v)}
	t.Cleanup(func() { cluster.Clear(t); cluster.Scheduler.Kill() })
	n := podCount(t)
	cluster.Apply(t, nodes(n)...)
	proxy.Intercept(badWrites(delay))
	begin := time.Now()
	cluster.SubmitPods(t, workload(n))
	harness.Eventually(t, settleTimeout, "all pods are placed", func() string {
		pending := 0
		for _, pod := range observer.Pods(t) {
			if pod.Spec.NodeName == "" {
				pending++
			}
		}
		if placed := len(observer.Pods(t)) - pending; placed != n {
			return fmt.Sprintf("%d of %d are", placed, n)
		}
		return ""
	})
	took := time.Since(begin)
	pods := cluster.ListPods(t)
	over := overcommitted(pods)
	if len(over) > 0 {
		t.Errorf("overcommitted: %s", strings.Join(over, ", "))
	}
	for _, broken := range harness.BrokenRules(pods, observer.Nodes(t)) {
		t.Error(broken)
	}
	placed, _, attempts := cluster.Scheduler.Attempts(t)
	if v != nil {
		// Nobody's attempt fails because a write does.
		if attempts != placed {
			t.Errorf("%d attempts for %d pods", attempts, placed)
		}
		harness.Eventually(t, 20*time.Second, "nothing is in flight", func() string {
			if left := v.Metric(t, "vicinal_in_flight_pods"); left != 0 {
				return fmt.Sprintf("%.0f pods are", left)
			}
			return ""
		})
	}
	return fmt.Sprintf("%.1f s, %d failed attempts, %d nodes overcommitted", took.Seconds(), attempts-placed, len(over))
}

// The scheduler has asked again, and given the place to another pod, when the first
// binding arrives.
func TestLateBind(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	v := harness.StartVicinal(t, cp.Run, "--kubeconfig="+cp.VicinalKubeconfig(t, cp.URL))
	cluster := cp.StartCluster(t, cp.StartObserver(t), v)
	cluster.Apply(t, nodes(2 * podsPerNode)[:2]...)
	submit := func(name string) *corev1.Pod {
		pod := harness.PodOf(name)
		pod.Name, pod.GenerateName = name, ""
		pod.Spec.SchedulerName = "nobody" // but this test
		pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: *resource.NewQuantity(podsPerNode, resource.DecimalSI)}
		return cluster.SubmitPod(t, pod)
	}
	p, q := submit("p"), submit("q")
	cluster.Observer.WaitSeen(t, v)
	filter := func(pod *corev1.Pod, node string) {
		t.Helper()
		status, result, err := v.Filter(pod, node)
		if status != http.StatusOK || err != nil || !slices.Equal(*result.NodeNames, []string{node}) {
			t.Fatalf("filter %s for %s: %d, %+v, %v", pod.Name, node, status, result, err)
		}
	}
	filter(p, "n000")
	filter(p, "n001")
	filter(q, "n000")
	if problem := v.Bind(t, q, "n000"); problem != "" {
		t.Errorf("the binding of q is refused: %s", problem)
	}
	late := v.Bind(t, p, "n000")
	if late == "" {
		t.Error("the late binding is written")
	}
	if problem := v.Bind(t, p, "n001"); problem != "" {
		t.Errorf("the binding of p is refused: %s", problem)
	}
	for _, pod := range cluster.ListPods(t) {
		if want := map[string]string{"p": "n001", "q": "n000"}[pod.Name]; pod.Spec.NodeName != want {
			t.Errorf("%s is on %q, not on %s", pod.Name, pod.Spec.NodeName, want)
		}
	}
	harness.Tell(t, "filter(P)→n1, filter(P)→n2, filter(Q)→n1, bind(Q,n1), then the late bind(P,n1) and the right bind(P,n2)", "late one refused, right one written", "cannot happen")
}

// Pods that do not exist take the only two nodes, for a short time: a pod that was
// refused because of them is tried again without any other event.
func TestGhosts(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	v := harness.StartVicinal(t, cp.Run, "--kubeconfig="+cp.VicinalKubeconfig(t, cp.URL))
	cluster := cp.StartCluster(t, cp.StartObserver(t), v)
	cluster.Apply(t, nodes(2 * podsPerNode)[:2]...)

	alone := func(name string) *corev1.Pod {
		pod := harness.PodOf("web")
		pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{harness.TermTo("web", corev1.LabelHostname)},
		}}
		pod.Name, pod.GenerateName = name, ""
		return pod
	}
	// One that the scheduler wants to bind is gone at once: a pod may be deleted
	// between the question and the binding.
	ghost := alone("deleted")
	ghost.UID = "deleted"
	if _, result, err := v.Filter(ghost, "n000"); err != nil || len(*result.NodeNames) != 1 {
		t.Fatalf("filter: %v %v", result, err)
	}
	if why := v.Bind(t, ghost, "n000"); !strings.Contains(why, "404") {
		t.Fatalf("the binding of a pod that does not exist: %q", why)
	}
	if left := v.Metric(t, "vicinal_in_flight_pods"); left != 0 {
		t.Errorf("%.0f pods are in flight after the binding has been refused", left)
	}
	// Each takes a node until it is asked about again or its time is over.
	for i := range 1000 {
		ghost := alone(fmt.Sprintf("ghost-%d", i%2))
		ghost.UID = types.UID(fmt.Sprintf("ghost-%d", i%2))
		node := fmt.Sprintf("n%03d", i%2)
		if status, _, err := v.Filter(ghost, node); status != 200 || err != nil {
			t.Fatalf("filter: %d %v", status, err)
		}
	}
	begin := time.Now()
	pod := cluster.SubmitPod(t, alone("real"))
	cluster.Observer.WaitCondition(t, pod, corev1.PodReasonUnschedulable)
	harness.Eventually(t, 30*time.Second, "the pod is placed", func() string {
		for _, known := range cluster.Observer.Pods(t) {
			if known.Name == "real" && known.Spec.NodeName != "" {
				return ""
			}
		}
		return "pending"
	})
	harness.Tell(t, "1,000 questions about pods that do not exist, which take all nodes, and then a real pod", fmt.Sprintf("bound %.1f s after it was created", time.Since(begin).Seconds()), "–")
	if v.Metric(t, "vicinal_retries_requested_total") == 0 {
		t.Error("the pod was placed without vicinal's doing: this run proves nothing")
	}
	if left := v.Metric(t, "vicinal_in_flight_pods"); left > 1 {
		t.Errorf("%.0f pods are in flight", left)
	}
}
