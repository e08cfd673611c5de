//go:build kubernetes_1_34

package stock

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// Release is the Kubernetes release whose code this is.
const Release = "1.34"

type (
	handle           = framework.Handle
	plugin           = framework.Plugin
	sharedDRAManager = framework.SharedDRAManager
)

func newCache(ctx context.Context) internalcache.Cache {
	return internalcache.New(ctx, 0, nil)
}

func frameworkOptions(internalcache.Cache, *internalcache.Snapshot) []runtime.Option {
	return nil
}

func queueRecorder(recorder *metrics.MetricAsyncRecorder) internalqueue.Option {
	return internalqueue.WithMetricsRecorder(*recorder)
}

func enqueue(ctx context.Context, queue internalqueue.SchedulingQueue, pod *v1.Pod) {
	queue.Add(klog.FromContext(ctx), pod)
}
