// Package failover runs two schedulers, each with a vicinal of its own, and takes from
// the leader's vicinal what it needs.
package failover

import (
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vicinal/test/e2e/harness"
)

// What kubelet does by the manifests: it probes every five seconds, and ends the container
// at the third failure in a row.
const (
	probePeriod      = 5 * time.Second
	failureThreshold = 3
	handover         = 90 * time.Second
)

// replica is a scheduler with its vicinal, and the kubelet that looks after it.
type replica struct {
	name      string
	proxy     *harness.Proxy
	vicinal   *harness.Vicinal
	scheduler *harness.Scheduler

	mu      sync.Mutex
	stopped bool // guarded by mu; by the kubelet
}

func startReplica(t *testing.T, cp *harness.ControlPlane, name string) *replica {
	t.Helper()
	r := &replica{name: name, proxy: harness.StartProxy(t, cp.URL)}
	user := "vicinal-" + name
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "vicinal"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}},
	}
	if _, err := cp.Admin.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	r.vicinal = harness.StartVicinal(t, cp.Run, "--kubeconfig="+cp.Kubeconfig(t, user, r.proxy.URL(), cp.ClientCertificate(t, user)))
	r.vicinal.WaitReady(t)
	kubeconfig := cp.Kubeconfig(t, "scheduler-"+name, cp.URL, cp.ClientCertificate(t, "system:kube-scheduler"))
	config := harness.ExtenderConfig(t, "decide", kubeconfig, r.vicinal.ExtenderURL())
	r.scheduler = cp.StartScheduler(t, "scheduler-"+name, kubeconfig, config, "--leader-elect=true")

	done := make(chan struct{})
	var probing sync.WaitGroup
	probing.Go(func() { r.kubelet(t, done) })
	t.Cleanup(func() { close(done); probing.Wait() })
	return r
}

// kubelet ends the scheduler when its liveness probe fails. It does not start it again:
// that the lease comes back is no matter here.
func (r *replica) kubelet(t *testing.T, done <-chan struct{}) {
	failures := 0
	for {
		select {
		case <-done:
			return
		case <-time.After(probePeriod):
		}
		if status, err := r.vicinal.Get("/leadz"); err == nil && status == http.StatusOK {
			failures = 0
			continue
		}
		if failures++; failures == failureThreshold {
			r.mu.Lock()
			r.stopped = true
			r.mu.Unlock()
			_, _ = r.scheduler.Terminate(30 * time.Second)
			return
		}
	}
}

func (r *replica) wasStopped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stopped
}

func node(name string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
		Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("256Gi"), corev1.ResourcePods: resource.MustParse("500"),
			},
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
}

// place creates a pod, and returns how long it took to be placed.
func place(t *testing.T, cp *harness.ControlPlane, within time.Duration) time.Duration {
	t.Helper()
	begin := time.Now()
	pod, err := cp.Admin.CoreV1().Pods(metav1.NamespaceDefault).Create(t.Context(), harness.PodOf("web"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, within, "the pod is placed", func() string {
		known, err := cp.Admin.CoreV1().Pods(pod.Namespace).Get(t.Context(), pod.Name, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if known.Spec.NodeName == "" {
			return "pending: " + harness.PendingMessage(known)
		}
		return ""
	})
	return time.Since(begin)
}

func TestTheLeaseGoesWhereVicinalAnswers(t *testing.T) {
	cases := map[string]func(*testing.T, *harness.ControlPlane, *replica){
		"connection": func(_ *testing.T, _ *harness.ControlPlane, r *replica) { r.proxy.Cut() },
	}
	if os.Getenv("VICINAL_FAILOVER_ALL") != "" {
		cases["rights"] = func(t *testing.T, cp *harness.ControlPlane, r *replica) {
			if err := cp.Admin.RbacV1().ClusterRoleBindings().Delete(t.Context(), "vicinal-"+r.name, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for lost, take := range cases {
		t.Run(lost, func(t *testing.T) {
			cp := harness.StartControlPlane(t, harness.NewRun(t))
			for i := range 2 {
				if _, err := cp.Admin.CoreV1().Nodes().Create(t.Context(), node(fmt.Sprintf("n%d", i)), metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			leader := startReplica(t, cp, "a")
			place(t, cp, handover) // it leads
			standby := startReplica(t, cp, "b")

			// Too short to matter: less than --max-watch-outage.
			leader.proxy.Cut()
			time.Sleep(20 * time.Second)
			leader.proxy.Mend()
			place(t, cp, handover)
			if leader.wasStopped() {
				t.Fatal("a short interruption has cost the lease")
			}

			take(t, cp, leader)
			harness.Tell(t, "the leader's vicinal loses its "+lost, fmt.Sprintf("the standby places a pod after %.0f s", place(t, cp, handover).Seconds()), "–")
			if !leader.wasStopped() || standby.wasStopped() {
				t.Errorf("stopped: leader %v, standby %v", leader.wasStopped(), standby.wasStopped())
			}
		})
	}
}
