// Package plugin has the two scheduler plugins that take the places of PodTopologySpread
// and InterPodAffinity. Each wraps its in-tree twin and keeps all its extension points;
// vicinal answers where it can, the twin where it cannot.
package plugin

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"vicinal/scheduler-plugin/internal/release"
)

// The names that a profile enables.
const (
	PodTopologySpread = "VicinalPodTopologySpread"
	InterPodAffinity  = "VicinalInterPodAffinity"
)

const (
	spread = iota
	affinity
)

var kinds = [2]struct {
	name, twin string
	make       func(context.Context, runtime.Object, release.Handle, feature.Features) (release.Plugin, error)
}{
	spread:   {PodTopologySpread, podtopologyspread.Name, podtopologyspread.New},
	affinity: {InterPodAffinity, interpodaffinity.Name, interpodaffinity.New},
}

// whichOf returns the index in kinds of a name, -1 for others.
func whichOf(name string) int {
	for which := range kinds {
		if kinds[which].name == name {
			return which
		}
	}
	return -1
}

// twin is what both in-tree plugins are.
type twin interface {
	release.PreFilterPlugin
	release.FilterPlugin
	release.PreScorePlugin
	release.ScorePlugin
	release.EnqueueExtensions
	release.SignPlugin
	release.PreFilterExtensions
	release.ScoreExtensions
}

// Plugin is one of the two in one profile.
type Plugin struct {
	twin
	which   int
	profile *profile
}

var _ twin = &Plugin{}

// Registry returns factories for the two plugins of one scheduler. What they make shares
// one connection to vicinal.
func Registry() frameworkruntime.Registry {
	shared := &process{profiles: map[release.Handle]*profile{}}
	registry := frameworkruntime.Registry{}
	for which := range kinds {
		registry[kinds[which].name] = func(ctx context.Context, args runtime.Object, handle release.Handle) (release.Plugin, error) {
			return shared.newPlugin(ctx, args, handle, which)
		}
	}
	return registry
}

func (p *process) newPlugin(ctx context.Context, args runtime.Object, handle release.Handle, which int) (release.Plugin, error) {
	inTreeArgs, own, err := decodeArgs(args, kinds[which].twin)
	if err != nil {
		return nil, err
	}
	made, err := kinds[which].make(ctx, inTreeArgs, handle, feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate))
	if err != nil {
		return nil, err
	}
	inner := made.(twin)
	member, err := p.join(ctx, handle, which, inner, own)
	if err != nil {
		return nil, err
	}
	return &Plugin{twin: inner, which: which, profile: member}, nil
}

// Name is not the twin's: the scheduler refuses a second plugin of a name it has.
func (p *Plugin) Name() string { return kinds[p.which].name }

// EventsToRegister and SignPod are the twin's own.

// PreFilterExtensions makes the framework call AddPod and RemovePod.
func (p *Plugin) PreFilterExtensions() release.PreFilterExtensions { return p }

// ScoreExtensions makes the framework call NormalizeScore.
func (p *Plugin) ScoreExtensions() release.ScoreExtensions { return p }

func (p *Plugin) filterKey() fwk.StateKey { return fwk.StateKey(p.Name() + "/Filter") }
func (p *Plugin) scoreKey() fwk.StateKey  { return fwk.StateKey(p.Name() + "/Score") }

// PreFilter begins the attempt, or joins the one that the other plugin has begun.
func (p *Plugin) PreFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) (*release.PreFilterResult, *fwk.Status) {
	if isTrial(state) {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	a := attemptOf(state)
	last := a != nil
	if a == nil {
		a = p.profile.begin(state, pod, nodes)
	}
	state.Write(p.filterKey(), &filterState{attempt: a})
	return a.preFilter(ctx, p.which, last)
}

// filterState is a plugin's part of a CycleState. A clone that AddPod or RemovePod has
// changed is answered by in-tree code, from a state of its own.
type filterState struct {
	attempt *attempt
	own     fwk.CycleState // nil until then
	skips   bool           // the twin passes every node
}

// Clone is for the framework.
func (s *filterState) Clone() fwk.StateData {
	c := *s
	if s.own != nil {
		c.own = s.own.Clone()
	}
	return &c
}

func (p *Plugin) filterState(state fwk.CycleState) (*filterState, *fwk.Status) {
	data, err := state.Read(p.filterKey())
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	return data.(*filterState), nil
}

// Filter answers for one node. It runs in parallel.
func (p *Plugin) Filter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	s, status := p.filterState(state)
	if status != nil {
		return status
	}
	switch {
	case s.skips:
		return nil
	case s.own != nil:
		return p.twin.Filter(ctx, s.own, pod, node)
	}
	return s.attempt.filter(ctx, p.which, node)
}

// AddPod and RemovePod change a clone's in-tree state.
func (p *Plugin) AddPod(ctx context.Context, state fwk.CycleState, pod *v1.Pod, added fwk.PodInfo, node fwk.NodeInfo) *fwk.Status {
	s, status := p.takeOver(ctx, state)
	if status != nil || s.skips {
		return status
	}
	return p.twin.AddPod(ctx, s.own, pod, added, node)
}

// RemovePod is AddPod's opposite.
func (p *Plugin) RemovePod(ctx context.Context, state fwk.CycleState, pod *v1.Pod, removed fwk.PodInfo, node fwk.NodeInfo) *fwk.Status {
	s, status := p.takeOver(ctx, state)
	if status != nil || s.skips {
		return status
	}
	return p.twin.RemovePod(ctx, s.own, pod, removed, node)
}

// takeOver gives a clone its own in-tree state.
func (p *Plugin) takeOver(ctx context.Context, state fwk.CycleState) (*filterState, *fwk.Status) {
	s, status := p.filterState(state)
	if status != nil || s.own != nil || s.skips {
		return s, status
	}
	run := s.attempt.inTree(ctx, p.which)
	switch {
	case run.status.IsSkip():
		s.skips = true
	case !run.status.IsSuccess():
		return nil, run.said()
	default:
		s.own = run.state.Clone()
	}
	return s, nil
}
