package stock

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// enabled are the plugins that vicinal has. What they extend, their order and
// their weights come from the release's default profile. PrioritySort and
// DefaultBinder are there because a framework cannot be built without them;
// neither takes part in filtering or scoring.
var enabled = []string{
	names.NodeUnschedulable, names.NodeName, names.TaintToleration, names.NodeAffinity,
	names.NodeResourcesFit, names.PodTopologySpread, names.InterPodAffinity,
	names.NodeResourcesBalancedAllocation, names.ImageLocality,
	names.PrioritySort, names.DefaultBinder,
}

// Scheduler answers cases, one at a time. Several may be used side by side.
type Scheduler struct {
	ctx            context.Context
	client         *fake.Clientset
	draManager     sharedDRAManager
	recorder       *metrics.MetricAsyncRecorder
	defaultProfile *config.KubeSchedulerProfile
	other          *Other // nil: the in-tree plugins
}

// Other are plugins in the places of in-tree ones. They may need informers that run.
type Other struct {
	Registry func() runtime.Registry
	// Names by the in-tree plugins' names. They come last, with the weights of those.
	Names        map[string]string
	PluginConfig []config.PluginConfig
	// Ready says whether they know the cluster, for which they may need a cycle.
	Ready func() bool
}

// With is a scheduler of other plugins that shares the rest.
func (s *Scheduler) With(other Other) *Scheduler {
	c := *s
	c.other = &other
	c.defaultProfile = s.defaultProfile.DeepCopy()
	enabled := &c.defaultProfile.Plugins.MultiPoint.Enabled
	for _, p := range slices.Clone(*enabled) {
		if name, ok := other.Names[p.Name]; ok {
			*enabled = slices.DeleteFunc(*enabled, func(e config.Plugin) bool { return e.Name == p.Name })
			*enabled = append(*enabled, config.Plugin{Name: name, Weight: p.Weight})
		}
	}
	c.defaultProfile.PluginConfig = append(c.defaultProfile.PluginConfig, other.PluginConfig...)
	return &c
}

// NewScheduler builds what all cases share. It stops with ctx.
func NewScheduler(ctx context.Context) (*Scheduler, error) {
	metrics.Register()
	s := &Scheduler{
		ctx:      ctx,
		client:   fake.NewClientset(),
		recorder: metrics.NewMetricsAsyncRecorder(1000, time.Second, ctx.Done()),
	}
	var err error
	if s.draManager, err = emptyDRAManager(ctx, s.client); err != nil {
		return nil, err
	}
	if s.defaultProfile, err = decodeProfile(nil); err != nil {
		return nil, err
	}
	return s, nil
}

