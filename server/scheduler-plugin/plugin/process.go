package plugin

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-base/version"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"vicinal/scheduler-plugin/internal/feed"
	"vicinal/scheduler-plugin/internal/link"
	"vicinal/scheduler-plugin/internal/release"
	pb "vicinal/scheduler-plugin/internal/v1"
)

// process is what the profiles of a scheduler share: one link and one feed. It begins
// with the first plugin that is made and ends with that one's context.
type process struct {
	mu       sync.Mutex
	address  string // "" until a plugin's arguments have a vicinal block
	profiles map[release.Handle]*profile
	link     *link.Link
	feed     *feed.Feed
	ahead    atomic.Pointer[ahead]
}

// profile is one of the scheduler's, with its two plugins.
type profile struct {
	process  *process
	handle   framework.Framework
	settings settings
	given    bool // by arguments; else the defaults
	twins    [2]twin
}

// join makes a plugin part of its profile. The two plugins of a profile share their
// settings: they are in the arguments of one of them, or the same in both.
func (p *process) join(ctx context.Context, handle release.Handle, which int, inner twin, own *settings) (*profile, error) {
	all, ok := handle.(framework.Framework)
	if !ok {
		return nil, fmt.Errorf("the handle is a %T, not the framework of a scheduler", handle)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	member := p.profiles[handle]
	if member == nil {
		defaults, err := decodeSettings([]byte("{}"))
		if err != nil {
			return nil, err
		}
		member = &profile{process: p, handle: all, settings: defaults}
		p.profiles[handle] = member
	}
	if own != nil {
		if member.given && member.settings != *own {
			return nil, fmt.Errorf("args.vicinal of the two plugins of a profile differ: %+v, %+v", member.settings, *own)
		}
		if p.address != "" && p.address != own.address {
			return nil, fmt.Errorf("args.vicinal.address: %q, and %q elsewhere; a scheduler has one vicinal", own.address, p.address)
		}
		member.settings, member.given, p.address = *own, true, own.address
	}
	member.twins[which] = inner
	if p.feed != nil {
		return member, nil
	}
	inputs, err := newInputs(handle.SharedInformerFactory())
	if err != nil {
		return nil, err
	}
	p.feed = inputs.feed
	go p.run(ctx, inputs, member.settings.address)
	return member, nil
}

// run connects once the informers have synced: then all profiles are made.
func (p *process) run(ctx context.Context, in *inputs, address string) {
	if !in.waitForSync(ctx) {
		return
	}
	p.mu.Lock()
	if p.address != "" {
		address = p.address
	}
	l := link.New(address, p.hello, in.follow)
	p.link = l
	p.mu.Unlock()
	l.Run(ctx)
}

// profileOf returns the profile that schedules the pod, nil if another scheduler does.
func (p *process) profileOf(pod *v1.Pod) *profile {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, member := range p.profiles {
		if member.handle.ProfileName() == pod.Spec.SchedulerName {
			return member
		}
	}
	return nil
}

// session returns the stream, nil without one.
func (p *process) session() *link.Session {
	p.mu.Lock()
	l := p.link
	p.mu.Unlock()
	if l == nil {
		return nil
	}
	return l.Session()
}

func (p *process) hello() *pb.Hello {
	p.mu.Lock()
	defer p.mu.Unlock()
	hello := &pb.Hello{KubernetesVersion: kubernetesVersion()}
	for _, member := range p.profiles {
		plugins := member.handle.ListPlugins()
		described := &pb.SchedulingProfile{SchedulerName: member.handle.ProfileName(), ScoreWeights: map[string]int32{}}
		for _, filter := range plugins.Filter.Enabled {
			if whichOf(filter.Name) < 0 {
				described.Filters = append(described.Filters, filter.Name)
			}
		}
		for _, score := range plugins.Score.Enabled {
			described.ScoreWeights[inTreeName(score)] = score.Weight
		}
		hello.Profiles = append(hello.Profiles, described)
	}
	return hello
}

func inTreeName(plugin config.Plugin) string {
	if which := whichOf(plugin.Name); which >= 0 {
		return kinds[which].twin
	}
	return plugin.Name
}

// kubernetesVersion is that of the scheduler's code in this program. What /version says is set by
// linker flags only; a test binary does not list its modules, and needs them.
func kubernetesVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "k8s.io/kubernetes" && strings.HasPrefix(module.Version, "v1.") {
				return module.Version
			}
		}
	}
	return version.Get().GitVersion
}
