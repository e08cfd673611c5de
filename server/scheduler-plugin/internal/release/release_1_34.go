//go:build kubernetes_1_34

package release

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
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

// CopyPodLevelResources copies what the status says of the pod as a whole: from 1.35 on.
func CopyPodLevelResources(_, _ *v1.PodStatus) {}
