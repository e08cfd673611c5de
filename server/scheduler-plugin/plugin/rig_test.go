package plugin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/component-base/metrics/testutil"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"vicinal/scheduler-plugin/internal/fakevicinal"
	"vicinal/scheduler-plugin/internal/release"
	pb "vicinal/scheduler-plugin/internal/v1"
)

// profileOf has the plugins that vicinal has; vicinal is the block of the arguments, ""
// for the in-tree plugins.
func profileOf(t testing.TB, vicinal string) *config.KubeSchedulerProfile {
	text := `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    multiPoint:
      disabled: [{name: "*"}]
      enabled:
      - {name: PrioritySort}
      - {name: DefaultBinder}
      - {name: NodeUnschedulable}
      - {name: NodeName}
      - {name: TaintToleration, weight: 3}
      - {name: NodeAffinity, weight: 2}
      - {name: NodeResourcesFit, weight: 1}
`
	if vicinal == "" {
		text += "      - {name: PodTopologySpread, weight: 2}\n      - {name: InterPodAffinity, weight: 2}\n"
	} else {
		text += "      - {name: VicinalPodTopologySpread, weight: 2}\n      - {name: VicinalInterPodAffinity, weight: 2}\n" +
			"  pluginConfig: [{name: VicinalInterPodAffinity, args: {vicinal: " + vicinal + "}}]\n"
	}
	object, _, err := scheme.Codecs.UniversalDecoder().Decode([]byte(text), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &object.(*config.KubeSchedulerConfiguration).Profiles[0]
}

// rig is a small cluster, the stock framework over it, and the one with the two plugins
// and a fake vicinal. What the real one makes of it test/plugin compares.
type rig struct {
	t           testing.TB
	ctx         context.Context
	fake        *fakevicinal.Server
	stock, ours framework.Framework
	factory     informers.SharedInformerFactory
	snapshot    *cache.Snapshot
	pod         *v1.Pod // that waits
}

// patient is for tests in which in-tree code must not answer.
const patient = "timeout: 1m, "

// newRig has three nodes, of which the first is refused to the pod by anti-affinity.
// settings are those of the block `vicinal`; change may change the pod.
func newRig(t testing.TB, settings string, answer func(*fakevicinal.Cluster, *pb.Question) *pb.Answer, change func(*v1.Pod)) *rig {
	metrics.Register()
	r := &rig{t: t, ctx: klog.NewContext(t.Context(), klog.Logger{}), pod: podOf("waiting")}
	if change != nil {
		change(r.pod)
	}
	var nodes []*v1.Node
	for i := range 3 {
		node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("node-", i), Labels: map[string]string{v1.LabelHostname: fmt.Sprint("node-", i)}}}
		node.Status.Allocatable = v1.ResourceList{v1.ResourceCPU: resource.MustParse("1"), v1.ResourcePods: resource.MustParse("20")}
		nodes = append(nodes, node)
	}
	running := podOf("running")
	running.Spec.NodeName = "node-0"
	r.snapshot = cache.NewSnapshot([]*v1.Pod{running}, nodes)
	r.factory = informers.NewSharedInformerFactory(fake.NewClientset(&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}}, running, r.pod), 0)
	r.fake = fakevicinal.Start(t, answer)
	r.stock = r.framework(profileOf(t, ""))
	r.ours = r.framework(profileOf(t, fmt.Sprintf(`{address: "%s", %s}`, r.fake.Address, settings)))
	r.factory.Start(r.ctx.Done())
	r.factory.WaitForCacheSync(r.ctx.Done())
	r.settle()
	return r
}

// podOf wants no other such pod on its node.
func podOf(name string) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name), ResourceVersion: "1", Labels: map[string]string{"app": "a"}}}
	pod.Spec.SchedulerName = "default-scheduler"
	pod.Spec.Containers = []v1.Container{{Name: "c"}}
	pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
		{TopologyKey: v1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: pod.Labels}}}}}
	return pod
}

func (r *rig) framework(profile *config.KubeSchedulerProfile) framework.Framework {
	registry := plugins.NewInTreeRegistry()
	if err := registry.Merge(Registry()); err != nil {
		r.t.Fatal(err)
	}
	f, err := frameworkruntime.NewFramework(r.ctx, registry, profile,
		append(release.FrameworkOptions(r.ctx, r.snapshot), frameworkruntime.WithInformerFactory(r.factory))...)
	if err != nil {
		r.t.Fatal(err)
	}
	f.SetPodNominator(queue.NewSchedulingQueue(f.QueueSortFunc(), r.factory))
	return f
}

