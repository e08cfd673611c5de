package simulator

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vicinal/test/bench/cluster"
)

const newPods = 1000

// The rules that new pods may have.
var rules = map[string]string{
	"no rule": "",
	"anti-affinity by host": `
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: new}}}`,
	"spread by zone": `
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: new}}}`,
}

// A thousand new pods on 5,000 nodes with 150,000 pods take at most 10 s, reading the
// dump included. It is the CPU time that counts, so that a busy machine is no failure.
func TestAThousandPodsOnALargeCluster(t *testing.T) {
	binary := os.Getenv("VICINAL_BIN")
	if binary == "" {
		t.Skip("VICINAL_BIN does not name the binary")
	}
	dump := filepath.Join(t.TempDir(), "cluster.json")
	large := cluster.New(cluster.Size{Nodes: 5000, PodsPerNode: 30})
	if err := large.WriteFile(dump); err != nil {
		t.Fatal(err)
	}
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			manifest := filepath.Join(t.TempDir(), "new.yaml")
			text := fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: new, namespace: %s}
spec:
  replicas: %d
  selector: {matchLabels: {app: new}}
  template:
    metadata: {labels: {app: new}}
    spec:
      containers: [{name: c, resources: {requests: {cpu: 10m, memory: 16Mi}}}]%s
`, large.Namespaces[0].Name, newPods, rule)
			if err := os.WriteFile(manifest, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			command := exec.CommandContext(t.Context(), binary, "simulate", "--cluster-file", dump, "apply", manifest)
			out, err := command.Output()
			if err != nil {
				t.Fatalf("%v", err)
			}
			cpu := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
			if running := strings.Count(string(out), "   Running   "); running != newPods {
				t.Errorf("%d new pods run, want %d", running, newPods)
			}
			t.Logf("%d new pods: %v of CPU time, %v in all", newPods, cpu.Round(10*time.Millisecond), time.Since(begin).Round(10*time.Millisecond))
			if cpu > 10*time.Second {
				t.Errorf("took %v of CPU time, want at most 10 s", cpu)
			}
		})
	}
}
