//go:build !kubernetes_1_34 && !kubernetes_1_35 && !kubernetes_1_36

// Package release has what the scheduler's library calls differently from one Kubernetes
// release to the next: one file for each, chosen by its build tag. Without a tag it is the
// release that go.mod pins; releases/ has the others.
package release

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// The framework's own.
type (
	EnqueueExtensions   = fwk.EnqueueExtensions
	FilterPlugin        = fwk.FilterPlugin
	Handle              = fwk.Handle
	NodeScoreList       = fwk.NodeScoreList
	Plugin              = fwk.Plugin
	PreFilterExtensions = fwk.PreFilterExtensions
	PreFilterPlugin     = fwk.PreFilterPlugin
	PreFilterResult     = fwk.PreFilterResult
	PreScorePlugin      = fwk.PreScorePlugin
	ScoreExtensions     = fwk.ScoreExtensions
	ScorePlugin         = fwk.ScorePlugin
	SharedLister        = fwk.SharedLister
	SignPlugin          = fwk.SignPlugin
)

// IsSignable says whether the scheduler may treat the pods after this one like it.
func IsSignable(ctx context.Context, plugin SignPlugin, pod *v1.Pod) bool {
	_, status := plugin.SignPod(ctx, pod)
	return status.IsSuccess()
}

// IsPodGroupCycle says whether the pods of a group are being tried together.
func IsPodGroupCycle(state fwk.CycleState) bool { return state.IsPodGroupSchedulingCycle() }

// Copied returns a status that shares nothing with this one, which is not nil.
func Copied(status *fwk.Status) *fwk.Status { return status.Clone() }

// CopyPodLevelResources copies what the status says of the pod as a whole.
func CopyPodLevelResources(to, from *v1.PodStatus) {
	to.AllocatedResources, to.Resources = from.AllocatedResources, from.Resources
}

// NewCache returns an empty cache of a scheduler, for tests.
func NewCache(ctx context.Context) cache.Cache { return cache.New(ctx, nil, false, false) }

// FrameworkOptions are those of a profile with the snapshot, for tests.
func FrameworkOptions(ctx context.Context, snapshot *cache.Snapshot) []runtime.Option {
	return []runtime.Option{
		runtime.WithSnapshotSharedLister(snapshot), runtime.WithMutableSnapshotLister(snapshot),
		runtime.WithPodGroupManager(NewCache(ctx)),
	}
}
