// Package watchers measures what kube-apiserver pays for those who watch the cluster:
// nobody, kube-scheduler, vicinal by JSON and by protobuf, and vicinal beside
// kube-scheduler. test/bench/apiserver_cost starts it. The changes are written to etcd, so that
// the API server serves the watchers and nobody else.
package watchers

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"vicinal/test/bench/apiserver"
	"vicinal/test/bench/cluster"
	"vicinal/test/bench/results"
	"vicinal/test/e2e/harness"
	"vicinal/test/load/placing"
)

var (
	nodes   = flag.Int("nodes", 100, "nodes of the cluster")
	pods    = flag.Int("pods", 3000, "pods of the cluster, 30 on each node if there are so many nodes")
	rate    = flag.Int("changes", 200, "changes of pods a second, the status of one each")
	seconds = flag.Int("seconds", 10, "how long each row changes pods, in each round")
	rounds  = flag.Int("rounds", 3, "how often all rows take their turn; the medians are reported")
	rows    = flag.String("rows", strings.Join(names(), ";"), "which rows, separated by ;")
)

// Rows by name. Each starts those who watch and returns once they have seen the cluster.
var kinds = []struct {
	name  string
	start func(*world, *testing.T)
}{
	{"nobody", func(*world, *testing.T) { /* nobody watches */ }},
	{"kube-scheduler", (*world).startScheduler},
	{"vicinal, protobuf", func(w *world, t *testing.T) { w.startVicinal(t, apiserver.Protobuf) }},
	{"vicinal, JSON", func(w *world, t *testing.T) { w.startVicinal(t, "application/json") }},
	{"kube-scheduler with the plugin, serve-plugin", (*world).startPlugin},
	{"kube-scheduler + vicinal, protobuf", func(w *world, t *testing.T) { w.startScheduler(t); w.startVicinal(t, apiserver.Protobuf) }},
	{"kube-scheduler + vicinal, JSON", func(w *world, t *testing.T) { w.startScheduler(t); w.startVicinal(t, "application/json") }},
}

func names() []string {
	var all []string
	for _, kind := range kinds {
		all = append(all, kind.name)
	}
	return all
}

type world struct {
	cp     *harness.ControlPlane
	client kubernetes.Interface
	etcd   *clientv3.Client
	// storage writes objects as the API server stores them.
	storage runtime.Encoder
	pods    []*corev1.Pod
}

// usage is what kube-apiserver has spent so far.
type usage struct {
	cpu        float64 // seconds
	events, mb float64 // sent to watchers, as the API server counts
}

// measured is what a row has cost, apart for its start and for the changes.
type measured struct{ start, changes usage }

func TestWhatTheAPIServerPaysForWatchers(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	config := rest.CopyConfig(cp.AdminREST)
	config.ContentType = apiserver.Protobuf
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	address, tlsConfig := cp.Etcd(t)
	etcd, err := clientv3.New(clientv3.Config{Endpoints: []string{address}, TLS: tlsConfig})
	if err != nil {
		t.Fatal(err)
	}
	defer etcd.Close()
	w := &world{cp: cp, client: client, etcd: etcd, storage: protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)}
	w.load(t)
	var chosen []string
	for name := range strings.SplitSeq(*rows, ";") {
		if !slices.Contains(names(), name) {
			t.Fatalf("--rows: %q is none of %q", name, names())
		}
		chosen = append(chosen, name)
	}
	busy, idle := placing.MachineCPU()
	all := map[string][]measured{}
	for round := range *rounds {
		for _, kind := range kinds {
			if slices.Contains(chosen, kind.name) {
				// The watchers end with it.
				t.Run(fmt.Sprintf("round %d, %s", round+1, kind.name), func(t *testing.T) {
					all[kind.name] = append(all[kind.name], w.measure(t, func() { kind.start(w, t) }))
				})
			}
		}
	}
	busyAfter, idleAfter := placing.MachineCPU()
	busy, idle = busyAfter-busy, idleAfter-idle
	fmt.Printf("%d nodes, %d pods; %d rounds of %d s with %d changes a second; the machine was busy for %.0f %%\n\n",
		*nodes, len(w.pods), *rounds, *seconds, *rate, 100*busy/(busy+idle))
	if err := report(chosen, all); err != nil {
		t.Error(err)
	}
}

