package harness

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestRefereeJudgesEachPlacementWhenItIsMade(t *testing.T) {
	for _, test := range []struct {
		name string
		pods []*corev1.Pod // in the order of their bindings, a second apart
		want string        // part of the only complaint; "" for none
	}{
		{"an own rule", []*corev1.Pod{runningPod("a", "db", "n1"), awayFrom("db", runningPod("b", "web", "n2"))}, "placement 2: ns/b on n2: anti-affinity by zone to a"},
		{"the rule of one that was there before", []*corev1.Pod{awayFrom("db", runningPod("a", "web", "n1")), runningPod("b", "db", "n2")}, "placement 2: ns/a on n1: anti-affinity by zone to b"},
		{"another zone", []*corev1.Pod{awayFrom("db", runningPod("a", "web", "n1")), runningPod("b", "db", "n3")}, ""},
		{"an old complaint is not repeated", []*corev1.Pod{runningPod("a", "db", "n1"), awayFrom("db", runningPod("b", "web", "n2")), runningPod("c", "web", "n1")}, "placement 2"},
		{"bound before the one that it wants", []*corev1.Pod{near("db", runningPod("a", "web", "n1")), runningPod("b", "db", "n2")}, ""},
		{"the one that it wants never comes", []*corev1.Pod{near("db", runningPod("a", "web", "n1")), runningPod("b", "db", "n3")}, "no pod it needs"},
		{"a skew that the next binding mends", []*corev1.Pod{runningPod("a", "web", "n1"), spreadByZone(runningPod("b", "web", "n2")), runningPod("c", "web", "n3")}, ""},
		{"a skew that stays", []*corev1.Pod{runningPod("a", "web", "n1"), spreadByZone(runningPod("b", "web", "n2"))}, "skew 2 by zone"},
		{"not the first of its group any more", []*corev1.Pod{runningPod("a", "web", "n3"), near("web", runningPod("b", "web", "n1"))}, "no pod it needs"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newReferee(zoneNodes())
			for i, pod := range test.pods {
				r.place(pod, time.Unix(int64(i), 0))
			}
			got := r.Judged(t, len(test.pods))
			if test.want == "" && len(got) > 0 {
				t.Errorf("got %q, want none", got)
			}
			if test.want != "" && (len(got) != 1 || !strings.Contains(got[0], test.want)) {
				t.Errorf("got %q, want only %q", got, test.want)
			}
		})
	}
}

func TestRefereeDoesNotWaitForEver(t *testing.T) {
	r := newReferee(zoneNodes())
	r.place(near("db", runningPod("a", "web", "n1")), time.Unix(0, 0))
	r.place(runningPod("b", "db", "n2"), time.Unix(16, 0))
	if got := r.Judged(t, 2); len(got) != 1 || !strings.Contains(got[0], "no pod it needs") {
		t.Errorf("got %q", got)
	}
	if len(r.placed) != 2 || r.placed[types.UID("a")] == nil {
		t.Errorf("placed: %v", r.placed)
	}
}
