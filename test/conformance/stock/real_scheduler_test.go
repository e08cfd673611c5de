package stock

import (
	"context"
	"errors"
	"testing"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"vicinal/test/conformance/cases"
)

// The oracle runs the framework's plugins but mirrors findNodesThatFitPod and
// prioritizeNodes by hand. Here the scheduler's own schedulePod is asked the same:
// it must give the same message, or choose a node of the highest total.
func TestAnswersAreThoseOfTheSchedulersOwnCycle(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	oracle, err := NewScheduler(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var rejected, aborted, chosen int
	for index := range uint64(1500) {
		g := cases.Generate(99, index)
		c, err := ParseCase(g.Line)
		if err != nil || c.Pod.Status.NominatedNodeName != "" { // the scheduler tries that node alone first
			continue
		}
		answer, err := oracle.Answer(c)
		if err != nil {
			continue
		}
		result, err := scheduleForReal(ctx, t, oracle, c)
		var fit *framework.FitError
		switch {
		case errors.As(err, &fit), errors.Is(err, scheduler.ErrNoNodesAvailable):
			rejected++
			if answer.Message != err.Error() {
				t.Errorf("case %s: message %q, the scheduler says %q", g.ID, answer.Message, err)
			}
		case err != nil:
			aborted++
			for name, node := range answer.Nodes {
				if node.Code != "Error" || node.Reason != err.Error() {
					t.Errorf("case %s: node %s is %+v, the scheduler's error is %q", g.ID, name, node, err)
				}
			}
		default:
			chosen++
			if result.FeasibleNodes == 1 && len(answer.Totals) == 0 {
				continue // the scheduler does not score a single node, so no score can fail
			}
			if result.FeasibleNodes != len(answer.Totals) {
				t.Errorf("case %s: %d feasible nodes, the scheduler has %d", g.ID, len(answer.Totals), result.FeasibleNodes)
			}
			for name, total := range answer.Totals {
				if total > answer.Totals[result.SuggestedHost] {
					t.Errorf("case %s: the scheduler chose %s of total %d, but %s has %d", g.ID, result.SuggestedHost, answer.Totals[result.SuggestedHost], name, total)
				}
			}
		}
	}
	if rejected < 50 || chosen < 50 || aborted < 1 {
		t.Errorf("%d rejected, %d chosen, %d aborted: too few of one sort to tell anything", rejected, chosen, aborted)
	}
}

func scheduleForReal(ctx context.Context, t *testing.T, oracle *Scheduler, c *Case) (scheduler.ScheduleResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	profile, err := decodeProfile(c.PluginConfig)
	if err != nil {
		t.Fatal(err)
	}
	factory := informers.NewSharedInformerFactory(oracle.client, 0)
	if err := fillListers(factory, &c.Cluster); err != nil {
		t.Fatal(err)
	}
	snapshot := internalcache.NewEmptySnapshot()
	s, err := scheduler.New(ctx, oracle.client, factory, nil,
		func(string) events.EventRecorderLogger { return &events.FakeRecorder{} },
		scheduler.WithProfiles(*profile), scheduler.WithNodeInfoSnapshot(snapshot))
	if err != nil {
		t.Fatal(err)
	}
	logger := klog.FromContext(ctx)
	for _, node := range c.Cluster.Nodes.objects {
		s.Cache.AddNode(logger, node)
	}
	for _, pod := range visible(c.Cluster.Pods.objects) {
		if pod.Spec.NodeName == "" {
			pod = pod.DeepCopy()
			pod.Spec.SchedulerName = profile.SchedulerName
			s.SchedulingQueue.Add(ctx, pod)
		} else if err := s.Cache.AddPod(logger, pod); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Cache.UpdateSnapshot(logger, snapshot); err != nil {
		t.Fatal(err)
	}
	info, _ := framework.NewPodInfo(c.Pod) // the queue ignores that error too
	return s.SchedulePod(ctx, s.Profiles[profile.SchedulerName], framework.NewCycleState(), &framework.QueuedPodInfo{PodInfo: info})
}
