// Package realapi measures how many pods per second the stock kube-scheduler places,
// alone and with vicinal beside it, against the real API server and etcd, which on few
// cores limit all of them. test/load/noopapi is the other form.
package realapi

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"vicinal/test/bench/cluster"
	"vicinal/test/e2e/harness"
	"vicinal/test/load/placing"
)

var (
	nodes       = flag.Int("nodes", 60, "nodes of the cluster")
	podsPerNode = flag.Int("pods-per-node", 20, "pods that run on each")
	count       = flag.Int("pods", 16, "pods to place, of each kind")
	bursts      = flag.Int("bursts", 1, "how often they are created, placed and deleted; a row has the median of the rates")
	modes       = flag.String("modes", "stock,decide,advise,plugin", "which modes")
	kinds       = flag.String("kinds", strings.Join(placing.Kinds(), ";"), "which kinds of pods, separated by ;")
)

const (
	// Pods that are tried again wait for up to ten seconds, and for more after errors.
	patience = 90 * time.Second
	measured = "measured" // a label of the pods to place
)

// processes whose CPU time is reported.
var processes = []string{"scheduler", "vicinal", "kube-apiserver", "etcd"}

type world struct {
	cp      *harness.ControlPlane
	client  kubernetes.Interface
	cluster *cluster.Cluster
}

func TestEveryModePlacesEveryPod(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	config := rest.CopyConfig(cp.AdminREST)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.Timeout = 0 // it would end the watch
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{cp: cp, client: client, cluster: cluster.New(cluster.Size{Nodes: *nodes, PodsPerNode: *podsPerNode})}
	w.load(t)
	var rows []placing.Row
	for kind := range strings.SplitSeq(*kinds, ";") {
		for mode := range strings.SplitSeq(*modes, ",") {
			t.Run(kind+", "+mode, func(t *testing.T) { rows = append(rows, w.place(t, kind, mode)) })
		}
	}
	fmt.Printf("%d nodes, %d pods before, %d times %d pods of each kind; kube-scheduler, kube-apiserver and etcd\n\n", *nodes, *nodes**podsPerNode, *bursts, *count)
	placing.Print(os.Stdout, rows, processes)
	if err := placing.Record(rows, "real API", *nodes); err != nil {
		t.Error(err)
	}
}

// load writes the cluster.
func (w *world) load(t *testing.T) {
	t.Helper()
	begin := time.Now()
	core := w.client.CoreV1()
	harness.ForEach(t, w.cluster.Namespaces, func(ctx context.Context, o *corev1.Namespace) error {
		_, err := core.Namespaces().Create(ctx, o, metav1.CreateOptions{})
		return err
	})
	harness.ForEach(t, w.cluster.Nodes, func(ctx context.Context, o *corev1.Node) error {
		_, err := core.Nodes().Create(ctx, o, metav1.CreateOptions{})
		return err
	})
	harness.ForEach(t, w.cluster.ReplicaSets, func(ctx context.Context, o *appsv1.ReplicaSet) error {
		o.Spec.Replicas = ptr.To[int32](0) // nobody here would make its pods
		o.Spec.Template = corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: o.Spec.Selector.MatchLabels},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "registry.example/app"}}},
		}
		_, err := w.client.AppsV1().ReplicaSets(o.Namespace).Create(ctx, o, metav1.CreateOptions{})
		return err
	})
	pods := w.cluster.Pods()
	harness.ForEach(t, pods, w.createPod)
	t.Logf("%d nodes and %d pods written in %v", *nodes, len(pods), time.Since(begin).Round(time.Second))
}

func (w *world) createPod(ctx context.Context, pod *corev1.Pod) error {
	_, err := w.client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	return err
}

func (w *world) deletePod(ctx context.Context, pod *corev1.Pod) error {
	return w.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)})
}

// place starts a scheduler, has each burst of pods placed, and takes all of it away again.
func (w *world) place(t *testing.T, kind, mode string) placing.Row {
	row := placing.Row{Kind: kind, Mode: mode, Pods: *count * *bursts, CPU: make([]float64, len(processes))}
	scheduler, vicinal := w.start(t, mode)
	w.warmUp(t, scheduler, mode)
	metricsBefore, err := scheduler.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	before := placing.Families(metricsBefore)
	var rates []float64
	var metrics harness.Metrics
	var others, machine float64 // CPU seconds
	for burst := range *bursts {
		pods := w.pods(t, kind)
		// What is placed waits when it begins.
		scheduler.Signal(t, syscall.SIGSTOP)
		harness.ForEach(t, pods, w.createPod)
		bound := w.watchBindings(t)
		busyBefore, idleBefore := placing.MachineCPU()
		ownBefore := ownCPU(t)
		used := w.used(t, scheduler, vicinal)
		begin := time.Now()
		scheduler.Signal(t, syscall.SIGCONT)
		first, last := time.Time{}, time.Time{}
		for i := range pods {
			select {
			case last = <-bound:
			case <-time.After(patience):
				t.Fatalf("%d pods are not bound, and none was for %v", len(pods)-i, patience)
			}
			if i == 0 {
				first = last
			}
		}
		if len(pods) > 1 {
			rates = append(rates, float64(len(pods)-1)/last.Sub(first).Seconds())
		} else {
			rates = append(rates, 1/last.Sub(begin).Seconds())
		}
		busy, idle := placing.MachineCPU()
		others += busy - busyBefore - (ownCPU(t) - ownBefore)
		machine += busy - busyBefore + idle - idleBefore
		for i, seconds := range w.used(t, scheduler, vicinal) {
			row.CPU[i] += seconds - used[i]
			others -= seconds - used[i]
		}
		// A pod is counted after its binding.
		want := len(pods) * (burst + 1)
		harness.Eventually(t, 10*time.Second, "the scheduler's metrics count all pods", func() string {
			if metrics, err = scheduler.Metrics(); err != nil {
				return err.Error()
			}
			if placed := placing.Placed(placing.Families(metrics)) - placing.Placed(before); placed != want {
				return fmt.Sprintf("%d of %d", placed, want)
			}
			return ""
		})
		w.check(t)
		harness.ForEach(t, pods, w.deletePod)
	}
	slices.Sort(rates)
	row.PodsPerSecond = rates[len(rates)/2]
	row.OthersCPU = max(0, others) / machine
	row.Measure(before, placing.Families(metrics))
	scheduler.Kill()
	if vicinal != nil {
		vicinal.Kill()
	}
	return row
}

