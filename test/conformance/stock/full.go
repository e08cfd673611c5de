//go:build !kubernetes_1_34 && !kubernetes_1_35 && !kubernetes_1_36

package stock

import (
	"context"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// Full is the scheduler's default profile with all its plugins over one cluster: also
// those for gates, ports, volumes and resource claims.
type Full struct {
	ctx       context.Context
	framework framework.Framework
	nodes     []fwk.NodeInfo
}

// NewFull puts the cluster where the scheduler keeps it. Storage is what the volume
// plugins look at: claims, volumes, classes and so on. It ends with ctx.
func (s *Scheduler) NewFull(ctx context.Context, cluster *Cluster, storage []kruntime.Object) (*Full, error) {
	logger := klog.FromContext(ctx)
	factory := informers.NewSharedInformerFactory(fake.NewClientset(append(cluster.objects(), storage...)...), 0)
	schedulerCache := newCache(ctx)
	for _, node := range cluster.Nodes.objects {
		schedulerCache.AddNode(logger, node)
	}
	for _, pod := range visible(cluster.Pods.objects) {
		if pod.Spec.NodeName == "" {
			continue
		}
		if err := schedulerCache.AddPod(logger, pod); err != nil {
			return nil, err
		}
	}
	snapshot := internalcache.NewEmptySnapshot()
	if err := schedulerCache.UpdateSnapshot(logger, snapshot); err != nil {
		return nil, err
	}
	profile, err := fullProfile()
	if err != nil {
		return nil, err
	}
	f, err := runtime.NewFramework(ctx, plugins.NewInTreeRegistry(), profile, append(frameworkOptions(schedulerCache, snapshot),
		runtime.WithComponentConfigVersion("kubescheduler.config.k8s.io/v1"),
		runtime.WithClientSet(s.client),
		runtime.WithInformerFactory(factory),
		runtime.WithSharedDRAManager(s.draManager),
		runtime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())),
		runtime.WithSnapshotSharedLister(snapshot),
		runtime.WithParallelism(1),
		runtime.WithMetricsRecorder(s.recorder))...)
	if err != nil {
		return nil, err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	f.SetPodNominator(nobody{})
	nodes, err := snapshot.NodeInfos().List()
	if err != nil {
		return nil, err
	}
	nodes = slices.Clone(nodes)
	slices.SortFunc(nodes, func(a, b fwk.NodeInfo) int { return strings.Compare(a.Node().Name, b.Node().Name) })
	return &Full{ctx, f, nodes}, nil
}

func fullProfile() (*config.KubeSchedulerProfile, error) {
	object, _, err := scheme.Codecs.UniversalDecoder().Decode(
		[]byte(`{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration"}`), nil, nil)
	if err != nil {
		return nil, err
	}
	return &object.(*config.KubeSchedulerConfiguration).Profiles[0], nil
}

// nobody is nominated.
type nobody struct{ fwk.PodNominator }

func (nobody) NominatedPodsForNode(string) []fwk.PodInfo { return nil }

// Verdict is where a pod could go.
type Verdict struct {
	HeldBack string   // Why the pod does not get into the queue; empty: it does.
	Fits     []string // Nodes, by name.
	Message  string   // As in the pod's condition, if it fits nowhere; of an error its text.
}

// Judge tries a pod that is not in the cluster on all nodes.
func (f *Full) Judge(pod *v1.Pod) Verdict {
	var verdict Verdict
	for _, plugin := range f.framework.PreEnqueuePlugins() {
		if s := plugin.PreEnqueue(f.ctx, pod); !s.IsSuccess() {
			verdict.HeldBack = s.Message()
		}
	}
	answer := &Answer{Nodes: map[string]NodeResult{}, Scores: map[string]map[string]Score{}, Totals: map[string]int64{}}
	w := &world{framework: f.framework, nodes: f.nodes}
	for _, node := range w.filter(f.ctx, framework.NewCycleState(), pod, answer) {
		verdict.Fits = append(verdict.Fits, node.Node().Name)
	}
	verdict.Message = answer.Message
	for name, result := range answer.Nodes {
		if result.Code == fwk.Error.String() {
			verdict.Message = fmt.Sprintf("%s: %s", name, result.Reason)
		}
	}
	return verdict
}
