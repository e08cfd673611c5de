package plugin

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
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

// rig is a cluster, the stock framework over it, and the one with the two plugins.
type rig struct {
	t            testing.TB
	ctx          context.Context
	fake         *fakevicinal.Server
	stock, ours  framework.Framework
	factory      informers.SharedInformerFactory
	snapshot     *cache.Snapshot
	pods         []*v1.Pod // that wait
	attemptsSeen map[string]float64
}

func newRig(t testing.TB, nodes []*v1.Node, running, waiting []*v1.Pod, vicinal string) *rig {
	metrics.Register()
	ctx := klog.NewContext(t.Context(), klog.Logger{})
	r := &rig{t: t, ctx: ctx, pods: waiting, snapshot: cache.NewSnapshot(running, nodes)}
	objects := []runtime.Object{&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}}}
	for _, pod := range slices.Concat(running, waiting) {
		objects = append(objects, pod)
	}
	r.factory = informers.NewSharedInformerFactory(fake.NewClientset(objects...), 0)
	r.fake = fakevicinal.Start(t, r.answer)
	r.stock = r.framework(r.snapshot, profileOf(t, ""))
	r.ours = r.framework(r.snapshot, profileOf(t, fmt.Sprintf(`{address: "%s", timeout: 1m, %s}`, r.fake.Address, vicinal)))
	r.factory.Start(ctx.Done())
	r.factory.WaitForCacheSync(ctx.Done())
	return r
}

func (r *rig) framework(snapshot *cache.Snapshot, profile *config.KubeSchedulerProfile) framework.Framework {
	registry := plugins.NewInTreeRegistry()
	if err := registry.Merge(Registry()); err != nil {
		r.t.Fatal(err)
	}
	f, err := frameworkruntime.NewFramework(r.ctx, registry, profile,
		frameworkruntime.WithInformerFactory(r.factory), frameworkruntime.WithSnapshotSharedLister(snapshot), frameworkruntime.WithMutableSnapshotLister(snapshot),
		frameworkruntime.WithPodGroupManager(cache.New(r.ctx, nil, false, false)))
	if err != nil {
		r.t.Fatal(err)
	}
	f.SetPodNominator(queue.NewSchedulingQueue(f.QueueSortFunc(), r.factory))
	return f
}

// answer is what in-tree code says about the cluster that was told.
func (r *rig) answer(c *fakevicinal.Cluster, question *pb.Question) *pb.Answer {
	var nodes []*v1.Node
	var pods []*v1.Pod
	for _, number := range c.Numbers() {
		nodes = append(nodes, c.Nodes[number])
	}
	for _, told := range c.Pods {
		if told.Node != nil {
			pod := told.Pod.DeepCopy()
			pod.Spec.NodeName = c.Nodes[*told.Node].Name
			pods = append(pods, pod)
		}
	}
	snapshot := cache.NewSnapshot(pods, nodes)
	f := r.framework(snapshot, profileOf(r.t, ""))
	pod := c.Pods[types.UID(question.Uid)].Pod
	answer := &pb.Answer{}
	if question.Best != nil {
		answer.Best = &pb.BestNodesAnswer{}
		feasible, _ := feasibleNodes(r.ctx, f, framework.NewCycleState(), pod)
		best := slices.SortedFunc(slices.Values(totals(r.ctx, r.t, f, pod, feasible)), func(a, b fwk.NodePluginScores) int { return int(b.TotalScore - a.TotalScore) })
		for _, node := range best[:min(len(best), int(question.Best.Limit))] {
			answer.Best.Nodes = append(answer.Best.Nodes, numberOf(c, node.Name))
		}
	}
	if question.Verdicts != nil {
		answer.Verdicts = &pb.VerdictsAnswer{PodTopologySpread: r.verdicts(c, f, spread, pod, snapshot), InterPodAffinity: r.verdicts(c, f, affinity, pod, snapshot)}
	}
	if question.Scores != nil {
		answer.Scores = &pb.ScoresAnswer{PodTopologySpread: r.scores(c, f, spread, pod, snapshot, question.Scores.Nodes), InterPodAffinity: r.scores(c, f, affinity, pod, snapshot, question.Scores.Nodes)}
	}
	return answer
}

func numberOf(c *fakevicinal.Cluster, name string) uint32 {
	for number, node := range c.Nodes {
		if node.Name == name {
			return number
		}
	}
	panic(name)
}

func (r *rig) twin(f framework.Framework, which int) twin {
	args, _, err := decodeArgs(nil, kinds[which].twin)
	if err != nil {
		r.t.Fatal(err)
	}
	made, err := plugins.NewInTreeRegistry()[kinds[which].twin](r.ctx, args, f)
	if err != nil {
		r.t.Fatal(err)
	}
	return made.(twin)
}

func statusOf(s *fwk.Status) *pb.PluginStatus {
	if s.IsSuccess() {
		return nil
	}
	return &pb.PluginStatus{Code: int32(s.Code()), Reasons: s.Reasons()}
}

func (r *rig) verdicts(c *fakevicinal.Cluster, f framework.Framework, which int, pod *v1.Pod, snapshot *cache.Snapshot) *pb.PluginVerdicts {
	state := framework.NewCycleState()
	nodes, _ := snapshot.NodeInfos().List()
	inner := r.twin(f, which)
	_, s := inner.PreFilter(r.ctx, state, pod, nodes)
	v := &pb.PluginVerdicts{PreFilter: statusOf(s)}
	if !s.IsSuccess() {
		return v
	}
	v.ByNode = make([]byte, c.Numbers()[len(c.Nodes)-1]+1)
	for _, node := range nodes {
		if s := inner.Filter(r.ctx, state, pod, node); !s.IsSuccess() {
			v.Statuses = append(v.Statuses, statusOf(s))
			v.ByNode[numberOf(c, node.Node().Name)] = byte(len(v.Statuses))
		}
	}
	return v
}

