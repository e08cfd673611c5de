//go:build kubernetes_1_34

package release

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// The framework's own.
type (
	EnqueueExtensions   = framework.EnqueueExtensions
	FilterPlugin        = framework.FilterPlugin
	Handle              = framework.Handle
	NodeScoreList       = framework.NodeScoreList
	Plugin              = framework.Plugin
	PreFilterExtensions = framework.PreFilterExtensions
	PreFilterPlugin     = framework.PreFilterPlugin
	PreFilterResult     = framework.PreFilterResult
	PreScorePlugin      = framework.PreScorePlugin
	ScoreExtensions     = framework.ScoreExtensions
	ScorePlugin         = framework.ScorePlugin
	SharedLister        = framework.SharedLister
)

// SignPlugin is of 1.35 and later.
type SignPlugin interface{}

// IsSignable says whether the scheduler may treat the pods after this one like it.
func IsSignable(context.Context, SignPlugin, *v1.Pod) bool { return false }

// IsPodGroupCycle says whether the pods of a group are being tried together: from 1.36 on.
func IsPodGroupCycle(fwk.CycleState) bool { return false }

// Copied returns a status that shares nothing with this one, which is not nil.
func Copied(status *fwk.Status) *fwk.Status {
	if status.Code() == fwk.Error {
		return fwk.AsStatus(status.AsError()).WithPlugin(status.Plugin())
	}
	return fwk.NewStatus(status.Code(), slices.Clone(status.Reasons())...).WithPlugin(status.Plugin())
}

// CopyPodLevelResources copies what the status says of the pod as a whole: from 1.35 on.
func CopyPodLevelResources(_, _ *v1.PodStatus) {}

// NewCache returns an empty cache of a scheduler, for tests.
func NewCache(ctx context.Context) cache.Cache { return cache.New(ctx, 0, nil) }

// FrameworkOptions are those of a profile with the snapshot, for tests.
func FrameworkOptions(_ context.Context, snapshot *cache.Snapshot) []runtime.Option {
	return []runtime.Option{runtime.WithSnapshotSharedLister(snapshot)}
}
