//go:build kubernetes_1_34 || kubernetes_1_35

package release

import (
	"context"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// IsPodGroupCycle says whether the pods of a group are being tried together: from 1.36 on.
func IsPodGroupCycle(fwk.CycleState) bool { return false }

// Copied returns a status that shares nothing with this one, which is not nil.
func Copied(status *fwk.Status) *fwk.Status {
	if status.Code() == fwk.Error {
		return fwk.AsStatus(status.AsError()).WithPlugin(status.Plugin())
	}
	return fwk.NewStatus(status.Code(), slices.Clone(status.Reasons())...).WithPlugin(status.Plugin())
}

// NewCache returns an empty cache of a scheduler, for tests.
func NewCache(ctx context.Context) cache.Cache { return cache.New(ctx, 0, nil) }

// FrameworkOptions are those of a profile with the snapshot, for tests.
func FrameworkOptions(_ context.Context, snapshot *cache.Snapshot) []runtime.Option {
	return []runtime.Option{runtime.WithSnapshotSharedLister(snapshot)}
}
