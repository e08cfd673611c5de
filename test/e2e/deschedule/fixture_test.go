// Package deschedule runs `vicinal deschedule` on a cluster of real parts: the scheduler
// with vicinal beside it places pods, kube-controller-manager replaces the evicted ones and
// keeps disruption budgets, and the harness plays the kubelets.
package deschedule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/ptr"

	"vicinal/test/e2e/harness"
)

// One cluster serves all parts, each of which leaves it empty.
func TestDeschedule(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	for _, object := range harness.LoadManifest(t, harness.RepositoryFile(t, "manifests/deschedule/base/rbac.yaml")) {
		cp.Create(t, object)
	}
	for _, object := range harness.LoadManifest(t, harness.RepositoryFile(t, "manifests/deschedule/deployment/leader-election.yaml")) {
		cp.Create(t, object)
	}
	observer := cp.StartObserver(t)
	cp.PlayKubelets(t, observer)
	cp.StartControllerManager(t)
	vicinal := harness.StartVicinal(t, cp.Run, "--kubeconfig="+cp.VicinalKubeconfig(t, cp.URL))
	f := &fixture{cp: cp, cluster: cp.StartCluster(t, observer, vicinal), proxy: cp.StartAPIProxy(t)}
	account := &clientcmdapi.AuthInfo{Token: cp.ServiceAccountToken(t, metav1.NamespaceSystem, "vicinal-deschedule")}
	f.kubeconfig = cp.Kubeconfig(t, "descheduler", cp.URL, account)
	f.throughProxy = cp.Kubeconfig(t, "descheduler-proxy", f.proxy.URL, account)
	for _, part := range []struct {
		name string
		run  func(*testing.T, *fixture)
	}{
		{"soft anti-affinity, drain, and back (S1)", softAntiAffinity},
		{"a disruption budget is respected, and asked once in a pass", disruptionBudget},
		{"errors of the API server in the middle: nothing is evicted twice", errorsInTheMiddle},
		{"a plan that the cluster no longer justifies is dropped", mendedMeanwhile},
		{"a pod that is replaced under the plan is left alone", replacedMeanwhile},
		{"limits of the policy end a pass", limits},
		{"one of two replicas evicts, and the other takes over", leaderElection},
	} {
		t.Run(part.name, func(t *testing.T) {
			defer func() {
				f.proxy.Intercept(nil)
				f.cluster.Clear(t)
			}()
			part.run(t, f)
		})
	}
}

type fixture struct {
	cp      *harness.ControlPlane
	cluster *harness.Cluster
	proxy   *harness.APIProxy
	// As the service account of manifests/deschedule; and as admin, past the proxy.
	kubeconfig, throughProxy string
}

// plan is what `-o json` prints.
type plan struct {
	Evictions []struct{ Pod, Node, Destination, Strategy, Reason string }
	Kept      []struct{ Pod, Node, Strategy, Reason string }
}

// notAllEvicted is the exit code of a pass in which an eviction was refused or failed.
const notAllEvicted = 3

