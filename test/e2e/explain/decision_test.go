package explain

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vicinal/test/e2e/harness"
)

type decision struct {
	Number                       int
	UID, Outcome, Node, RunnerUp string
	Candidates, Fitting, Best    int
	NodeTotal, RunnerUpTotal     int64
	Scores                       []struct{ Weight, Node, RunnerUp int64 }
	Reason                       string
	WaitedSeconds, TookSeconds   float64
	Generation                   int
}

// decisions are those about a pod, from where the flags say.
func decisions(t *testing.T, pod string, flags ...string) []decision {
	t.Helper()
	stdout, stderr, code := run(t, append([]string{"explain", "-o", "json", "--decision", pod}, flags...)...)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var found struct{ Decisions []decision }
	if err := json.Unmarshal([]byte(stdout), &found); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	return found.Decisions
}

// sameInFile waits until the file tells the same as the server.
func sameInFile(t *testing.T, pod, file string, want []decision) {
	t.Helper()
	harness.Eventually(t, 30*time.Second, "the decisions are written", func() string {
		stdout, stderr, code := run(t, "explain", "-o", "json", "--decision", pod, "--decision-log", file)
		var found struct{ Decisions []decision }
		if code != 0 || json.Unmarshal([]byte(stdout), &found) != nil {
			return stdout + stderr
		}
		if !reflect.DeepEqual(found.Decisions, want) {
			return fmt.Sprintf("%+v, want %+v", found.Decisions, want)
		}
		return ""
	})
}

// The real scheduler asks, over TLS; who is on call asks what was decided.
func TestTheServerTellsWhatItDecidedAndWhy(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	observer := cp.StartObserver(t)
	file := cp.Run.Path("decisions.jsonl")
	vicinal := harness.StartTLSVicinal(t, cp.Run, cp.CA,
		"--kubeconfig="+cp.VicinalKubeconfig(t, cp.URL), "--decision-log="+file)
	cluster := cp.StartCluster(t, observer, vicinal)
	// A namespace and a pod whose names look like numbers.
	cluster.Apply(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "1e3"}})
	cluster.Apply(t, harness.SixNodes()...)
	onCall := cp.CA.Client(t, "on-call")
	trusting := []string{"--server", vicinal.AdminURL(), "--certificate-authority", cp.CA.CAFile}
	asked := append(slices.Clone(trusting), "--client-certificate", onCall.CertFile, "--client-key", onCall.KeyFile)

	pod := harness.AwayFrom("web", corev1.LabelHostname, harness.PodOf("web"))
	pod.Namespace, pod.Name = "1e3", "0.1"
	placed := cluster.CreatePod(t, pod)
	found := decisions(t, "1e3/0.1", asked...)
	last := found[len(found)-1]
	if last.Outcome != "node" || last.Node != placed.Spec.NodeName || last.UID != string(placed.UID) {
		t.Errorf("the pod is on %s, and the last decision is %+v", placed.Spec.NodeName, last)
	}
	if last.Candidates != 6 || last.Fitting != 6 || last.Best < 1 || last.RunnerUp == "" || last.RunnerUp == last.Node {
		t.Errorf("six nodes fit, but %+v", last)
	}
	var node, runnerUp int64
	for _, score := range last.Scores {
		node += score.Weight * score.Node
		runnerUp += score.Weight * score.RunnerUp
	}
	if node != last.NodeTotal || runnerUp != last.RunnerUpTotal || node < runnerUp || len(last.Scores) == 0 {
		t.Errorf("scores %+v do not add up to %d and %d", last.Scores, last.NodeTotal, last.RunnerUpTotal)
	}
	sameInFile(t, "1e3/0.1", file, found)

	// Asked about twice: when it fits nowhere, and when it does.
	pod = harness.Beside("cache", corev1.LabelHostname, harness.PodOf("web"))
	pod.Name = "beside"
	if pending := cluster.CreatePod(t, pod); pending.Spec.NodeName != "" {
		t.Fatalf("there is no cache, but the pod is on %s", pending.Spec.NodeName)
	}
	found = decisions(t, "beside", asked...)
	if first := found[0]; first.Outcome != "none" || first.Fitting != 0 || !strings.Contains(first.Reason, "6 node(s) didn't match pod affinity rules") {
		t.Errorf("no node fits, but %+v", first)
	}
	cache := cluster.CreatePod(t, harness.PodOf("cache"))
	harness.Eventually(t, harness.OutcomeTimeout, "the second decision", func() string {
		found = decisions(t, "default/beside", asked...)
		if last := found[len(found)-1]; len(found) < 2 || last.Outcome != "node" || last.Node != cache.Spec.NodeName {
			return fmt.Sprintf("%+v", found)
		}
		return ""
	})
	text, _, _ := run(t, append([]string{"explain", "--decision", "default/beside"}, asked...)...)
	for _, want := range []string{": no node fits\n", ": node " + cache.Spec.NodeName + "\n", "It is the only one that fits."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}

	// Strangers are refused as for the metrics.
	if _, stderr, code := run(t, append([]string{"explain", "--decision", "1e3/0.1"}, trusting...)...); code != 1 || !strings.Contains(stderr, ": 401: ") {
		t.Errorf("without a certificate: exit code %d, %s", code, stderr)
	}
}

// A pod that was created, as the scheduler would ask about it.
func named(name string) *corev1.Pod {
	pod := harness.PodOf("web")
	pod.GenerateName, pod.Name, pod.UID = "", name, types.UID("uid-"+name)
	return pod
}

func filter(t *testing.T, v *harness.Vicinal, names ...string) {
	t.Helper()
	for _, name := range names {
		if status, result, err := v.Filter(named(name), "worker-1", "worker-2"); status != http.StatusOK || err != nil || result.Error != "" {
			t.Fatalf("%s: %d %+v %v", name, status, result, err)
		}
	}
}

func TestAServerKeepsTheLastDecisionsAndItsFileAll(t *testing.T) {
	r := harness.NewRun(t)
	file := r.Path("decisions.jsonl")
	v := harness.StartVicinal(t, r, "--decisions-kept=2", "--decision-log="+file)
	for _, name := range []string{"a", "b", "c"} {
		filter(t, v, name)
		sameInFile(t, name, file, decisions(t, name, "--server", v.AdminURL()))
	}
	if _, stderr, code := run(t, "explain", "--decision", "default/a", "--server", v.AdminURL()); code != 1 || !strings.Contains(stderr, "default/a: none of 2 decisions is about it") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if found := decisions(t, "a", "--decision-log", file); len(found) != 1 || found[0].Number != 1 {
		t.Errorf("the file has %+v", found)
	}
}

func TestAFullDiskStopsNoAnswer(t *testing.T) {
	v := harness.StartVicinal(t, harness.NewRun(t), "--decisions-kept=1", "--decision-log=/dev/full")
	filter(t, v, "a", "b", "c")
	harness.Eventually(t, 30*time.Second, "what is lost is counted", func() string {
		filter(t, v, "d")
		if v.Metric(t, "vicinal_decision_log_lost_total") == 0 {
			return "nothing is lost"
		}
		return ""
	})
}
