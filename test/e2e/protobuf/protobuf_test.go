// Package protobuf compares what vicinal makes of a real API server's protobuf with what it
// makes of its JSON.
package protobuf

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"

	"vicinal/test/e2e/harness"
	"vicinal/test/watched"
)

const (
	jsonType     = "application/json"
	protobufType = "application/vnd.kubernetes.protobuf"
)

// reader is a vicinal that asks for an encoding, and what the API server answered it with.
type reader struct {
	*harness.Vicinal
	client *harness.GRPC

	mu    sync.Mutex
	types map[string]bool // of answers: "list application/json"; guarded by mu
}

type recorder struct {
	http.ResponseWriter
	tell func(contentType string)
}

func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) WriteHeader(status int) {
	if status == http.StatusOK {
		r.tell(r.Header().Get("Content-Type"))
	}
	r.ResponseWriter.WriteHeader(status)
}

// startReader starts vicinal; without streams lists come in pages.
func startReader(t *testing.T, cp *harness.ControlPlane, encoding string, streams bool) *reader {
	t.Helper()
	r := &reader{types: map[string]bool{}}
	proxy := cp.StartAPIProxy(t)
	proxy.Intercept(func(w http.ResponseWriter, request *http.Request) bool {
		query := request.URL.Query()
		how := "watch "
		switch {
		case query.Get("limit") != "":
			how = "pages "
		case query.Get("sendInitialEvents") != "" && !streams:
			http.Error(w, "this server streams no lists", http.StatusUnprocessableEntity)
			return true
		case query.Get("sendInitialEvents") != "":
			how = "stream "
		case query.Get("watch") == "":
			return false // not of the watch: the version
		}
		harness.ForwardOf(request).ServeHTTP(&recorder{w, func(contentType string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.types[how+contentType] = true
		}}, request)
		return true
	})
	// A file of its own: vicinal follows what is written into it.
	_, port, _ := strings.Cut(strings.TrimPrefix(proxy.URL, "https://"), ":")
	kubeconfig := cp.Kubeconfig(t, "vicinal-"+port, proxy.URL, cp.ClientCertificate(t, "vicinal"))
	r.Vicinal = harness.StartVicinal(t, cp.Run, "--kubeconfig="+kubeconfig, "--kube-api-content-type="+encoding)
	r.WaitReady(t)
	r.client = r.DialGRPC(t)
	return r
}

// lists are how its lists were answered. All watches, also those that renew a silent one,
// were answered in the encoding that was asked for.
func (r *reader) lists(t *testing.T, encoding string) []string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var lists []string
	for _, how := range slices.Sorted(maps.Keys(r.types)) {
		if contentType, ok := strings.CutPrefix(how, "watch "); !ok {
			lists = append(lists, how)
		} else if !strings.HasPrefix(contentType, encoding) {
			t.Errorf("a watch was answered with %q", contentType)
		}
	}
	return lists
}

func (r *reader) snapshot(t *testing.T) []string {
	t.Helper()
	objects, err := r.client.SnapshotObjects()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(objects)
	return objects
}

// wantSame: both have seen everything, and know the same.
func wantSame(t *testing.T, observer *harness.Observer, want, got *reader) []string {
	t.Helper()
	observer.WaitSeen(t, want.Vicinal)
	observer.WaitSeen(t, got.Vicinal)
	a, b := want.snapshot(t), got.snapshot(t)
	if !slices.Equal(a, b) {
		in := func(objects []string) map[string]bool {
			set := map[string]bool{}
			for _, o := range objects {
				set[o] = true
			}
			return set
		}
		inA, inB := in(a), in(b)
		shown := 0
		for _, set := range []struct {
			name   string
			of     []string
			others map[string]bool
		}{{"JSON", a, inB}, {"protobuf", b, inA}} {
			for _, o := range set.of {
				if !set.others[o] && shown < 20 {
					t.Errorf("by %s only: %s", set.name, o)
					shown++
				}
			}
		}
		t.Errorf("%d objects by JSON, %d by protobuf, and they differ", len(a), len(b))
	}
	for _, r := range []*reader{want, got} {
		if n := r.Metric(t, "vicinal_decode_errors_total"); n != 0 {
			t.Errorf("%v objects could not be read", n)
		}
	}
	return a
}

