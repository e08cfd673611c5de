package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/klog/v2"

	"vicinal/test/bench/cluster"
	bench "vicinal/test/bench/process"
	"vicinal/test/load/noop"
	"vicinal/test/load/placing"
)

// Pods that are tried again wait for up to ten seconds, and for more after errors.
const patience = 90 * time.Second

// world is what the process of a mode works with.
type world struct {
	o       *options
	mode    string
	cluster *cluster.Cluster
	api     *noop.API
	vicinal *vicinal // nil with the stock scheduler alone
}

// serve is the process of a mode.
func serve(o *options, mode string) error {
	folder, err := os.MkdirTemp("", "vicinal-throughput-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	log, err := os.Create(filepath.Join(folder, "scheduler.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	klog.LogToStderr(false)
	klog.SetOutput(log)
	w := &world{o: o, mode: mode, cluster: cluster.New(cluster.Size{Nodes: o.nodes, PodsPerNode: o.podsPerNode})}
	w.api = noop.New(w.cluster)
	if mode == "advise" || mode == "decide" {
		if w.vicinal, err = startVicinal(o, mode, w.api, folder); err != nil {
			return err
		}
		defer w.vicinal.server.Kill()
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var r reply
		if r.Row, err = w.place(lines.Text()); err != nil {
			klog.Flush()
			r.Error = fmt.Sprintf("%v; the scheduler's log ends with\n%s", err, tail(log.Name()))
		}
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		fmt.Printf("%s\n", line)
	}
	return lines.Err()
}

func tail(path string) string {
	content, _ := os.ReadFile(path)
	return string(content[max(0, len(content)-4000):])
}

// place creates pods, starts a scheduler, waits until all pods are bound and stops it.
func (w *world) place(kind string) (placing.Row, error) {
	row := placing.Row{Kind: kind, Mode: w.mode, Pods: w.o.pods}
	pods, err := placing.Pods(w.cluster, kind, w.o.pods)
	if err != nil {
		return row, err
	}
	version, err := w.api.Create(pods)
	if err != nil {
		return row, err
	}
	if w.vicinal != nil {
		if err := w.vicinal.waitSeen(version); err != nil {
			return row, err
		}
	}
	s, err := newScheduler(w)
	if err != nil {
		return row, err
	}
	defer s.stop()
	before, err := gather()
	if err != nil {
		return row, err
	}
	stopProfile, err := w.startProfile(kind)
	if err != nil {
		return row, err
	}
	used := w.usage()
	boundBefore := len(w.api.Bindings())
	go s.run()
	if err := w.waitBound(boundBefore + len(pods)); err != nil {
		return row, err
	}
	spent := w.usage().minus(used)
	stopProfile()
	bindings := w.api.Bindings()[boundBefore:]
	row.PodsPerSecond = float64(len(bindings)-1) / bindings[len(bindings)-1].Sub(bindings[0]).Seconds()
	row.CPU, row.OthersCPU = spent.processes, spent.others()
	after, err := gatherPlaced(before, len(pods))
	if err != nil {
		return row, err
	}
	row.Measure(before, after)
	return row, nil
}

func (w *world) waitBound(want int) error {
	last, count := time.Now(), 0
	for {
		switch bound := len(w.api.Bindings()); {
		case bound >= want:
			return nil
		case bound > count:
			last, count = time.Now(), bound
		case time.Since(last) > patience:
			return fmt.Errorf("%d pods are not bound, and none was for %v", want-bound, patience)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func (w *world) startProfile(kind string) (func(), error) {
	if w.o.profileInto == "" {
		return func() {}, nil
	}
	name := filepath.Join(w.o.profileInto, strings.ReplaceAll(w.mode+"-"+kind, " ", "-"))
	file, err := os.Create(name + ".pprof")
	if err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		file.Close()
	}, pprof.StartCPUProfile(file)
}

// usage is CPU time in seconds.
type usage struct {
	processes  []float64 // this one, vicinal
	busy, idle float64   // of the machine
}

func (u usage) minus(earlier usage) usage {
	for i := range u.processes {
		u.processes[i] -= earlier.processes[i]
	}
	u.busy -= earlier.busy
	u.idle -= earlier.idle
	return u
}

func (u usage) others() float64 {
	return max(0, u.busy-u.processes[0]-u.processes[1]) / max(u.busy+u.idle, 0.01)
}

func (w *world) usage() usage {
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		panic(err) // there is no way for it to fail
	}
	u := usage{processes: []float64{float64(own.Utime.Nano()+own.Stime.Nano()) / 1e9, 0}}
	if w.vicinal != nil {
		u.processes[1], _, _ = w.vicinal.server.Usage() // 0 if it has ended: then nothing is bound
	}
	u.busy, u.idle = placing.MachineCPU()
	return u
}

// vicinal is the process, which has no other API server than noop's.
type vicinal struct {
	server                *bench.Server
	extenderURL, adminURL string
}

func startVicinal(o *options, mode string, api *noop.API, folder string) (*vicinal, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go http.Serve(listener, api.Handler()) // ends with the process
	kubeconfig := filepath.Join(folder, "kubeconfig")
	if err := os.WriteFile(kubeconfig, fmt.Appendf(nil, kubeconfigFormat, listener.Addr()), 0o600); err != nil {
		return nil, err
	}
	args := []string{"serve", "--mode=" + mode, "--kubeconfig=" + kubeconfig, "--allow-anonymous-clients", "--listen-address=127.0.0.1:0", "--admin-listen-address=127.0.0.1:0", "--grpc-listen-address=none"}
	if mode == "decide" {
		args = append(args, "--scheduler-config="+manifestOf(o, mode))
	}
	server, err := bench.Start(o.vicinal, args...)
	if err != nil {
		return nil, err
	}
	v := &vicinal{server: server}
	var extender, admin string
	if _, err := fmt.Sscanf(server.FirstLine, "listening extender=%s admin=%s", &extender, &admin); err != nil {
		server.Kill()
		return nil, fmt.Errorf("vicinal does not say where it listens: %q", server.FirstLine)
	}
	v.extenderURL, v.adminURL = "http://"+extender, "http://"+admin
	if err := v.waitSeen(1); err != nil {
		server.Kill()
		return nil, err
	}
	return v, nil
}

const kubeconfigFormat = `apiVersion: v1
kind: Config
clusters: [{name: noop, cluster: {server: "http://%s"}}]
users: [{name: noop, user: {}}]
contexts: [{name: noop, context: {cluster: noop, user: noop}}]
current-context: noop
`

// waitSeen waits until vicinal is ready and knows the pods as of a resourceVersion.
func (v *vicinal) waitSeen(version int64) error {
	deadline := time.Now().Add(5 * time.Minute)
	for {
		seen, err := v.podVersion()
		if err == nil && seen >= float64(version) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("vicinal has seen the pods as of %v, not %d: %v", seen, version, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// podVersion is an error until vicinal is ready.
func (v *vicinal) podVersion() (float64, error) {
	ready, err := http.Get(v.adminURL + "/readyz")
	if err != nil {
		return 0, err
	}
	ready.Body.Close()
	if ready.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("/readyz: %s", ready.Status)
	}
	response, err := http.Get(v.adminURL + "/metrics")
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		return 0, err
	}
	for _, metric := range families["vicinal_watch_resource_version"].GetMetric() {
		for _, label := range metric.GetLabel() {
			if label.GetName() == "resource" && label.GetValue() == "pods" {
				return metric.GetGauge().GetValue(), nil
			}
		}
	}
	return 0, fmt.Errorf("no resourceVersion of pods in vicinal's metrics")
}