func (r *rig) scores(c *fakevicinal.Cluster, f framework.Framework, which int, pod *v1.Pod, snapshot *cache.Snapshot, numbers []uint32) *pb.PluginScores {
	state := framework.NewCycleState()
	inner := r.twin(f, which)
	var nodes []fwk.NodeInfo
	for _, number := range numbers {
		node, _ := snapshot.NodeInfos().Get(c.Nodes[number].Name)
		nodes = append(nodes, node)
	}
	s := inner.PreScore(r.ctx, state, pod, nodes)
	scores := &pb.PluginScores{PreScore: statusOf(s)}
	if !s.IsSuccess() {
		return scores
	}
	list := make(fwk.NodeScoreList, len(nodes))
	for i, node := range nodes {
		list[i].Name = node.Node().Name
		list[i].Score, _ = inner.Score(r.ctx, state, pod, node)
	}
	inner.NormalizeScore(r.ctx, state, pod, list)
	for _, score := range list {
		scores.Normalized = append(scores.Normalized, byte(score.Score))
	}
	return scores
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
func totals(ctx context.Context, t testing.TB, f framework.Framework, pod *v1.Pod, feasible []fwk.NodeInfo) []fwk.NodePluginScores {
	if len(feasible) == 0 {
		return nil
	}
	state := framework.NewCycleState()
	feasible, _ = feasibleNodes(ctx, f, state, pod)
	if s := f.RunPreScorePlugins(ctx, state, pod, feasible); !s.IsSuccess() {
		t.Fatal(s)
	}
	scores, s := f.RunScorePlugins(ctx, state, pod, feasible)
	if !s.IsSuccess() {
		t.Fatal(s)
	}
	return scores
}

// settle waits until vicinal has the whole cluster: the first attempts run in-tree.
func (r *rig) settle() {
	r.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		before := counted(r.t, vicinalAnswers, byNarrowing) + counted(r.t, vicinalAnswers, byVerdicts) + counted(r.t, inTreeAnswers, ofCompareMode)
		feasibleNodes(r.ctx, r.ours, framework.NewCycleState(), r.pods[0])
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

// generated is a cluster of zones and nodes where pods of few labels crowd.
func generated(random *rand.Rand) (nodes []*v1.Node, running, waiting []*v1.Pod) {
	zones := 1 + random.Intn(4)
	for i := range 2 + random.Intn(9) {
		node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("node-", i), Labels: map[string]string{v1.LabelHostname: fmt.Sprint("node-", i)}}}
		if random.Intn(8) > 0 {
			node.Labels[v1.LabelTopologyZone] = fmt.Sprint("zone-", random.Intn(zones))
		}
		node.Status.Allocatable = v1.ResourceList{v1.ResourceCPU: *resource.NewMilliQuantity(int64(500+random.Intn(2000)), resource.DecimalSI), v1.ResourcePods: resource.MustParse("20")}
		node.Status.Capacity = node.Status.Allocatable
		nodes = append(nodes, node)
	}
	for i := range random.Intn(25) {
		pod := generatedPod(random, fmt.Sprint("running-", i))
		pod.Spec.NodeName = nodes[random.Intn(len(nodes))].Name
		running = append(running, pod)
	}
	for i := range 4 {
		waiting = append(waiting, generatedPod(random, fmt.Sprint("waiting-", i)))
		waiting[i].Spec.Priority = new(int32(10))
	}
	return nodes, running, waiting
}

func generatedPod(random *rand.Rand, name string) *v1.Pod {
	selector := func() *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{"app": fmt.Sprint(random.Intn(3))}}
	}
	keys := []string{v1.LabelHostname, v1.LabelTopologyZone}
	term := func() v1.PodAffinityTerm {
		return v1.PodAffinityTerm{TopologyKey: keys[random.Intn(2)], LabelSelector: selector()}
	}
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name), ResourceVersion: "1", Labels: map[string]string{"app": fmt.Sprint(random.Intn(3))}}}
	pod.Spec.Priority = new(int32(random.Intn(3)))
	pod.Spec.SchedulerName = "default-scheduler"
	pod.Spec.Containers = []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: *resource.NewMilliQuantity(int64(random.Intn(400)), resource.DecimalSI)}}}}
	pod.Spec.Affinity = &v1.Affinity{}
	if random.Intn(4) == 0 {
		pod.Spec.Affinity.PodAntiAffinity = &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term()}}
	}
	if random.Intn(5) == 0 {
		pod.Spec.Affinity.PodAffinity = &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term()}}
	}
	if random.Intn(4) == 0 {
		pod.Spec.Affinity.PodAntiAffinity = &v1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: int32(1 + random.Intn(100)), PodAffinityTerm: term()}}}
	}
	for _, when := range []v1.UnsatisfiableConstraintAction{v1.DoNotSchedule, v1.ScheduleAnyway} {
		if random.Intn(4) == 0 {
			pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, v1.TopologySpreadConstraint{MaxSkew: int32(1 + random.Intn(2)), TopologyKey: keys[random.Intn(2)], WhenUnsatisfiable: when, LabelSelector: selector()})
		}
	}
	return pod
}