// Objects with fields that the conformance clusters do not have.
var rich = []string{
	`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"rich","labels":{"a":"b"}}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"all","namespace":"rich","labels":{"app":"web","empty":""},
		"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r","uid":"u","controller":true},{"apiVersion":"v1","kind":"X","name":"x","uid":"v"}]},
	  "spec":{"priorityClassName":"high","schedulerName":"other","nodeSelector":{"disk":"ssd"},
		"affinity":{
		  "nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"In","values":["b","c"]}],"matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]}]},
			"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":5,"preference":{"matchExpressions":[{"key":"a","operator":"Gt","values":["1"]}]}}]},
		  "podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone","namespaces":["a","b"],"namespaceSelector":{},"labelSelector":{"matchExpressions":[{"key":"x","operator":"Exists"}]},"matchLabelKeys":["app"],"mismatchLabelKeys":["empty"]}]},
		  "podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":7,"podAffinityTerm":{"topologyKey":"zone","namespaceSelector":{"matchLabels":{"a":"b"}}}}]}},
		"tolerations":[{"operator":"Exists"},{"key":"k","operator":"Equal","value":"v","effect":"NoExecute","tolerationSeconds":5}],
		"topologySpreadConstraints":[{"maxSkew":2,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"web"}},"minDomains":3,"nodeAffinityPolicy":"Ignore","nodeTaintsPolicy":"Honor","matchLabelKeys":["empty"]}],
		"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"250m","memory":"1.5Gi","example.com/gpu":"1"},"limits":{"example.com/gpu":"1"}},"ports":[{"containerPort":80}],"env":[{"name":"A","value":"b"}]}],
		"initContainers":[{"name":"side","image":"j","restartPolicy":"Always","resources":{"requests":{"cpu":"10m"}}},{"name":"init","image":"k"}],
		"volumes":[{"name":"e","emptyDir":{}}]},
	  "status":{"phase":"Pending","nominatedNodeName":"n9","startTime":"2026-01-01T00:00:01Z",
		"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"0/0 nodes","lastProbeTime":null,"lastTransitionTime":"2026-01-01T00:00:00Z"},
		  {"type":"PodResizePending","status":"True","reason":"Infeasible","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"running","namespace":"rich"},
	  "spec":{"nodeName":"n1","containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}],"initContainers":[{"name":"side","image":"j","restartPolicy":"Always"}]},
	  "status":{"phase":"Running","startTime":"2026-01-01T00:00:01Z",
		"containerStatuses":[{"name":"c","image":"i","imageID":"x","ready":true,"restartCount":1,"allocatedResources":{"cpu":"2"},"resources":{"requests":{"cpu":"3"}},"state":{"running":{"startedAt":"2026-01-01T00:00:01Z"}}}],
		"initContainerStatuses":[{"name":"side","image":"j","imageID":"x","ready":true,"restartCount":0,"resources":{}}]}}`,
	`{"apiVersion":"v1","kind":"Service","metadata":{"name":"headless","namespace":"rich"},"spec":{"clusterIP":"None","ports":[{"port":80}]}}`,
	`{"apiVersion":"v1","kind":"Node","metadata":{"name":"rich","labels":{"zone":"z"}},
	  "spec":{"unschedulable":true,"taints":[{"key":"k","value":"v","effect":"NoExecute","timeAdded":"2026-01-01T00:00:00Z"},{"key":"l","effect":"PreferNoSchedule"}]},
	  "status":{"allocatable":{"cpu":"3920m","memory":"8Gi","pods":"110","example.com/gpu":"2"},"capacity":{"cpu":"4"},
		"images":[{"names":["a","b"],"sizeBytes":123456789012},{"sizeBytes":0}],
		"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"2026-01-01T00:00:00Z","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`,
	`{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b","namespace":"rich"},
	  "spec":{"minAvailable":"50%","selector":{"matchExpressions":[{"key":"app","operator":"NotIn","values":["db"]}]}},
	  "status":{"disruptionsAllowed":3,"currentHealthy":5,"desiredHealthy":2,"expectedPods":5,"observedGeneration":1,
		"disruptedPods":{"p1":"2026-01-01T00:00:00Z","p2":"2026-01-01T00:00:07Z"}}}`,
	`{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"all","namespace":"rich"},"spec":{"maxUnavailable":1,"selector":{}}}`,
}

