package noopapi

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"vicinal/test/bench/cluster"
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
	warm    int      // pods that warmUp has created
	created int      // pods that place has created
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
	switch mode {
	case "advise", "decide", decideTLS:
		w.vicinal, err = startVicinal(o, mode, w.api, folder)
	case "plugin":
		w.vicinal, err = startPluginVicinal(o, folder)
	}
	if err != nil {
		return err
	}
	if w.vicinal != nil {
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

// place starts a scheduler, creates pods while it is held, lets it go, and waits until all
// pods are bound.
func (w *world) place(kind string) (placing.Row, error) {
	row := placing.Row{Kind: kind, Mode: w.mode, Pods: w.o.pods}
	pods, err := placing.Pods(w.cluster, kind, w.created, w.o.pods)
	if err != nil {
		return row, err
	}
	w.created += len(pods)
	s, err := newScheduler(w)
	if err != nil {
		return row, err
	}
	defer s.stop()
	go s.run()
	if err := w.warmUp(); err != nil {
		return row, err
	}
	s.held.Lock()
	version, err := w.api.Create(pods)
	if err == nil {
		err = s.waitQueued(len(pods))
	}
	if err == nil && w.vicinal != nil {
		err = w.vicinal.waitSeen(version)
	}
	before, gatherError := gather()
	stopProfile, profileError := w.startProfile(kind)
	used := w.usage()
	boundBefore := len(w.api.Bindings())
	s.held.Unlock()
	if err := errors.Join(err, gatherError, profileError); err != nil {
		return row, err
	}
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
	return row, w.check(pods)
}

// warmUp has a pod placed: then the scheduler has its snapshot. Its plugins tell vicinal of
// the cluster in an attempt: another pod comes each second until they have.
func (w *world) warmUp() error {
	if err := w.placeWarmPod(); err != nil || w.mode != "plugin" {
		return err
	}
	placed := time.Now()
	return eventually(5*time.Minute, func() error {
		err := w.toldOfTheCluster()
		if err == nil || time.Since(placed) < time.Second {
			return err
		}
		placed = time.Now()
		return errors.Join(err, w.placeWarmPod())
	})
}

func (w *world) placeWarmPod() error {
	w.warm++
	bound := len(w.api.Bindings())
	if _, err := w.api.Create([]*v1.Pod{w.cluster.Pod(w.cluster.Apps[0], fmt.Sprintf("warm-%d", w.warm))}); err != nil {
		return err
	}
	return w.waitBound(bound + 1)
}

// toldOfTheCluster is nil once vicinal knows all of it.
func (w *world) toldOfTheCluster() error {
	families, err := gather()
	if err != nil {
		return err
	}
	if families["vicinal_plugin_connected"].GetMetric()[0].GetGauge().GetValue() == 0 {
		return errors.New("the plugin has not told vicinal of the cluster")
	}
	synced, err := w.vicinal.metric("vicinal_plugin_synced", "", "")
	if err == nil && synced == 0 {
		err = errors.New("vicinal was not told of the whole cluster")
	}
	return err
}

// check says which rules do not hold. The bounds keep none.
func (w *world) check(pods []*v1.Pod) error {
	if slices.Contains(bounds, w.mode) {
		return nil
	}
	placed := map[types.UID]bool{}
	for _, pod := range pods {
		placed[pod.UID] = true
	}
	all := w.api.Pods()
	some := slices.DeleteFunc(slices.Clone(all), func(pod *v1.Pod) bool { return !placed[pod.UID] })
	if broken := placing.Broken(w.cluster, all, some); len(broken) > 0 {
		return fmt.Errorf("%d broken rules, such as %s", len(broken), broken[0])
	}
	return nil
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
