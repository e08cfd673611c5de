// Package badinput sends vicinal what no scheduler would send, over raw connections,
// and then a good request over the same one.
package badinput

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"vicinal/test/e2e/harness"
)

// A one-line JSON object with nothing but the error, and no newline after it.
var errorBody = regexp.MustCompile(`^\{"error":"(?:[^"\\\n]|\\.)+"\}$`)

// start starts vicinal so that it says of every node whether it fits.
func start(t *testing.T, clusterFile string, flags ...string) *harness.Vicinal {
	t.Helper()
	v := harness.StartVicinal(t, harness.NewRun(t), append(flags, "--mode=advise", "--cluster-file="+clusterFile)...)
	v.WaitReady(t)
	return v
}

func TestBadRequestGetsItsStatusAndTheConnectionGoesOn(t *testing.T) {
	v := start(t, clusterFile(t))
	garbage := strings.Repeat("x", 20<<20)
	for _, test := range []struct {
		name, method, path, body string
		status                   int
		mentions                 string // the error names what is wrong
	}{
		{"truncated JSON", "POST", "/filter", filterBody(t, plainPod())[:40], 400, ""},
		{"no JSON at all", "POST", "/filter", "hello", 400, ""},
		{"empty body", "POST", "/filter", "", 400, ""},
		{"an array instead of an object", "POST", "/filter", "[]", 400, ""},
		{"text after the JSON value", "POST", "/filter", filterBody(t, plainPod()) + "{", 400, ""},
		{"a number as pod", "POST", "/filter", `{"Pod":5,"NodeNames":["n1"]}`, 400, "Pod"},
		{"no pod", "POST", "/filter", `{"NodeNames":["n1"]}`, 400, "Pod"},
		{"neither nodes nor node names", "POST", "/filter", `{"Pod":{"metadata":{"name":"p","namespace":"shop"}}}`, 400, "NodeNames"},
		{"a string as node names", "POST", "/filter", `{"Pod":{"metadata":{"name":"p","namespace":"shop"}},"NodeNames":"n1"}`, 400, "NodeNames"},
		{"numbers as node names", "POST", "/filter", `{"Pod":{"metadata":{"name":"p","namespace":"shop"}},"NodeNames":[1]}`, 400, "NodeNames"},
		{"a list as labels", "POST", "/filter", `{"Pod":{"metadata":{"name":"p","namespace":"shop","labels":["a"]}},"NodeNames":["n1"]}`, 400, "metadata.labels"},
		{"text as maxSkew", "POST", "/filter", `{"Pod":{"metadata":{"name":"p","namespace":"shop"},"spec":{"topologySpreadConstraints":[{"maxSkew":"one","topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule"}]}},"NodeNames":["n1"]}`, 400, "spec.topologySpreadConstraints[0].maxSkew"},
		{"20 MB of garbage", "POST", "/filter", garbage, 400, ""},
		{"20 MB of JSON that is not a request", "POST", "/filter", `{"Pod":"` + garbage + `"}`, 400, ""},
		{"prioritize, truncated JSON", "POST", "/prioritize", filterBody(t, plainPod())[:40], 400, ""},
		{"bind, truncated JSON", "POST", "/bind", `{"PodName":"p"`, 400, ""},
		{"bind, no uid", "POST", "/bind", `{"PodName":"p","PodNamespace":"shop","Node":"n1"}`, 400, "PodUID"},
		{"bind, a path as name", "POST", "/bind", `{"PodName":"../nodes","PodNamespace":"shop","PodUID":"u","Node":"n1"}`, 400, "PodName"},
		{"GET instead of POST to bind", "GET", "/bind", "", 405, ""},
		{"unknown verb", "POST", "/ponder", filterBody(t, plainPod()), 404, ""},
		{"no verb", "POST", "/", filterBody(t, plainPod()), 404, ""},
		{"GET instead of POST", "GET", "/filter", "", 405, ""},
		{"PUT instead of POST", "PUT", "/prioritize", filterBody(t, plainPod()), 405, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := dial(t, v.ExtenderAddress)
			a := c.exchange(test.method, test.path, test.body)
			a.wantStatus(test.status)
			if !errorBody.Match(a.body) {
				t.Errorf("body %.300q is no one-line JSON error", a.body)
			}
			if !strings.Contains(string(a.body), test.mentions) {
				t.Errorf("error %s does not name %s", a.body, test.mentions)
			}
			c.answersGoodRequests()
		})
	}
}

