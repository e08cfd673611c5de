package security

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// A client with the scheduler's own certificate gets no pod bound, nominated or evicted
// for but as vicinal's own answer about the pod of the API server says.
func TestForgeriesGetNothingAndChangeNothing(t *testing.T) {
	w := newWorld(t)
	w.tryAll(t, forgeries(w))
	// What is right still works, and cannot be had twice.
	got := w.filter(w.pods["small"])
	if !strings.Contains(got, `["n`) {
		t.Fatalf("small: %s", got)
	}
	node := got[strings.Index(got, `["n`)+2:][:2]
	if why := w.bindPod("small", node); why != "" {
		t.Fatalf("small is not bound: %s", why)
	}
	w.before = w.placements(t)
	w.tryAll(t, []abuse{
		{"replay of a binding that was written", func(w *world) (string, bool) {
			// It is there already; nothing is written.
			why := w.bindPod("small", node)
			return "bound already " + why, why == ""
		}},
		{"replay of a binding to another node", func(w *world) (string, bool) {
			why := w.bindPod("small", map[string]string{"n1": "n2", "n2": "n1"}[node])
			return why, why != ""
		}},
		{"question about a pod that is bound", func(w *world) (string, bool) {
			got := w.filter(w.pods["small"])
			return got, !strings.Contains(got, `["n`)
		}},
	})
	w.remake(t, "small")
	w.tryAll(t, []abuse{{"replay of a binding for the next pod of that name", func(w *world) (string, bool) {
		why := w.bindPod("small", node)
		return why, why != ""
	}}})
}