// nothing is the answer that no node is best, and no plugin has a say.
func nothing(_ *fakevicinal.Cluster, _ *pb.Question) *pb.Answer {
	skip := &pb.PluginStatus{Code: int32(fwk.Skip)}
	return &pb.Answer{Best: &pb.BestNodesAnswer{},
		Verdicts: &pb.VerdictsAnswer{PodTopologySpread: &pb.PluginVerdicts{PreFilter: skip}, InterPodAffinity: &pb.PluginVerdicts{PreFilter: skip}},
		Scores:   &pb.ScoresAnswer{PodTopologySpread: &pb.PluginScores{PreScore: skip}, InterPodAffinity: &pb.PluginScores{PreScore: skip}}}
}

func numberOf(c *fakevicinal.Cluster, name string) uint32 {
	for number, node := range c.Nodes {
		if node.Name == name {
			return number
		}
	}
	panic(name)
}

// wantInTree fails the test unless an attempt of ours goes as the stock scheduler's.
func (r *rig) wantInTree() {
	r.t.Helper()
	want, wantSaid := feasibleNodes(r.ctx, r.stock, framework.NewCycleState(), r.pod)
	got, said := feasibleNodes(r.ctx, r.ours, framework.NewCycleState(), r.pod)
	if !slices.Equal(names(got), names(want)) || !maps.Equal(said, wantSaid) {
		r.t.Fatalf("%v %v, the stock scheduler has %v %v", names(got), said, names(want), wantSaid)
	}
}

// untilCounted makes attempts, which go as the stock scheduler's, until one is counted as
// in-tree's for this reason.
func (r *rig) untilCounted(why string) {
	r.t.Helper()
	before := counted(r.t, inTreeAnswers, why)
	for deadline := time.Now().Add(time.Minute); counted(r.t, inTreeAnswers, why) == before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("no attempt is counted as %s", why)
		}
		r.wantInTree()
	}
}

func names(nodes []fwk.NodeInfo) []string {
	var list []string
	for _, node := range nodes {
		list = append(list, node.Node().Name)
	}
	return list
}

// feasibleNodes is the filtering half of a cycle.
func feasibleNodes(ctx context.Context, f framework.Framework, state fwk.CycleState, pod *v1.Pod) ([]fwk.NodeInfo, map[string]string) {
	said := map[string]string{}
	result, status, _ := f.RunPreFilterPlugins(ctx, state, pod)
	if !status.IsSuccess() {
		said[""] = status.String()
		return nil, said
	}
	var feasible []fwk.NodeInfo
	nodes, _ := f.SnapshotSharedLister().NodeInfos().List()
	for _, node := range nodes {
		name := node.Node().Name
		if !result.AllNodes() && !result.NodeNames.Has(name) {
			continue
		}
		if s := f.RunFilterPluginsWithNominatedPods(ctx, state, pod, node); s.IsSuccess() {
			feasible = append(feasible, node)
		} else {
			said[name] = fmt.Sprint(s.Code(), s.Reasons())
		}
	}
	return feasible, said
}

// totals is the scoring half.
func (r *rig) totals(f framework.Framework) map[string]int64 {
	r.t.Helper()
	state := framework.NewCycleState()
	feasible, _ := feasibleNodes(r.ctx, f, state, r.pod)
	if s := f.RunPreScorePlugins(r.ctx, state, r.pod, feasible); !s.IsSuccess() {
		r.t.Fatal(s)
	}
	scores, s := f.RunScorePlugins(r.ctx, state, r.pod, feasible)
	if !s.IsSuccess() {
		r.t.Fatal(s)
	}
	totals := map[string]int64{}
	for _, node := range scores {
		totals[node.Name] = node.TotalScore
	}
	return totals
}

// settle waits until vicinal has the whole cluster: the first attempts run in-tree.
func (r *rig) settle() {
	r.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		before := counted(r.t, vicinalAnswers, byNarrowing) + counted(r.t, vicinalAnswers, byVerdicts) + counted(r.t, inTreeAnswers, ofCompareMode)
		feasibleNodes(r.ctx, r.ours, framework.NewCycleState(), r.pod)
		if counted(r.t, vicinalAnswers, byNarrowing)+counted(r.t, vicinalAnswers, byVerdicts)+counted(r.t, inTreeAnswers, ofCompareMode) > before {
			return
		}
		if time.Now().After(deadline) {
			r.t.Fatal("vicinal does not come to answer")
		}
	}
}

func counted(t testing.TB, who, why string) float64 {
	value, err := testutil.GetCounterMetricValue(attempts.WithLabelValues(who, why))
	if err != nil {
		t.Fatal(err)
	}
	return value
}
