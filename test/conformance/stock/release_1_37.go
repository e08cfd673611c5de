//go:build !kubernetes_1_34 && !kubernetes_1_35 && !kubernetes_1_36

package stock

// What the scheduler's library calls differently from release to release; one file for
// each, chosen by its build tag. Without a tag it is the release that go.mod pins.

import (
	"context"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// Release is the Kubernetes release whose code this is.
const Release = "1.37"

type (
	handle           = fwk.Handle
	plugin           = fwk.Plugin
	sharedDRAManager = fwk.SharedDRAManager
)

func newCache(ctx context.Context) internalcache.Cache {
	return internalcache.New(ctx, nil,
		utilfeature.DefaultFeatureGate.Enabled(features.GenericWorkload),
		utilfeature.DefaultFeatureGate.Enabled(features.CompositePodGroup))
}

func frameworkOptions(cache internalcache.Cache, snapshot *internalcache.Snapshot) []runtime.Option {
	return []runtime.Option{runtime.WithMutableSnapshotLister(snapshot), runtime.WithPodGroupManager(cache)}
}

func queueRecorder(recorder *metrics.MetricAsyncRecorder) internalqueue.Option {
	return internalqueue.WithMetricsRecorder(recorder)
}

func enqueue(ctx context.Context, queue internalqueue.SchedulingQueue, pod *v1.Pod) {
	queue.Add(ctx, pod)
}