// run is one pass of `vicinal deschedule`; with "--evict" among the flags it evicts, and
// the plan is what was evicted and what was not.
func (f *fixture) run(t *testing.T, kubeconfig, policy string, flags ...string) plan {
	t.Helper()
	command := exec.Command(harness.VicinalBinary(t), append([]string{"deschedule", "--kubeconfig=" + kubeconfig, "--policy=" + policy, "-o", "json"}, flags...)...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if code := command.ProcessState.ExitCode(); err != nil && (code != notAllEvicted || !slices.Contains(flags, "--evict")) {
		t.Fatalf("vicinal deschedule: %v\n%s\n%s", err, output, &stderr)
	}
	var result plan
	if err := json.Unmarshal(output, &result); err != nil {
		t.Fatalf("vicinal deschedule printed %q: %v", output, err)
	}
	return result
}

// loop starts `vicinal deschedule`, a pass every second.
func (f *fixture) loop(t *testing.T, kubeconfig, policy string, flags ...string) *harness.Process {
	t.Helper()
	return f.cp.StartDescheduler(t, append([]string{"--kubeconfig=" + kubeconfig, "--policy=" + policy, "--evict", "--interval=1s"}, flags...)...)
}

// policy writes a policy file with one plugin, and more lines at its top.
func (f *fixture) policy(t *testing.T, plugin, args string, lines ...string) string {
	t.Helper()
	content := "apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n" + strings.Join(lines, "\n") +
		"\nprofiles:\n- name: tested\n  pluginConfig:\n  - name: " + plugin + "\n    args: " + args +
		"\n  plugins:\n    deschedule:\n      enabled: [" + plugin + "]\n"
	path := f.cp.Run.Path(strings.ReplaceAll(t.Name(), "/", "-") + ".yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (f *fixture) taintPolicy(t *testing.T, lines ...string) string {
	t.Helper()
	return f.policy(t, "RemovePodsViolatingNodeTaints", "{}", lines...)
}

// nodes creates workers.
func (f *fixture) nodes(t *testing.T, names ...string) {
	t.Helper()
	var objects []runtime.Object
	for _, name := range names {
		objects = append(objects, harness.NodeOf(name))
	}
	f.cluster.Apply(t, objects...)
}

// taint closes a node for pods, also for those that are there.
func (f *fixture) taint(t *testing.T, name string, taints ...corev1.Taint) {
	t.Helper()
	f.setTaints(t, name, taints)
	f.cluster.Observer.WaitSeen(t, f.cluster.Vicinal)
}

func (f *fixture) setTaints(t *testing.T, name string, taints []corev1.Taint) {
	node, err := f.cluster.Client.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Error(err)
		return
	}
	node.Spec.Taints = taints
	if _, err := f.cluster.Client.CoreV1().Nodes().Update(t.Context(), node, metav1.UpdateOptions{}); err != nil {
		t.Error(err)
	}
}

var closed = corev1.Taint{Key: "maintenance", Value: "yes", Effect: corev1.TaintEffectNoSchedule}

// deploy creates a Deployment and waits until all its pods run.
func (f *fixture) deploy(t *testing.T, app string, replicas int32, rule func(*corev1.Pod)) {
	t.Helper()
	pod := harness.PodOf(app)
	if rule != nil {
		rule(pod)
	}
	labels := map[string]string{"app": app}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: app},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To(replicas), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod.Spec},
		},
	}
	if _, err := f.cluster.Client.AppsV1().Deployments(metav1.NamespaceDefault).Create(t.Context(), deployment, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	f.waitRunning(t, app, int(replicas))
}

// waitRunning waits until so many pods of an app run, all others are gone, and vicinal
// knows. It returns where they are: the numbers of pods by node.
func (f *fixture) waitRunning(t *testing.T, app string, replicas int) map[string]int {
	t.Helper()
	var places map[string]int
	harness.Eventually(t, 60*time.Second, fmt.Sprintf("%d pods of %s run", replicas, app), func() string {
		places = map[string]int{}
		running, all := 0, 0
		for _, pod := range f.podsOf(t, app) {
			all++
			if pod.Status.Phase == corev1.PodRunning && pod.DeletionTimestamp == nil {
				running++
				places[pod.Spec.NodeName]++
			}
		}
		if running != replicas || all != replicas {
			return fmt.Sprintf("%d pods, %d of them run", all, running)
		}
		return ""
	})
	f.cluster.Observer.WaitSeen(t, f.cluster.Vicinal)
	return places
}

// podsOf are the pods of an app, by name.
func (f *fixture) podsOf(t *testing.T, app string) []*corev1.Pod {
	t.Helper()
	pods := slices.DeleteFunc(f.cluster.Observer.Pods(t), func(pod *corev1.Pod) bool { return pod.Labels["app"] != app })
	slices.SortFunc(pods, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return pods
}

// sizes are the numbers of pods on nodes, largest first.
func sizes(places map[string]int) []int {
	numbers := slices.Collect(maps.Values(places))
	slices.Sort(numbers)
	slices.Reverse(numbers)
	return numbers
}

// requests counts the evictions that are asked for, by pod, and how often all pods are
// listed.
type requests struct {
	mu    sync.Mutex
	count map[string]int // guarded by mu
	lists int            // guarded by mu
}

// evictions counts what comes through the proxy, and has answer called for each request,
// the first one with 1; it may answer in place of the API server and then returns true.
func (f *fixture) evictions(answer func(number int, pod string, w http.ResponseWriter, r *http.Request) bool) *requests {
	seen := &requests{count: map[string]int{}}
	f.proxy.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if query := r.URL.Query(); r.URL.Path == "/api/v1/pods" && query.Get("continue") == "" &&
			(query.Get("watch") == "" || query.Get("sendInitialEvents") == "true") {
			seen.mu.Lock()
			seen.lists++
			seen.mu.Unlock()
		}
		path, isEviction := strings.CutSuffix(r.URL.Path, "/eviction")
		if !isEviction || r.Method != http.MethodPost {
			return false
		}
		pod := path[strings.LastIndex(path, "/")+1:]
		seen.mu.Lock()
		seen.count[pod]++
		number := 0
		for _, count := range seen.count {
			number += count
		}
		seen.mu.Unlock()
		return answer != nil && answer(number, pod, w, r)
	})
	return seen
}

func (r *requests) ofEach() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.count)
}

func (r *requests) podLists() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lists
}

func (r *requests) total() int {
	total := 0
	for _, count := range r.ofEach() {
		total += count
	}
	return total
}