// Every conformance cluster, stored in one API server and read both ways, gives the same
// state: by the watch, by lists that are streams and by lists in pages.
func TestTheStateIsTheSameByJSONAndByProtobuf(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	observer := cp.StartObserver(t)
	cp.Create(t, &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000})
	byJSON, byProtobuf := startReader(t, cp, jsonType, true), startReader(t, cp, protobufType, true)

	s := newStore(cp)
	for _, text := range rich {
		s.must(t, text)
	}
	start := time.Now()
	s.addClusters(t, harness.Count(t, "VICINAL_PROTOBUF_CLUSTERS", 60, 1))
	for kind, refused := range s.refused {
		t.Logf("%s: %d accepted, %d refused, the first: %s", kind, s.accepted[kind], len(refused), refused[0])
	}
	t.Logf("stored %v in %v", s.accepted, time.Since(start).Round(time.Millisecond))
	for _, resource := range watched.Resources {
		kind := ""
		for k, name := range resources {
			if name == resource.Name {
				kind = k
			}
		}
		if s.accepted[kind] == 0 {
			t.Errorf("no %s is stored: this test proves little", kind)
		}
	}
	added := wantSame(t, observer, byJSON, byProtobuf)
	if len(added) < s.accepted["Pod"]/2 {
		t.Errorf("%d objects are known of %v", len(added), s.accepted)
	}

	change(t, cp)
	changed := wantSame(t, observer, byJSON, byProtobuf)
	if slices.Equal(added, changed) {
		t.Error("nothing has changed")
	}
	terminating := strings.Count(strings.Join(changed, ""), `"deletionTimestamp"`)
	if terminating == 0 || len(changed) >= len(added) {
		t.Errorf("%d pods are terminating, %d objects of %d are left", terminating, len(changed), len(added))
	}

	// Lists: they may not differ from what the watch has told either.
	for _, streams := range []bool{true, false} {
		list, how := startReader(t, cp, protobufType, streams), "pages "
		if streams {
			how = "stream "
		}
		if listed := wantSame(t, observer, byJSON, list); !slices.Equal(listed, changed) {
			t.Errorf("%sdiffer from what the watch has told", how)
		}
		want := []string{how + protobufType}
		if streams {
			want[0] += ";stream=watch"
		}
		if got := list.lists(t, protobufType); !slices.Equal(got, want) {
			t.Errorf("the API server answered with %q, want %q", got, want)
		}
		list.Kill()
	}
	if got, want := byProtobuf.lists(t, protobufType), []string{"stream " + protobufType + ";stream=watch"}; !slices.Equal(got, want) {
		t.Errorf("the API server answered with %q, want %q", got, want)
	}
	if got, want := byJSON.lists(t, jsonType), []string{"stream " + jsonType}; !slices.Equal(got, want) {
		t.Errorf("the API server answered with %q, want %q", got, want)
	}
}

// change changes some objects, ends others, and deletes some at once.
func change(t *testing.T, cp *harness.ControlPlane) {
	t.Helper()
	ctx := t.Context()
	pods, err := cp.Admin.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := cp.Admin.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var failed error
	note := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			failed = err
		}
	}
	label := func(i int) []byte {
		return fmt.Appendf(nil, `{"metadata":{"labels":{"changed":"%d"}}}`, i)
	}
	workqueue.ParallelizeUntil(ctx, sideBySide, len(pods.Items), func(i int) {
		pod := &pods.Items[i]
		client := cp.Admin.CoreV1().Pods(pod.Namespace)
		switch {
		case i%3 == 0:
			_, err := client.Patch(ctx, pod.Name, types.MergePatchType, label(i), metav1.PatchOptions{})
			note(err)
		case i%3 == 1 && pod.Spec.NodeName != "":
			note(client.Delete(ctx, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](3600)}))
		case i%9 == 2:
			note(client.Delete(ctx, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}))
		case i%9 == 5:
			_, err := client.Patch(ctx, pod.Name, types.MergePatchType, fmt.Appendf(nil, `{"status":{"phase":%q}}`, corev1.PodSucceeded), metav1.PatchOptions{}, "status")
			note(err)
		}
	})
	workqueue.ParallelizeUntil(ctx, sideBySide, len(nodes.Items), func(i int) {
		if i%2 == 0 {
			_, err := cp.Admin.CoreV1().Nodes().Patch(ctx, nodes.Items[i].Name, types.MergePatchType, label(i), metav1.PatchOptions{})
			note(err)
		} else if i%5 == 1 {
			note(cp.Admin.CoreV1().Nodes().Delete(ctx, nodes.Items[i].Name, metav1.DeleteOptions{}))
		}
	})
	if failed != nil {
		t.Fatal(failed)
	}
}
