package feed

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAPodIsToldAgainOnlyIfSomethingThatCountsHasChanged(t *testing.T) {
	room := v1.ResourceList{v1.ResourceCPU: resource.MustParse("1")}
	for name, test := range map[string]struct {
		change func(*v1.Pod)
		same   bool
	}{
		"the binding": {func(p *v1.Pod) {
			p.ResourceVersion, p.Spec.NodeName = "2", "n"
			p.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionTrue}}
		}, true},
		"the kubelet's report": {func(p *v1.Pod) {
			p.Status.Phase, p.Status.PodIP = v1.PodRunning, "10.0.0.1"
			p.Status.ContainerStatuses = []v1.ContainerStatus{{Name: "c", Ready: true}}
		}, false}, // a container has a status now
		"that a container restarts": {func(p *v1.Pod) { p.Status.InitContainerStatuses[0].RestartCount++ }, true},
		"a label":                   {func(p *v1.Pod) { p.Labels = map[string]string{"app": "b"} }, false},
		"that it ends":              {func(p *v1.Pod) { p.DeletionTimestamp = &metav1.Time{} }, false},
		"the requests": {func(p *v1.Pod) {
			p.Generation = 2
			p.Spec.Containers = []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{Requests: room}}}
		}, false},
		"the requests, and no generation": {func(p *v1.Pod) {
			p.Generation = 0
			p.Spec.Containers = []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{Requests: room}}}
		}, false},
		"what is allocated": {func(p *v1.Pod) { p.Status.InitContainerStatuses[0].AllocatedResources = room }, false},
		"that a resize waits": {func(p *v1.Pod) {
			p.Status.Conditions = []v1.PodCondition{{Type: v1.PodResizePending, Reason: v1.PodReasonInfeasible}}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			before := &v1.Pod{
				ObjectMeta: metav1.ObjectMeta{Name: "p", ResourceVersion: "1", Generation: 1, Labels: map[string]string{"app": "a"}},
				Spec:       v1.PodSpec{Containers: []v1.Container{{Name: "c"}}},
				Status:     v1.PodStatus{InitContainerStatuses: []v1.ContainerStatus{{Name: "i"}}},
			}
			now := before.DeepCopy()
			test.change(now)
			if got := countsTheSame(before, now); got != test.same {
				t.Errorf("counts the same: %v", got)
			}
		})
	}
}
