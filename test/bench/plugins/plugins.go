// Package plugins runs the stock InterPodAffinity and PodTopologySpread over a
// cluster, as the scheduler does in one scheduling cycle, and measures them.
package plugins

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	intree "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"vicinal/test/bench/answers"
	"vicinal/test/bench/cluster"
)

// Scheduler is what of the stock scheduler takes part: cache, snapshot and the
// framework with the two plugins.
type Scheduler struct {
	cache     internalcache.Cache
	snapshot  *internalcache.Snapshot
	framework framework.Framework
	// Pods of the steps that are in the cluster, by namespace/name. Not all pods:
	// this map must not count as the scheduler's memory.
	pods map[string]*v1.Pod
	// Memory is the growth of the heap and of VmRSS from cache, snapshot and the
	// objects in them.
	Memory answers.Memory
}

// New loads a cluster file, of which steps can then be taken. It stops with ctx.
func New(ctx context.Context, clusterFile string, steps []cluster.Step) (*Scheduler, error) {
	metrics.Register()
	s := &Scheduler{
		cache: internalcache.New(ctx, nil, utilfeature.DefaultFeatureGate.Enabled(features.GenericWorkload),
			utilfeature.DefaultFeatureGate.Enabled(features.CompositePodGroup)),
		snapshot: internalcache.NewEmptySnapshot(),
		pods:     map[string]*v1.Pod{},
	}
	for _, step := range steps {
		if step.Remove != nil {
			s.pods[key(step.Remove)] = nil
		}
	}
	client := fake.NewClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	before := memory()
	if err := s.load(ctx, clusterFile, factory); err != nil {
		return nil, err
	}
	after := memory()
	s.Memory = answers.Memory{Resident: after.Resident - before.Resident, Allocated: after.Allocated - before.Allocated, Pods: int64(s.podCount())}

	profile, err := profile()
	if err != nil {
		return nil, err
	}
	recorder := metrics.NewMetricsAsyncRecorder(1000, time.Second, ctx.Done())
	s.framework, err = frameworkruntime.NewFramework(ctx, intree.NewInTreeRegistry(), profile,
		frameworkruntime.WithComponentConfigVersion("kubescheduler.config.k8s.io/v1"),
		frameworkruntime.WithClientSet(client),
		frameworkruntime.WithInformerFactory(factory),
		frameworkruntime.WithSnapshotSharedLister(s.snapshot),
		frameworkruntime.WithMutableSnapshotLister(s.snapshot),
		frameworkruntime.WithMetricsRecorder(recorder),
		frameworkruntime.WithPodGroupManager(s.cache),
		// The default of KubeSchedulerConfiguration.
		frameworkruntime.WithParallelism(16),
	)
	if err != nil {
		return nil, err
	}
	queue := internalqueue.NewSchedulingQueue(s.framework.QueueSortFunc(), factory, internalqueue.WithMetricsRecorder(recorder))
	s.framework.SetPodNominator(queue)
	return s, nil
}

// profile is the default one, without all but the two plugins and those without
// which there is no framework.
func profile() (*config.KubeSchedulerProfile, error) {
	file := []byte(`{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","profiles":[{}]}`)
	object, _, err := scheme.Codecs.UniversalDecoder().Decode(file, nil, nil)
	if err != nil {
		return nil, err
	}
	profile := &object.(*config.KubeSchedulerConfiguration).Profiles[0]
	enabled := []string{names.InterPodAffinity, names.PodTopologySpread, names.PrioritySort, names.DefaultBinder}
	profile.Plugins.MultiPoint.Enabled = slices.DeleteFunc(profile.Plugins.MultiPoint.Enabled, func(p config.Plugin) bool {
		return !slices.Contains(enabled, p.Name)
	})
	return profile, nil
}

func (s *Scheduler) load(ctx context.Context, path string, factory informers.SharedInformerFactory) error {
	logger := klog.FromContext(ctx)
	var mu sync.Mutex // guards s.pods
	err := cluster.ReadFile(path, func(kind string, object []byte) error {
		switch kind {
		case "Namespace":
			namespace := &v1.Namespace{}
			if err := json.Unmarshal(object, namespace); err != nil {
				return err
			}
			return factory.Core().V1().Namespaces().Informer().GetIndexer().Add(namespace)
		case "ReplicaSet":
			set := &appsv1.ReplicaSet{}
			if err := json.Unmarshal(object, set); err != nil {
				return err
			}
			return factory.Apps().V1().ReplicaSets().Informer().GetIndexer().Add(set)
		case "Node":
			node := &v1.Node{}
			if err := json.Unmarshal(object, node); err != nil {
				return err
			}
			s.cache.AddNode(logger, node)
			return nil
		case "Pod":
			pod := &v1.Pod{}
			if err := json.Unmarshal(object, pod); err != nil {
				return err
			}
			mu.Lock()
			if _, ofSteps := s.pods[key(pod)]; ofSteps {
				s.pods[key(pod)] = pod
			}
			mu.Unlock()
			return s.cache.AddPod(logger, pod)
		}
		return fmt.Errorf("unexpected kind %q", kind)
	})
	if err != nil {
		return err
	}
	return s.cache.UpdateSnapshot(logger, s.snapshot)
}

