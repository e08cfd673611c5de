package explain

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"vicinal/test/e2e/harness"
)

// Two nodes of which n1 is half full, and a pod that waits; "gone" is in no cluster.
const replayed = `apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 8, memory: 8Gi, pods: 10}}}
- {apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: 8, memory: 8Gi, pods: 10}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: old, namespace: default, uid: uid-old}
  spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 4, memory: 4Gi}}}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: web, namespace: default, uid: uid-web}
  spec: {containers: [{name: c, resources: {requests: {cpu: 2, memory: 2Gi}}}]}
`

// Fills nodes up, where the default profile spreads.
const packing = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}]}}
`

type replay struct {
	Asked, Equal, Unknown int
	Different             []struct {
		Pod, RecordedNode, Node, Why string
		RecordedTotalNow, Total      int64
	}
}

func TestDecisionsAreReplayedAgainstAnotherConfiguration(t *testing.T) {
	r := harness.NewRun(t)
	write := func(name, content string) string {
		file := r.Path(name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	cluster, log := write("cluster.yaml", replayed), r.Path("decisions.jsonl")
	decides := harness.StartVicinal(t, r, "--cluster-file="+cluster, "--decision-log="+log)
	web := named("web")
	web.UID = "uid-web"
	web.Spec = harness.PodOf("web").Spec
	for _, pod := range []string{"gone", "web"} {
		asked := web.DeepCopy()
		asked.Name = pod
		if status, result, err := decides.Filter(asked, "n1", "n2"); status != http.StatusOK || err != nil || *result.NodeNames == nil || (*result.NodeNames)[0] != "n2" {
			t.Fatalf("%s: %d %+v %v", pod, status, result, err)
		}
	}
	// replayOn is what comes of the file on a server.
	replayOn := func(server *harness.Vicinal, flags ...string) (replay, string, int) {
		stdout, stderr, code := run(t, append([]string{"replay", "-o", "json", "--decision-log", log, "--server", server.GRPCAddress}, flags...)...)
		var found replay
		if err := json.Unmarshal([]byte(stdout), &found); err != nil && code != 1 {
			t.Fatalf("exit code %d, %v in %q, %q", code, err, stdout, stderr)
		}
		return found, stderr, code
	}
	harness.Eventually(t, 30*time.Second, "the decisions are written", func() string {
		found, stderr, code := replayOn(decides, "--fail-on-difference")
		if code != 0 || found.Asked != 1 || found.Equal != 1 || found.Unknown != 1 || len(found.Different) != 0 {
			return fmt.Sprintf("exit code %d, %+v, %s", code, found, stderr)
		}
		return ""
	})

	// Another server, for which one must be allowed to ask.
	ca := harness.NewAuthority(t, r)
	asker, reader := ca.Client(t, "asker"), ca.Client(t, "reader")
	packs := harness.StartTLSVicinal(t, r, ca, "--cluster-file="+cluster, "--scheduler-config="+write("packing.yaml", packing),
		"--grpc-roles-file="+write("roles.yaml", "asker: [ask]\nreader: [read]\n"))
	trusting := []string{"--certificate-authority", ca.CAFile, "--fail-on-difference"}
	found, stderr, code := replayOn(packs, append(trusting, "--client-certificate", asker.CertFile, "--client-key", asker.KeyFile)...)
	if code != 4 || found.Asked != 1 || found.Equal != 0 || len(found.Different) != 1 {
		t.Fatalf("exit code %d, %+v, %s", code, found, stderr)
	}
	if one := found.Different[0]; one.Pod != "web" || one.RecordedNode != "n2" || one.Node != "n1" || one.Total <= one.RecordedTotalNow || !strings.Contains(one.Why, "NodeResourcesFit +") {
		t.Errorf("%+v", one)
	}
	if _, stderr, code := replayOn(packs, append(trusting, "--client-certificate", reader.CertFile, "--client-key", reader.KeyFile)...); code != 1 || !strings.Contains(stderr, "PERMISSION_DENIED") {
		t.Errorf("who may not ask: exit code %d, %s", code, stderr)
	}
	if _, _, code := replayOn(packs); code != 1 {
		t.Errorf("without a certificate: exit code %d", code)
	}
	text, _, _ := run(t, "replay", "--decision-log", log, "--server", packs.GRPCAddress, "--certificate-authority", ca.CAFile, "--client-certificate", asker.CertFile, "--client-key", asker.KeyFile)
	for _, want := range []string{"0 of 1 choices are equal, 1 differ; 1 not known to the server\n", "default/web   n2"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
}
