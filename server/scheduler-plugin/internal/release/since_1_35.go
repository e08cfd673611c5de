//go:build !kubernetes_1_34

package release

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
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

// CopyPodLevelResources copies what the status says of the pod as a whole.
func CopyPodLevelResources(to, from *v1.PodStatus) {
	to.AllocatedResources, to.Resources = from.AllocatedResources, from.Resources
}