// emptyDRAManager is the real manager over informers without objects: no device
// class backs any extended resource.
func emptyDRAManager(ctx context.Context, client *fake.Clientset) (sharedDRAManager, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	tracker, err := resourceslicetracker.StartTracker(ctx, resourceslicetracker.Options{
		EnableConsumableCapacity: utilfeature.DefaultFeatureGate.Enabled(features.DRAConsumableCapacity),
		SliceInformer:            factory.Resource().V1().ResourceSlices(),
		KubeClient:               client,
	})
	if err != nil {
		return nil, err
	}
	claims := assumecache.NewAssumeCache(klog.FromContext(ctx), factory.Resource().V1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	return dynamicresources.NewDRAManager(ctx, claims, tracker, factory), nil
}

// decodeProfile reads a pluginConfig with the scheduler's own decoder and
// defaults, and leaves only the enabled plugins in the default profile.
func decodeProfile(pluginConfig json.RawMessage) (*config.KubeSchedulerProfile, error) {
	file, err := json.Marshal(map[string]any{
		"apiVersion": "kubescheduler.config.k8s.io/v1",
		"kind":       "KubeSchedulerConfiguration",
		"profiles":   []any{map[string]any{"pluginConfig": pluginConfig}},
	})
	if err != nil {
		return nil, fmt.Errorf("pluginConfig: %w", err)
	}
	object, _, err := scheme.Codecs.UniversalDecoder().Decode(file, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("pluginConfig: %w", err)
	}
	profile := &object.(*config.KubeSchedulerConfiguration).Profiles[0]
	profile.Plugins.MultiPoint.Enabled = slices.DeleteFunc(profile.Plugins.MultiPoint.Enabled, func(p config.Plugin) bool {
		return !slices.Contains(enabled, p.Name)
	})
	return profile, nil
}

// world is one case as the scheduler would see it.
type world struct {
	framework framework.Framework
	nodes     []fwk.NodeInfo // by name
	scorers   map[string]scorer
	cache     internalcache.Cache
	snapshot  *internalcache.Snapshot
}

// scorer is a score plugin, whose raw scores only the newest releases show.
type scorer interface {
	Score(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) (int64, *fwk.Status)
}

// keepScorers notes the score plugins that the registry makes.
func keepScorers(registry runtime.Registry, scorers map[string]scorer) runtime.Registry {
	for name, factory := range registry {
		registry[name] = func(ctx context.Context, args kruntime.Object, handle handle) (made plugin, err error) {
			// Up to 1.35 NodeResourcesFit does, of a strategy RequestedToCapacityRatio
			// without its parameters.
			defer func() {
				if r := recover(); r != nil {
					made, err = nil, fmt.Errorf("%s panics: %v", name, r)
				}
			}()
			made, err = factory(ctx, args, handle)
			if s, scores := made.(scorer); scores {
				scorers[name] = s
			}
			return made, err
		}
	}
	return registry
}

// build puts the cluster where the scheduler keeps it: listers, cache, snapshot
// and scheduling queue, and builds the profile's framework over them. The
// framework's goroutines end with ctx.
func (s *Scheduler) build(ctx context.Context, cluster *Cluster, profile *config.KubeSchedulerProfile) (*world, error) {
	logger := klog.FromContext(ctx)
	factory := informers.NewSharedInformerFactory(s.client, 0)
	registry := plugins.NewInTreeRegistry()
	if s.other != nil {
		factory = informers.NewSharedInformerFactory(fake.NewClientset(cluster.objects()...), 0)
		if err := registry.Merge(s.other.Registry()); err != nil {
			return nil, err
		}
	} else if err := fillListers(factory, cluster); err != nil {
		return nil, err
	}

	schedulerCache := newCache(ctx)
	for _, node := range cluster.Nodes.objects {
		schedulerCache.AddNode(logger, node)
	}
	pods := visible(cluster.Pods.objects)
	for _, pod := range pods {
		if pod.Spec.NodeName != "" {
			if err := schedulerCache.AddPod(logger, pod); err != nil {
				return nil, err
			}
		}
	}
	snapshot := internalcache.NewEmptySnapshot()
	if err := schedulerCache.UpdateSnapshot(logger, snapshot); err != nil {
		return nil, err
	}

	scorers := map[string]scorer{}
	options := append(frameworkOptions(schedulerCache, snapshot),
		runtime.WithComponentConfigVersion("kubescheduler.config.k8s.io/v1"),
		runtime.WithClientSet(s.client),
		runtime.WithInformerFactory(factory),
		runtime.WithSharedDRAManager(s.draManager),
		runtime.WithSnapshotSharedLister(snapshot),
		// One worker: which of several errors is reported first must not vary.
		runtime.WithParallelism(1),
		runtime.WithMetricsRecorder(s.recorder))
	f, err := runtime.NewFramework(ctx, keepScorers(registry, scorers), profile, options...)
	if err != nil {
		return nil, fmt.Errorf("pluginConfig: %w", err)
	}
	if s.other != nil { // before the queue: it takes nominations of known pods only
		factory.Start(ctx.Done())
		factory.WaitForCacheSync(ctx.Done())
	}
	queue := internalqueue.NewSchedulingQueue(f.QueueSortFunc(), factory, queueRecorder(s.recorder))
	for _, pod := range pods {
		if pod.Spec.NodeName == "" {
			enqueue(ctx, queue, pod)
		}
	}
	f.SetPodNominator(queue)

	if s.other != nil {
		if err := s.awaitOther(ctx, f); err != nil {
			return nil, err
		}
	}
	nodes, err := nodesByName(snapshot)
	if err != nil {
		return nil, err
	}
	return &world{framework: f, nodes: nodes, scorers: scorers, cache: schedulerCache, snapshot: snapshot}, nil
}

// nodesByName are the snapshot's, sorted.
func nodesByName(snapshot *internalcache.Snapshot) ([]fwk.NodeInfo, error) {
	list, err := snapshot.NodeInfos().List()
	if err != nil {
		return nil, err
	}
	return slices.SortedFunc(slices.Values(list), func(a, b fwk.NodeInfo) int {
		return strings.Compare(a.Node().Name, b.Node().Name)
	}), nil
}

// awaitOther runs cycles for a pod that nobody knows until the other plugins are ready.
func (s *Scheduler) awaitOther(ctx context.Context, f framework.Framework) error {
	deadline := time.Now().Add(time.Minute)
	unknown := &v1.Pod{}
	unknown.UID = "unknown"
	for {
		f.RunPreFilterPlugins(ctx, framework.NewCycleState(), unknown)
		if s.other.Ready() {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the plugins are not ready within a minute")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// visible drops the finished pods: the scheduler's pod informer selects
// status.phase!=Succeeded,status.phase!=Failed.
func visible(pods []*v1.Pod) []*v1.Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(p *v1.Pod) bool {
		return p.Status.Phase == v1.PodSucceeded || p.Status.Phase == v1.PodFailed
	})
}

// fillListers puts the objects into the informers' stores. The informers are
// never started, so nothing else writes there.
func fillListers(factory informers.SharedInformerFactory, cluster *Cluster) error {
	core, apps := factory.Core().V1(), factory.Apps().V1()
	for _, fill := range []error{
		addAll(core.Namespaces().Informer(), cluster.Namespaces.objects),
		addAll(core.Pods().Informer(), visible(cluster.Pods.objects)),
		addAll(core.Services().Informer(), cluster.Services.objects),
		addAll(core.ReplicationControllers().Informer(), cluster.ReplicationControllers.objects),
		addAll(apps.ReplicaSets().Informer(), cluster.ReplicaSets.objects),
		addAll(apps.StatefulSets().Informer(), cluster.StatefulSets.objects),
	} {
		if fill != nil {
			return fill
		}
	}
	return nil
}

func addAll[T any](informer cache.SharedIndexInformer, objects []*T) error {
	for _, o := range objects {
		if err := informer.GetIndexer().Add(o); err != nil {
			return err
		}
	}
	return nil
}
