package deschedule

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"vicinal/test/e2e/harness"
)

// softAntiAffinity is scenario S1.
func softAntiAffinity(t *testing.T, f *fixture) {
	master := harness.NodeOf("control-plane")
	master.Spec.Taints = []corev1.Taint{{Key: "node-role.kubernetes.io/control-plane", Effect: corev1.TaintEffectNoSchedule}}
	f.cluster.Apply(t, master)
	f.nodes(t, "w1", "w2", "w3")
	policy := f.policy(t, "vicinal.SoftAntiAffinity", "{}")
	apart := func(pod *corev1.Pod) {
		pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{
				{Weight: 100, PodAffinityTerm: harness.TermTo("demo-app", corev1.LabelHostname)},
			},
		}}
	}
	expect := func(step string, places map[string]int, want ...int) {
		t.Helper()
		if got := sizes(places); !slices.Equal(got, want) || places["control-plane"] != 0 {
			t.Fatalf("%s: %v, want %v on the workers", step, places, want)
		}
		t.Logf("%s: %v", step, places)
	}
	f.deploy(t, "demo-app", 3, apart)
	expect("3 replicas", f.waitRunning(t, "demo-app", 3), 1, 1, 1)
	f.scale(t, "demo-app", 5)
	expect("scaled to 5", f.waitRunning(t, "demo-app", 5), 2, 2, 1)
	if p := f.run(t, f.kubeconfig, policy); len(p.Evictions) != 0 {
		t.Errorf("as good as it can be, and planned: %+v", p.Evictions)
	}
	f.drain(t, "w3")
	expect("w3 drained", f.waitRunning(t, "demo-app", 5), 3, 2)
	f.drain(t, "w2")
	expect("w2 drained", f.waitRunning(t, "demo-app", 5), 5)
	if p := f.run(t, f.kubeconfig, policy); len(p.Evictions) != 0 {
		t.Errorf("nowhere to go, and planned: %+v", p.Evictions)
	}
	f.cluster.Cordon(t, "w2", false)
	f.cluster.Cordon(t, "w3", false)
	time.Sleep(3 * time.Second)
	expect("uncordoned: nothing moves", f.waitRunning(t, "demo-app", 5), 5)

	dry := f.run(t, f.kubeconfig, policy)
	if len(dry.Evictions) == 0 {
		t.Fatal("nothing planned with five of five on one worker")
	}
	for _, eviction := range dry.Evictions {
		if eviction.Node != "w1" || (eviction.Destination != "w2" && eviction.Destination != "w3") {
			t.Errorf("planned: %+v", eviction)
		}
	}
	expect("after a dry run", f.waitRunning(t, "demo-app", 5), 5)

	before := f.podsOf(t, "demo-app")
	loop := f.loop(t, f.kubeconfig, policy)
	harness.Eventually(t, 60*time.Second, "no worker holds more than 2", func() string {
		places := f.waitRunning(t, "demo-app", 5)
		if sizes(places)[0] > 2 {
			return fmt.Sprint(places)
		}
		return ""
	})
	time.Sleep(3 * time.Second) // three passes more
	places := f.waitRunning(t, "demo-app", 5)
	expect("descheduled", places, 2, 2, 1)
	if code, err := loop.Terminate(20 * time.Second); err != nil || code != 0 {
		t.Errorf("the loop ended with %d, %v", code, err)
	}
	moved := 0
	for _, pod := range before {
		if !slices.ContainsFunc(f.podsOf(t, "demo-app"), func(p *corev1.Pod) bool { return p.UID == pod.UID }) {
			moved++
			f.wantEvent(t, pod)
		}
	}
	t.Logf("%d evictions", moved)
	if moved != 3 {
		t.Errorf("%d evictions, want 3: two workers were empty, and hold 3 of 5 now", moved)
	}
	if p := f.run(t, f.kubeconfig, policy); len(p.Evictions) != 0 {
		t.Errorf("as good as it can be, and planned: %+v", p.Evictions)
	}
}

// wantEvent wants one about the eviction of the pod.
func (f *fixture) wantEvent(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	harness.Eventually(t, 10*time.Second, "there is an event about "+pod.Name, func() string {
		list, err := f.cluster.Client.CoreV1().Events(pod.Namespace).List(t.Context(), metav1.ListOptions{
			FieldSelector: "involvedObject.uid=" + string(pod.UID) + ",source=vicinal-deschedule",
		})
		if err != nil {
			return err.Error()
		}
		if len(list.Items) == 0 {
			return "none"
		}
		return ""
	})
}

func (f *fixture) scale(t *testing.T, app string, replicas int) {
	t.Helper()
	patch := fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas)
	if _, err := f.cluster.Client.AppsV1().Deployments(metav1.NamespaceDefault).Patch(t.Context(), app, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

// drain cordons a node and evicts its pods, one after the other, as kubectl does.
func (f *fixture) drain(t *testing.T, node string) {
	t.Helper()
	f.cluster.Cordon(t, node, true)
	for _, pod := range f.cluster.Observer.Pods(t) {
		if pod.Spec.NodeName != node {
			continue
		}
		err := f.cluster.Client.PolicyV1().Evictions(pod.Namespace).Evict(t.Context(), &policyv1.Eviction{
			ObjectMeta:    metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace},
			DeleteOptions: &metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)},
		})
		if err != nil && !apierrors.IsNotFound(err) {
			t.Fatal(err)
		}
		harness.Eventually(t, 30*time.Second, pod.Name+" is gone", func() string {
			if f.exists(t, pod) {
				return "still there"
			}
			return ""
		})
		f.cluster.Observer.WaitSeen(t, f.cluster.Vicinal)
	}
}

// exists says whether this very pod is there.
func (f *fixture) exists(t *testing.T, pod *corev1.Pod) bool {
	t.Helper()
	return slices.ContainsFunc(f.cluster.Observer.Pods(t), func(p *corev1.Pod) bool { return p.UID == pod.UID })
}