func key(pod *v1.Pod) string { return pod.Namespace + "/" + pod.Name }

func (s *Scheduler) podCount() int {
	count, err := s.cache.PodCount()
	if err != nil {
		return 0
	}
	return count
}

// Take takes the steps in turn, and calls onAnswer for each question. Changes of
// the cluster are not part of the time.
func (s *Scheduler) Take(ctx context.Context, steps []cluster.Step, feasibleOnly bool, onAnswer func(answers.Times, *answers.Answer) error) error {
	logger := klog.FromContext(ctx)
	for _, step := range steps {
		switch {
		case step.Remove != nil:
			if err := s.cache.RemovePod(logger, s.pods[key(step.Remove)]); err != nil {
				return err
			}
		case step.Add != nil:
			s.pods[key(step.Add)] = step.Add
			if err := s.cache.AddPod(logger, step.Add); err != nil {
				return err
			}
		default:
			if err := s.cache.UpdateSnapshot(logger, s.snapshot); err != nil {
				return err
			}
			times := answers.Times{Question: step.Question}
			answer, err := s.ask(ctx, step.Ask, feasibleOnly, &times)
			if err != nil {
				return fmt.Errorf("%s: %w", step.Question, err)
			}
			if err := onAnswer(times, answer); err != nil {
				return err
			}
		}
	}
	return nil
}

// ask is findNodesThatFitPod and prioritizeNodes of pkg/scheduler/schedule_one.go
// with all nodes looked at. Only the plugins' own work is timed.
func (s *Scheduler) ask(ctx context.Context, pod *v1.Pod, feasibleOnly bool, times *answers.Times) (*answers.Answer, error) {
	listed, err := s.snapshot.NodeInfos().List()
	if err != nil {
		return nil, err
	}
	nodes := slices.Clone(listed)
	slices.SortFunc(nodes, func(a, b fwk.NodeInfo) int { return strings.Compare(a.Node().Name, b.Node().Name) })
	statuses := make([]*fwk.Status, len(nodes))
	state := framework.NewCycleState()

	begin, cpu := time.Now(), cpuTime()
	_, status, _ := s.framework.RunPreFilterPlugins(ctx, state, pod)
	if !status.IsSuccess() {
		return nil, fmt.Errorf("PreFilter: %w", status.AsError())
	}
	s.framework.Parallelizer().Until(ctx, len(nodes), func(i int) {
		statuses[i] = s.framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, nodes[i])
	}, metrics.Filter)
	scored := nodes
	if feasibleOnly {
		scored = nil
		for i, node := range nodes {
			if statuses[i].IsSuccess() {
				scored = append(scored, node)
			}
		}
	}
	var scores []fwk.NodePluginScores
	if len(scored) > 0 {
		if status := s.framework.RunPreScorePlugins(ctx, state, pod, scored); !status.IsSuccess() {
			return nil, fmt.Errorf("PreScore: %w", status.AsError())
		}
		if scores, status = s.framework.RunScorePlugins(ctx, state, pod, scored); !status.IsSuccess() {
			return nil, fmt.Errorf("Score: %w", status.AsError())
		}
	}
	times.Wall = []float64{milliseconds(time.Since(begin))}
	times.CPU = []float64{milliseconds(cpuTime() - cpu)}
	return s.answer(statuses, scores), nil
}

func (s *Scheduler) answer(statuses []*fwk.Status, scores []fwk.NodePluginScores) *answers.Answer {
	answer := &answers.Answer{Raw: map[string][]int64{}, Normalized: map[string][]int64{}}
	numbers := map[string]int{}
	for _, status := range statuses {
		text := "Success||"
		if status != nil {
			text = status.Code().String() + "|" + status.Plugin() + "|" + strings.Join(status.Reasons(), ", ")
		}
		number, known := numbers[text]
		if !known {
			number = len(numbers)
			numbers[text] = number
			answer.Verdicts = append(answer.Verdicts, text)
		}
		answer.Verdict = append(answer.Verdict, number)
	}
	weights := map[string]int64{}
	for _, p := range s.framework.ListPlugins().Score.Enabled {
		weights[p.Name] = int64(p.Weight)
	}
	for _, node := range scores {
		for i, weighted := range node.Scores {
			raw := node.RawScores[i]
			answer.Raw[raw.Name] = append(answer.Raw[raw.Name], raw.Score)
			answer.Normalized[raw.Name] = append(answer.Normalized[raw.Name], weighted.Score/weights[raw.Name])
		}
		answer.Totals = append(answer.Totals, node.TotalScore)
	}
	return answer
}

// memory reads the process' memory after two collections.
func memory() answers.Memory {
	runtime.GC()
	debug.FreeOSMemory()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return answers.Memory{Resident: residentBytes(), Allocated: int64(stats.HeapAlloc)}
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// cpuTime is that of all threads of the process, the garbage collector's too.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func residentBytes() int64 {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _ := strconv.ParseInt(strings.Fields(string(statm))[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