// pods are those of a burst.
func (w *world) pods(t *testing.T, kind string) []*corev1.Pod {
	t.Helper()
	pods, err := placing.Pods(w.cluster, kind, 0, *count)
	if err != nil {
		t.Fatal(err)
	}
	for _, pod := range pods {
		labels := map[string]string{measured: "yes"}
		maps.Copy(labels, pod.Labels)
		pod.Labels = labels
	}
	return pods
}

// used is the CPU time of the processes so far, in their order.
func (w *world) used(t *testing.T, scheduler *harness.Scheduler, vicinal *harness.Process) []float64 {
	t.Helper()
	apiserver, etcd := w.cp.CPUSeconds(t)
	seconds := []float64{scheduler.CPUSeconds(t), 0, apiserver, etcd}
	if vicinal != nil {
		seconds[1] = vicinal.CPUSeconds(t)
	}
	return seconds
}

// start starts the processes of a mode; the second is vicinal, nil without it.
func (w *world) start(t *testing.T, mode string) (*harness.Scheduler, *harness.Process) {
	t.Helper()
	switch mode {
	case "stock":
		return w.cp.StartQuietScheduler(t, nil), nil
	case "decide", "advise":
		args := []string{"--mode=" + mode, "--kubeconfig=" + w.cp.VicinalKubeconfig(t, w.cp.URL)}
		if mode == "decide" {
			args = append(args, "--scheduler-config="+harness.ManifestOf(t, mode))
		}
		vicinal := harness.StartVicinal(t, w.cp.Run, args...)
		vicinal.WaitReady(t)
		return w.cp.StartQuietScheduler(t, vicinal), vicinal.Process
	case "plugin":
		socket := w.cp.Run.Path("plugin.sock")
		kubeconfig, config := w.cp.PluginConfig(t, socket, map[string]any{"timeout": "20ms"})
		vicinal := harness.NewPluginVicinal(t, w.cp.Run, socket, config)
		vicinal.Start(t)
		config["clientConnection"] = map[string]any{"kubeconfig": kubeconfig, "qps": 100_000, "burst": 100_000}
		return w.cp.StartPluginScheduler(t, kubeconfig, config, "--v=0"), vicinal.Process
	}
	t.Fatalf("-modes: %q is none of stock, decide, advise, plugin", mode)
	return nil, nil
}

// warmUp places a pod, with the plugin one after the other until vicinal answers: the first
// attempts tell it of the cluster.
func (w *world) warmUp(t *testing.T, scheduler *harness.Scheduler, mode string) {
	t.Helper()
	harness.Eventually(t, patience, "the scheduler is warm", func() string {
		pod := w.cluster.Pod(w.cluster.Apps[0], "warm")
		harness.ForEach(t, []*corev1.Pod{pod}, w.createPod)
		harness.Eventually(t, patience, pod.Name+" is bound", func() string {
			seen, err := w.client.CoreV1().Pods(pod.Namespace).Get(t.Context(), pod.Name, metav1.GetOptions{})
			if err != nil || seen.Spec.NodeName == "" {
				return fmt.Sprint("not yet: ", err)
			}
			return ""
		})
		harness.ForEach(t, []*corev1.Pod{pod}, w.deletePod)
		metrics, err := scheduler.Metrics()
		if err != nil {
			return err.Error()
		}
		if mode == "plugin" && metrics.SumWhere("vicinal_plugin_attempts_total", map[string]string{"answered_by": "vicinal"}) == 0 {
			return "vicinal has answered nothing"
		}
		return ""
	})
}

// check wants the rules of the measured pods to hold.
func (w *world) check(t *testing.T) {
	t.Helper()
	list, err := w.client.CoreV1().Pods(metav1.NamespaceAll).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var all, some []*corev1.Pod
	for i := range list.Items {
		all = append(all, &list.Items[i])
		if list.Items[i].Labels[measured] != "" {
			some = append(some, &list.Items[i])
		}
	}
	if broken := placing.Broken(w.cluster, all, some); len(broken) > 0 {
		t.Errorf("%d broken rules, such as %s", len(broken), broken[0])
	}
}

// ownCPU is the CPU time of this process, which watches.
func ownCPU(t *testing.T) float64 {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}

// watchBindings tells when each of the measured pods gets its node.
func (w *world) watchBindings(t *testing.T) <-chan time.Time {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	options := metav1.ListOptions{LabelSelector: measured}
	list, err := w.client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != *count {
		t.Fatalf("%d pods to place, not %d", len(list.Items), *count)
	}
	options.ResourceVersion = list.ResourceVersion
	watch, err := w.client.CoreV1().Pods(metav1.NamespaceAll).Watch(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	times := make(chan time.Time, *count)
	go func() {
		seen := map[string]bool{}
		for event := range watch.ResultChan() {
			pod, ok := event.Object.(*corev1.Pod)
			if ok && pod.Spec.NodeName != "" && !seen[string(pod.UID)] {
				seen[string(pod.UID)] = true
				times <- time.Now()
			}
		}
	}()
	return times
}
