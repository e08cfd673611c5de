// Command commands measures `vicinal explain` and `vicinal simulate` on a dump of a
// large cluster, reading the dump included. test/bench/commands builds and starts it.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"vicinal/test/bench/results"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "commands:", err)
		os.Exit(1)
	}
}

// What the pods of the manifest are about: all rules that the index answers.
const manifest = `apiVersion: apps/v1
kind: Deployment
metadata: {name: new, namespace: team-0}
spec:
  replicas: %d
  selector: {matchLabels: {app: new}}
  template:
    metadata: {labels: {app: new}}
    spec:
      containers: [{name: c, resources: {requests: {cpu: 10m, memory: 16Mi}}}]
      affinity:
        podAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - {topologyKey: topology.kubernetes.io/zone, labelSelector: {matchLabels: {tier: backend}}}
          preferredDuringSchedulingIgnoredDuringExecution:
          - weight: 10
            podAffinityTerm: {topologyKey: topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: app-10}}}
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: new}}}
          preferredDuringSchedulingIgnoredDuringExecution:
          - weight: 5
            podAffinityTerm: {topologyKey: kubernetes.io/hostname, namespaceSelector: {}, labelSelector: {matchExpressions: [{key: app, operator: In, values: [app-20, app-21]}]}}
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: new}}}
      - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: new}}}
`

func run() error {
	nodes := flag.Int("nodes", 5000, "nodes of the cluster")
	pods := flag.Int("pods", 150000, "pods of the cluster")
	replicas := flag.Int("replicas", 1000, "pods to place in the simulation")
	runs := flag.Int("runs", 3, "how often each command runs")
	vicinal := flag.String("vicinal", "", "the binary of //server:vicinal")
	dump := flag.String("dump", "", "the binary of test/explain/cmd/dump")
	flag.Parse()
	folder, err := os.MkdirTemp("", "vicinal-commands-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	cluster, deployment := filepath.Join(folder, "cluster.json"), filepath.Join(folder, "new.yaml")
	size, err := writeDump(cluster, *dump, *nodes, *pods)
	if err != nil {
		return err
	}
	if err := os.WriteFile(deployment, fmt.Appendf(nil, manifest, *replicas), 0o600); err != nil {
		return err
	}
	fmt.Printf("%d nodes, %d pods, a file of %d MB\n\n", *nodes, *pods, size>>20)
	fmt.Println("| command | run | seconds | target | CPU seconds | MiB at most |")
	fmt.Println("|---|---|---|---|---|---|")
	for number := range *runs {
		for _, command := range []struct {
			name   string
			target float64
			args   []string
			prints string // what shows that it did what it was asked for
		}{
			{"explain", 3, []string{"explain", "--cluster-file", cluster, "-f", deployment}, fmt.Sprintf("fits on %d of %d nodes", *nodes, *nodes)},
			{fmt.Sprintf("simulate apply, %d pods", *replicas), 10, []string{"simulate", "--cluster-file", cluster, "apply", deployment},
				fmt.Sprintf("%d nodes, %d pods running (before %d), 0 pending", *nodes, *pods+*replicas, *pods)},
		} {
			usage, err := measure(*vicinal, command.args, command.prints)
			if err != nil {
				return err
			}
			fmt.Printf("| %s | %d | %.2f | %.0f | %.2f | %d |\n", command.name, number+1, usage.wall.Seconds(), command.target, usage.cpu.Seconds(), usage.rss>>20)
			err = results.Record("commands", fmt.Sprintf("%d nodes, %d pods, %s", *nodes, *pods, command.name), map[string]float64{
				"s": usage.wall.Seconds(), "CPU s": usage.cpu.Seconds(), "MiB": float64(usage.rss >> 20),
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func writeDump(path, dump string, nodes, pods int) (int64, error) {
	file, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	command := exec.Command(dump, "--nodes", fmt.Sprint(nodes), "--pods", fmt.Sprint(pods))
	command.Stdout, command.Stderr = file, os.Stderr
	if err := command.Run(); err != nil {
		return 0, fmt.Errorf("dump: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

type usage struct {
	wall, cpu time.Duration
	rss       int64 // bytes, at most
}

// measure runs a command, which must print the text.
func measure(vicinal string, args []string, text string) (usage, error) {
	command := exec.Command(vicinal, args...)
	command.Stderr = os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	begin := time.Now()
	out, err := command.Output()
	wall := time.Since(begin)
	if err != nil {
		return usage{}, fmt.Errorf("vicinal %s: %w", args[0], err)
	}
	if !strings.Contains(string(out), text) {
		return usage{}, fmt.Errorf("vicinal %s does not print %q but\n%s", args[0], text, out)
	}
	state := command.ProcessState
	return usage{wall, state.UserTime() + state.SystemTime(), state.SysUsage().(*syscall.Rusage).Maxrss << 10}, nil
}