// remake deletes a pod and creates another one of its name; w.pods keeps the first.
func (w *world) remake(t *testing.T, name string) {
	t.Helper()
	now := int64(0)
	pods := w.cp.Admin.CoreV1().Pods("default")
	if err := pods.Delete(t.Context(), name, metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
		t.Fatal(err)
	}
	next := w.pods[name].DeepCopy()
	next.ObjectMeta = metav1.ObjectMeta{Name: name, Namespace: "default", Labels: next.Labels}
	next.Spec.NodeName = ""
	if _, err := pods.Create(t.Context(), next, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.before = w.placements(t)
}

// forgeries are of a client with the scheduler's own certificate.
func forgeries(w *world) []abuse {
	bind := func(name, namespace, pod, uid, node string) abuse {
		return abuse{name, func(w *world) (string, bool) {
			why := w.bind(namespace, pod, w.uid(uid), node)
			return why, why != ""
		}}
	}
	// After a question about a pod that looks otherwise than the API server's.
	lie := func(name, pod string, change func(*corev1.Pod)) abuse {
		return abuse{"bind after a question with " + name, func(w *world) (string, bool) {
			asked := w.filter(w.forged(pod, change))
			why1, why2 := w.bindPod(pod, "n1"), w.bindPod(pod, "n2")
			return fmt.Sprintf("%s / %s / %s", why1, why2, asked), (why1 != "" || pod == "bound") && why2 != ""
		}}
	}
	preempt := func(name string, pod func(w *world) *corev1.Pod) abuse {
		return abuse{"preempt for " + name, func(w *world) (string, bool) {
			_, got := w.post(w.scheduler, "/preempt", extenderv1.ExtenderPreemptionArgs{Pod: pod(w), NodeNameToMetaVictims: map[string]*extenderv1.MetaVictims{
				"n1": {Pods: []*extenderv1.MetaPod{{UID: string(w.pods["bound"].UID)}}},
			}})
			return got, !strings.Contains(got, string(w.pods["bound"].UID))
		}}
	}
	// A question about as many nodes as the scheduler samples, none of which is there: the
	// pod would be nominated for the best node of the cluster.
	nominate := func(name, pod string, change func(*corev1.Pod)) abuse {
		return abuse{"nomination after a question with " + name, func(w *world) (string, bool) {
			var nodes []string
			for i := range 150 {
				nodes = append(nodes, fmt.Sprint("absent-", i))
			}
			_, got := w.post(w.scheduler, "/filter", extenderv1.ExtenderArgs{Pod: w.forged(pod, change), NodeNames: &nodes})
			return got, !strings.Contains(got, `["n`)
		}}
	}
	free := func(p *corev1.Pod) {
		p.Spec.NodeSelector = nil
		p.Spec.Containers[0].Resources = corev1.ResourceRequirements{}
	}
	return []abuse{
		bind("bind without a question", "default", "big", "big", "n1"),
		bind("bind to a node that does not exist", "default", "small", "small", "n9"),
		bind("bind with another uid", "default", "small", "big", "n1"),
		bind("bind without a uid", "default", "small", "", "n1"),
		bind("bind a pod that is gone", "default", "gone", "gone", "n1"),
		bind("bind a pod that never was", "default", "never", "no-such-uid", "n1"),
		bind("bind in another namespace", "kube-system", "small", "small", "n1"),
		bind("bind a pod that runs to another node", "default", "bound", "bound", "n2"),
		bind("bind another scheduler's pod", "default", "other", "other", "n1"),
		bind("bind a pod with a scheduling gate", "default", "gated", "gated", "n1"),
		bind("bind with a path for a name", "default", "../../nodes/n1", "small", "n1"),
		bind("bind with a path for a namespace", "../../api", "small", "small", "n1"),
		bind("bind with an escaped path", "default", "small%2f..%2fbig", "small", "n1"),
		bind("bind with a query in the name", "default", "small?dryRun=All", "small", "n1"),
		bind("bind with a line end in the name", "default", "small\r\nX: y", "small", "n1"),
		bind("bind with a NUL byte in the name", "default", "small\x00", "small", "n1"),
		bind("bind with a path for a node", "default", "small", "small", "../n1"),
		lie("less CPU and no node selector", "big", free),
		lie("no node selector", "big", func(p *corev1.Pod) { p.Spec.NodeSelector = nil }),
		lie("less CPU", "big", func(p *corev1.Pod) { p.Spec.Containers[0].Resources = corev1.ResourceRequirements{} }),
		lie("no anti-affinity", "alone", func(p *corev1.Pod) { p.Spec.Affinity = nil }),
		lie("other labels", "alone", func(p *corev1.Pod) { p.Labels = map[string]string{"app": "another"}; p.Spec.Affinity = nil }),
		lie("a toleration of everything", "big", func(p *corev1.Pod) {
			free(p)
			p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
		}),
		lie("another schedulerName", "other", func(p *corev1.Pod) { p.Spec.SchedulerName = "default-scheduler" }),
		lie("another schedulerName and uid", "other", func(p *corev1.Pod) { p.Spec.SchedulerName, p.UID = "default-scheduler", "x" }),
		lie("another uid", "big", func(p *corev1.Pod) { free(p); p.UID = "x" }),
		lie("the uid of another pod", "big", func(p *corev1.Pod) { free(p); p.UID = w.pods["small"].UID }),
		lie("no scheduling gate", "gated", func(p *corev1.Pod) { p.Spec.SchedulingGates = nil }),
		lie("no node", "bound", func(p *corev1.Pod) { p.Spec.NodeName = "" }),
		lie("no node and another uid", "bound", func(p *corev1.Pod) { p.Spec.NodeName, p.UID = "", "x" }),
		lie("a pod that is gone", "gone", func(*corev1.Pod) {}),
		preempt("a pod that never was", func(w *world) *corev1.Pod {
			return w.forged("small", func(p *corev1.Pod) { p.Name, p.UID = "never", "no-such-uid" })
		}),
		preempt("a pod with another uid", func(w *world) *corev1.Pod {
			return w.forged("small", func(p *corev1.Pod) { p.UID = "no-such-uid" })
		}),
		preempt("a pod that runs", func(w *world) *corev1.Pod {
			return w.forged("bound", func(p *corev1.Pod) { p.Spec.NodeName = "" })
		}),
		preempt("a pod that is gone", func(w *world) *corev1.Pod { return w.pods["gone"] }),
		preempt("another scheduler's pod", func(w *world) *corev1.Pod {
			return w.forged("other", func(p *corev1.Pod) { p.Spec.SchedulerName = "default-scheduler" })
		}),
		preempt("a pod without a uid", func(w *world) *corev1.Pod {
			return w.forged("big", func(p *corev1.Pod) { free(p); p.UID = "" })
		}),
		nominate("less CPU and no node selector", "big", free),
		nominate("another uid", "small", func(p *corev1.Pod) { p.UID = "x" }),
		nominate("another schedulerName", "other", func(p *corev1.Pod) { p.Spec.SchedulerName = "default-scheduler" }),
		nominate("no node", "bound", func(p *corev1.Pod) { p.Spec.NodeName = "" }),
		nominate("a pod that is gone", "gone", func(*corev1.Pod) {}),
		{"a question that would take a running pod's place", func(w *world) (string, bool) {
			// Another uid, so that it looks like the next pod of that name.
			got := w.filter(w.forged("bound", func(p *corev1.Pod) {
				p.Spec.NodeName, p.UID = "", "y"
				p.Spec.Containers[0].Resources.Requests = nil
			}))
			// The running pod still keeps the other one away.
			blocked := w.hypothetical()
			blocked.Labels = map[string]string{"app": "web"}
			blocked.Spec.Affinity = w.pods["alone"].Spec.Affinity
			_, answer := w.post(w.scheduler, "/filter", extenderv1.ExtenderArgs{Pod: blocked, NodeNames: &[]string{"n1"}})
			return fmt.Sprint(got, answer), !strings.Contains(answer, `["n1"]`)
		}},
		{"a forged pod that fills its node", func(w *world) (string, bool) {
			_, got := w.post(w.scheduler, "/filter", extenderv1.ExtenderArgs{Pod: w.forged("small", takes("3")), NodeNames: &[]string{"n1"}})
			// It counts for moments only, and not as long as a pod that was seen so.
			hypothetical := w.hypothetical()
			takes("2")(hypothetical)
			for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
				if _, answer := w.post(w.scheduler, "/filter", extenderv1.ExtenderArgs{Pod: hypothetical, NodeNames: &[]string{"n1"}}); strings.Contains(answer, `["n1"]`) {
					return got, true
				}
			}
			return got, false
		}},
	}
}

func takes(cpus string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpus)}
	}
}

// uid of the pod of that name, or the text itself.
func (w *world) uid(name string) types.UID {
	if pod := w.pods[name]; pod != nil {
		return pod.UID
	}
	return types.UID(name)
}

// bind is what was wrong with the binding; "": it was written.
func (w *world) bind(namespace, name string, uid types.UID, node string) string {
	status, got := w.post(w.scheduler, "/bind", extenderv1.ExtenderBindingArgs{PodNamespace: namespace, PodName: name, PodUID: uid, Node: node})
	var result extenderv1.ExtenderBindingResult
	if status != http.StatusOK || json.Unmarshal([]byte(got), &result) != nil {
		return fmt.Sprint(status, " ", got)
	}
	return result.Error
}

func (w *world) bindPod(name, node string) string {
	pod := w.pods[name]
	return w.bind(pod.Namespace, pod.Name, pod.UID, node)
}

// forged is the pod as a liar describes it.
func (w *world) forged(name string, change func(*corev1.Pod)) *corev1.Pod {
	pod := w.pods[name].DeepCopy()
	change(pod)
	return pod
}