func TestBodyOverTheLimitIsRefused(t *testing.T) {
	v := start(t, clusterFile(t), "--max-body-bytes=1048576")
	c := dial(t, v.ExtenderAddress)
	a := c.exchange("POST", "/filter", strings.Repeat(" ", 1048577))
	a.wantStatus(413)
	if !errorBody.Match(a.body) {
		t.Errorf("body %.300q is no one-line JSON error", a.body)
	}
	// This connection may be closed; the server goes on, up to the limit itself.
	c = dial(t, v.ExtenderAddress)
	request := filterBody(t, plainPod(), "n1")
	c.exchange("POST", "/filter", request+strings.Repeat(" ", 1048576-len(request))).wantStatus(200)
}

func TestInvalidSelectorsAreAnsweredAsTheInTreePluginsDo(t *testing.T) {
	v := start(t, clusterFile(t))
	c := dial(t, v.ExtenderAddress)

	t.Run("affinity selector fails every node for good", func(t *testing.T) {
		pod := plainPod()
		pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: "zone", LabelSelector: invalidSelector()}},
		}}
		result := c.filter(pod, "n1", "n2", "n3")
		if result.Error != "" || len(*result.NodeNames) != 0 || len(result.FailedNodes) != 0 {
			t.Errorf("%+v", result)
		}
		for _, node := range []string{"n1", "n2", "n3"} {
			if result.FailedAndUnresolvableNodes[node] == "" {
				t.Errorf("%s has no reason in FailedAndUnresolvableNodes: %v", node, result.FailedAndUnresolvableNodes)
			}
		}
	})
	t.Run("spread selector is an error", func(t *testing.T) {
		pod := plainPod()
		pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: invalidSelector(),
		}}
		if result := c.filter(pod, "n1", "n2", "n3"); result.Error == "" {
			t.Errorf("no error: %+v", result)
		}
	})
	c.answersGoodRequests()
}

func TestUnknownNodesAreReportedAsFailed(t *testing.T) {
	v := start(t, clusterFile(t))
	c := dial(t, v.ExtenderAddress)
	result := c.filter(plainPod(), "n1", "nowhere", "n3", "")
	if result.Error != "" || strings.Join(*result.NodeNames, ",") != "n1,n3" {
		t.Errorf("error %q, nodes %v, want n1 and n3", result.Error, *result.NodeNames)
	}
	for _, node := range []string{"nowhere", ""} {
		if result.FailedAndUnresolvableNodes[node] == "" {
			t.Errorf("%q has no reason in FailedAndUnresolvableNodes: %v", node, result.FailedAndUnresolvableNodes)
		}
	}
	if scores := c.prioritize(plainPod(), "n1", "nowhere"); len(scores) != 2 {
		t.Errorf("%v, want a score for each name", scores)
	}
	c.answersGoodRequests()
}

func TestFieldNamesAreReadInEitherCase(t *testing.T) {
	v := start(t, clusterFile(t))
	c := dial(t, v.ExtenderAddress)
	pod, err := json.Marshal(plainPod())
	if err != nil {
		t.Fatal(err)
	}
	a := c.exchange("POST", "/filter", fmt.Sprintf(`{"pod":%s,"nodes":null,"nodeNames":["n1","n2"]}`, pod))
	a.wantStatus(200)
	result := &extenderv1.ExtenderFilterResult{}
	a.decode(result)
	if strings.Join(*result.NodeNames, ",") != "n1,n2" {
		t.Errorf("%s", a.body)
	}
}

func TestClusterFileMayBeYAML(t *testing.T) {
	v := start(t, clusterFileInYAML(t))
	dial(t, v.ExtenderAddress).answersGoodRequests()
}

func TestServeSaysWhereItListensInOneLineAndEndsOnSIGTERM(t *testing.T) {
	v := start(t, clusterFile(t))
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 200, "/filter": 404} {
		if got, err := v.Get(path); got != want || err != nil {
			t.Errorf("admin %s: %d %v, want %d", path, got, err, want)
		}
	}
	c := dial(t, v.ExtenderAddress)
	c.answersGoodRequests()
	c.exchange("GET", "/metrics", "").wantStatus(http.StatusNotFound)
	// An idle connection is open, as the scheduler's is.
	if code, err := v.Terminate(10 * time.Second); code != 0 || err != nil {
		t.Errorf("exit code %d %v, want 0", code, err)
	}
	if out := v.Stdout(); strings.Count(out, "\n") != 1 {
		t.Errorf("stdout %q, want one line", out)
	}
}
