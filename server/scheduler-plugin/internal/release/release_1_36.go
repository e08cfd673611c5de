//go:build kubernetes_1_36

package release

import (
	"context"

	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// NewCache returns an empty cache of a scheduler, for tests.
func NewCache(ctx context.Context) cache.Cache { return cache.New(ctx, nil, false) }

// FrameworkOptions are those of a profile with the snapshot, for tests.
func FrameworkOptions(ctx context.Context, snapshot *cache.Snapshot) []runtime.Option {
	return []runtime.Option{runtime.WithSnapshotSharedLister(snapshot), runtime.WithPodGroupManager(NewCache(ctx))}
}