// report prints the medians, and what a row has more than nobody, for each change.
func report(chosen []string, all map[string][]measured) error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "kube-apiserver with\tCPU s\tcores\tµs more a change\tMB more\tevents more\tCPU s more to start\t")
	changes := float64(*rate * *seconds)
	of := func(name string, value func(measured) float64) float64 {
		var values []float64
		for _, m := range all[name] {
			values = append(values, value(m))
		}
		if len(values) == 0 {
			return 0
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	cpu := func(m measured) float64 { return m.changes.cpu }
	mb := func(m measured) float64 { return m.changes.mb }
	events := func(m measured) float64 { return m.changes.events }
	start := func(m measured) float64 { return m.start.cpu }
	var errs []error
	for _, name := range chosen {
		more := (of(name, cpu) - of("nobody", cpu)) / changes * 1e6
		values := map[string]float64{
			"CPU s": of(name, cpu), "cores": of(name, cpu) / float64(*seconds), "us/change": more,
			"MB": of(name, mb) - of("nobody", mb), "events": of(name, events) - of("nobody", events), "start CPU s": of(name, start) - of("nobody", start),
		}
		fmt.Fprintf(table, "%s\t%.2f\t%.3f\t%.0f\t%.2f\t%.0f\t%.2f\t\n", name, values["CPU s"], values["cores"], more, values["MB"], values["events"], values["start CPU s"])
		errs = append(errs, results.Record("apiserver cost", fmt.Sprintf("%d nodes, %d pods, %d changes a second, %s", *nodes, *pods, *rate, name), values))
	}
	errs = append(errs, table.Flush())
	return errors.Join(errs...)
}

// load writes the cluster into etcd, as the API server would, and waits until that has it.
func (w *world) load(t *testing.T) {
	t.Helper()
	begin := time.Now()
	c := cluster.New(cluster.Size{Nodes: *nodes, PodsPerNode: max(1, *pods / *nodes)})
	harness.ForEach(t, c.Namespaces, func(ctx context.Context, namespace *corev1.Namespace) error {
		return w.put(ctx, "namespaces/"+namespace.Name, namespace)
	})
	harness.ForEach(t, c.Nodes, func(ctx context.Context, node *corev1.Node) error { return w.put(ctx, "minions/"+node.Name, node) })
	w.pods = c.Pods()
	if len(w.pods) == 0 {
		t.Fatalf("--pods: %d on %d nodes are too few for an app", *pods, *nodes)
	}
	for _, pod := range w.pods {
		apiserver.FillIn(pod)
	}
	harness.ForEach(t, w.pods, w.putPod)
	last := w.pods[0].DeepCopy()
	last.Name = "last"
	if err := w.putPod(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	// From the watch cache.
	harness.Eventually(t, 10*time.Minute, "the API server has all pods", func() string {
		if _, err := w.client.CoreV1().Pods(last.Namespace).Get(t.Context(), last.Name, metav1.GetOptions{ResourceVersion: "0"}); err != nil {
			return err.Error()
		}
		return ""
	})
	t.Logf("%d nodes and %d pods written in %v", *nodes, len(w.pods), time.Since(begin).Round(time.Second))
}

func (w *world) putPod(ctx context.Context, pod *corev1.Pod) error {
	return w.put(ctx, "pods/"+pod.Namespace+"/"+pod.Name, pod)
}

// put writes an object in the form in which the API server stores it.
func (w *world) put(ctx context.Context, key string, object runtime.Object) error {
	var stored bytes.Buffer
	if err := w.storage.Encode(object, &stored); err != nil {
		return err
	}
	_, err := w.etcd.Put(ctx, "/registry/"+key, stored.String())
	return err
}

func (w *world) measure(t *testing.T, start func()) measured {
	t.Helper()
	var m measured
	before := w.used(t)
	start()
	started := w.used(t)
	m.start = minus(started, before)
	w.change(t, max(1, *seconds/5)) // those who watch and the API server get warm
	before = w.used(t)
	w.change(t, *seconds)
	m.changes = minus(w.used(t), before)
	return m
}

// change gives pods another status at the rate.
func (w *world) change(t *testing.T, seconds int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Duration(seconds)*time.Second+time.Minute)
	defer cancel()
	begin := time.Now()
	count := *rate * seconds
	for i, changed := range rand.Perm(count) {
		if wait := time.Until(begin.Add(time.Duration(i) * time.Second / time.Duration(*rate))); wait > 0 {
			time.Sleep(wait)
		}
		pod := w.pods[changed%len(w.pods)]
		pod.Status.Message = fmt.Sprintf("%016x", rand.Uint64())
		if err := w.putPod(ctx, pod); err != nil {
			t.Fatal(err)
		}
	}
	if took, wanted := time.Since(begin), time.Duration(seconds)*time.Second; took > wanted*11/10 {
		t.Logf("%d changes took %v: the machine does not take %d a second", count, took.Round(time.Millisecond), *rate)
	}
}

func (w *world) used(t *testing.T) usage {
	t.Helper()
	var u usage
	u.cpu, _ = w.cp.CPUSeconds(t)
	for _, metric := range w.cp.Metrics(t)["apiserver_watch_events_sizes"].GetMetric() {
		u.events += float64(metric.GetHistogram().GetSampleCount())
		u.mb += metric.GetHistogram().GetSampleSum() / 1e6
	}
	return u
}

func minus(a, b usage) usage { return usage{a.cpu - b.cpu, a.events - b.events, a.mb - b.mb} }

func (w *world) startScheduler(t *testing.T) { w.cp.StartQuietScheduler(t, nil) }

func (w *world) startVicinal(t *testing.T, contentType string) {
	t.Helper()
	harness.StartVicinal(t, w.cp.Run, "--kubeconfig="+w.cp.VicinalKubeconfig(t, w.cp.URL), "--kube-api-content-type="+contentType).WaitReady(t)
}

// startPlugin starts a scheduler with the plugin, and what knows of the cluster from it alone.
func (w *world) startPlugin(t *testing.T) {
	t.Helper()
	socket := w.cp.Run.Path(fmt.Sprintf("plugin-%d.sock", time.Now().UnixNano()))
	kubeconfig, config := w.cp.PluginConfig(t, socket, map[string]any{"timeout": "20ms"})
	harness.NewPluginVicinal(t, w.cp.Run, socket, config).Start(t)
	w.cp.StartPluginScheduler(t, kubeconfig, config, "--v=0")
}
