package plugin

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"vicinal/scheduler-plugin/internal/release"
)

// In mode compare the twin's answer counts, and a difference is counted and logged.

func (a *attempt) compareVerdict(which int, node string, inTree, said *fwk.Status) {
	compared.WithLabelValues(kinds[which].twin, "Filter").Inc()
	if inTree.Code() == said.Code() && (inTree.IsSuccess() || slices.Equal(inTree.Reasons(), said.Reasons())) {
		return
	}
	differs(which, "Filter", a.pod, "node", node, "inTree", inTree, "vicinal", said)
}

func (a *attempt) compareSkip(which int, point string, inTree, said bool) {
	compared.WithLabelValues(kinds[which].twin, point).Inc()
	if inTree != said {
		differs(which, point, a.pod, "inTreeSkips", inTree, "vicinalSkips", said)
	}
}

func compareScores(which int, pod *v1.Pod, inTree release.NodeScoreList, said map[string]int64) {
	compared.WithLabelValues(kinds[which].twin, "Score").Inc()
	for _, score := range inTree {
		if said[score.Name] != score.Score {
			differs(which, "Score", pod, "node", score.Name, "inTree", score.Score, "vicinal", said[score.Name])
			return
		}
	}
}

func differs(which int, point string, pod *v1.Pod, details ...any) {
	differences.WithLabelValues(kinds[which].twin, point).Inc()
	klog.ErrorS(nil, "Vicinal's answer differs from in-tree's, which counts", append([]any{"plugin", kinds[which].twin, "extensionPoint", point, "pod", klog.KObj(pod)}, details...)...)
}
