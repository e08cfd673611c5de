package scenario

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func appPod(app, node, message string) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: app, Labels: map[string]string{"app": app}},
		Spec:       corev1.PodSpec{NodeName: node},
	}
	if message != "" {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: message}}
	}
	return pod
}

func app(name string) PodSet {
	return PodSet{Namespace: "ns", Labels: map[string]string{"app": name}}
}

func TestExpectationSaysWhatDiffers(t *testing.T) {
	nodes := map[string]*corev1.Node{}
	for name, zone := range map[string]string{"n1": "z1", "n2": "z1", "n3": "z2"} {
		nodes[name] = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"zone": zone}}}
	}
	nodes["bare"] = &corev1.Node{}
	web := []*corev1.Pod{appPod("web", "n1", ""), appPod("web", "n2", ""), appPod("web", "n3", ""), appPod("db", "n3", "")}
	waiting := []*corev1.Pod{appPod("web", "", "why. preemption: no.")}
	waitingIn136 := []*corev1.Pod{appPod("web", "", "why. no new claims to deallocate, preemption: no.")}
	bare := []*corev1.Pod{appPod("web", "bare", "")}
	byZone := func(w Where) []Where {
		w.TopologyKey = "zone"
		return []Where{w}
	}
	for _, test := range []struct {
		name   string
		expect Expectation
		pods   []*corev1.Pod
		want   string // part of the problem; "" for none
	}{
		{"counts in any order", Expectation{Pods: app("web"), Running: 3, Where: byZone(Where{Counts: []int{1, 2}})}, web, ""},
		{"other counts", Expectation{Pods: app("web"), Running: 3, Where: byZone(Where{Counts: []int{3}})}, web, "want counts [3]"},
		{"one of", Expectation{Pods: app("web"), Running: 3, Where: byZone(Where{OneOf: []map[string]int{{"z1": 3}, {"z1": 2, "z2": 1}}})}, web, ""},
		{"none of", Expectation{Pods: app("web"), Running: 3, Where: byZone(Where{OneOf: []map[string]int{{"z1": 1, "z2": 2}}})}, web, "want one of"},
		{"beside", Expectation{Pods: app("db"), Running: 1, Where: byZone(Where{Beside: ptr.To(app("web"))})}, web, ""},
		{"not beside", Expectation{Pods: app("web"), Running: 3, Where: byZone(Where{Beside: ptr.To(app("db"))})}, web, "where none of"},
		{"too few", Expectation{Pods: app("web"), Running: 4, Where: byZone(Where{Counts: []int{2, 2}})}, web, "3 running and 0 pending, want 4 and 0"},
		{"unmoved", Expectation{Pods: app("web"), Running: 1, Unmoved: true, Where: byZone(Where{Counts: []int{1}})}, web[:1], ""},
		{"moved", Expectation{Pods: app("web"), Running: 1, Unmoved: true, Where: byZone(Where{Counts: []int{1}})}, web[1:2], "was on \"n1\""},
		{"other namespace", Expectation{Pods: PodSet{Namespace: "else", Labels: map[string]string{"app": "web"}}, Running: 3}, web, "0 running"},
		{"message", Expectation{Pods: app("web"), Pending: 1, Message: &Message{Reasons: "why.", Preemption: "no."}}, waiting, ""},
		{"message of an older release", Expectation{Pods: app("web"), Pending: 1, Message: &Message{Reasons: "why.", Preemption: "no."}}, waitingIn136, ""},
		{"other message", Expectation{Pods: app("web"), Pending: 1, Message: &Message{Reasons: "why.", Preemption: "yes."}}, waiting, "is pending with"},
		{"a node without the key is in no domain", Expectation{Pods: app("web"), Running: 1, Where: byZone(Where{OneOf: []map[string]int{{"": 1}}})}, bare, "[bare]:1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := test.expect.problem(test.pods, nodes, map[string]string{"ns/web": "n1"}, false)
			if (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestScenarioThatChecksNothingIsRefused(t *testing.T) {
	complete := func() *Scenario {
		return &Scenario{Cluster: "cluster.yaml", Steps: []Step{{
			Name: "step", Apply: []string{"a.yaml"},
			Expect: []Expectation{{Pods: app("web"), Running: 1, Where: []Where{{TopologyKey: "zone", Counts: []int{1}}}}},
		}}}
	}
	if err := complete().validate(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Scenario){
		"no cluster":               func(s *Scenario) { s.Cluster = "" },
		"no steps":                 func(s *Scenario) { s.Steps = nil },
		"no action":                func(s *Scenario) { s.Steps[0].Apply = nil },
		"two actions":              func(s *Scenario) { s.Steps[0].Scale = &Scale{} },
		"a drain beside an action": func(s *Scenario) { s.Steps[0].Drain = Names{"n1"} },
		"no expectation":           func(s *Scenario) { s.Steps[0].Expect = nil },
		"all pods":                 func(s *Scenario) { s.Steps[0].Expect[0].Pods.Labels = nil },
		"running anywhere":         func(s *Scenario) { s.Steps[0].Expect[0].Where = nil },
		"pending for any reason":   func(s *Scenario) { s.Steps[0].Expect[0].Pending = 1 },
		"domains without a claim":  func(s *Scenario) { s.Steps[0].Expect[0].Where[0].Counts = nil },
	} {
		t.Run(name, func(t *testing.T) {
			s := complete()
			spoil(s)
			if s.validate() == nil {
				t.Error("accepted")
			}
		})
	}
}
