//go:build !kubernetes_1_34 && !kubernetes_1_35 && !kubernetes_1_36

// Package release has what the scheduler's library calls differently from one Kubernetes
// release to the next: a file for each release or range of them, chosen by the build tag.
// Without a tag it is the release that go.mod pins; releases/ has the others.
package release

import (
	"context"

	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// NewCache returns an empty cache of a scheduler, for tests.
func NewCache(ctx context.Context) cache.Cache { return cache.New(ctx, nil, false, false) }

// FrameworkOptions are those of a profile with the snapshot, for tests.
func FrameworkOptions(ctx context.Context, snapshot *cache.Snapshot) []runtime.Option {
	return []runtime.Option{
		runtime.WithSnapshotSharedLister(snapshot), runtime.WithMutableSnapshotLister(snapshot),
		runtime.WithPodGroupManager(NewCache(ctx)),
	}
}
