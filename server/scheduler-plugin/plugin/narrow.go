package plugin

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"vicinal/scheduler-plugin/internal/link"
	"vicinal/scheduler-plugin/internal/release"
)

// So many nodes are tried with the scheduler's own filters before the attempt is made
// without narrowing.
const maxTries = 4

// mayNarrow says whether the pod and its profile let it; vicinal itself declines for what
// it does not judge.
func (p *profile) mayNarrow(session *link.Session, pod *v1.Pod) bool {
	return p.settings.narrow && p.settings.mode != modeCompare &&
		pod.Status.NominatedNodeName == "" && // the scheduler tries that node first
		session.Ready.BestNodesDeclined[p.handle.ProfileName()] == "" &&
		needsOnlyKnownFilters(pod) && !p.asksExtenders(pod)
}

// needsOnlyKnownFilters says whether no filter with a state outside nodes and pods has a
// say: host ports, volumes that are attached, claims.
func needsOnlyKnownFilters(pod *v1.Pod) bool {
	if len(pod.Spec.ResourceClaims) > 0 {
		return false
	}
	for i := range pod.Spec.Volumes {
		source := &pod.Spec.Volumes[i].VolumeSource
		plain := source.Projected != nil || source.ConfigMap != nil || source.Secret != nil || source.EmptyDir != nil || source.DownwardAPI != nil || source.HostPath != nil
		if !plain {
			return false
		}
	}
	for _, containers := range [][]v1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			for _, port := range containers[i].Ports {
				if port.HostPort > 0 || pod.Spec.HostNetwork {
					return false
				}
			}
		}
	}
	return true
}

func (p *profile) asksExtenders(pod *v1.Pod) bool {
	for _, extender := range p.handle.Extenders() {
		if extender.IsInterested(pod) && (extender.IsFilter() || extender.IsPrioritizer()) {
			return true
		}
	}
	return false
}

// narrow waits for the best nodes and returns the first that the scheduler's own filters
// let pass, "" if none does. It sets why when vicinal does not answer.
func (a *attempt) narrow(ctx context.Context) string {
	answer, err := a.wait(a.question, a.asked)
	if err != nil {
		a.why = err.Error()
		return ""
	}
	best := answer.Best.GetNodes()
	if len(best) == 0 {
		return ""
	}
	trial := framework.NewCycleState()
	trial.Write(trialKey, trialMark{})
	others, status, _ := a.profile.handle.RunPreFilterPlugins(ctx, trial, a.pod)
	if !status.IsSuccess() {
		return ""
	}
	for _, number := range best[:min(len(best), maxTries)] {
		node := a.nodeOf(number)
		if node == nil {
			klog.ErrorS(nil, "Vicinal names a node that there is not", "pod", klog.KObj(a.pod), "number", number)
			return ""
		}
		name := node.Node().Name
		if !others.AllNodes() && !others.NodeNames.Has(name) {
			continue
		}
		if a.nominated(name) {
			return "" // whether it passes is a matter of both plugins' in-tree state
		}
		if a.profile.handle.RunFilterPluginsWithNominatedPods(ctx, trial, a.pod, node).IsSuccess() {
			return name
		}
	}
	return ""
}

func (a *attempt) nodeOf(number uint32) fwk.NodeInfo {
	name, ok := a.profile.process.feed.Name(number)
	if !ok {
		return nil
	}
	node, err := a.profile.handle.SnapshotSharedLister().NodeInfos().Get(name)
	if err != nil {
		return nil
	}
	return node
}

// nominated says whether a pod is nominated to the node that the filters of this one must
// take into account.
func (a *attempt) nominated(node string) bool {
	for _, other := range a.profile.handle.NominatedPodsForNode(node) {
		if corev1.PodPriority(other.GetPod()) >= corev1.PodPriority(a.pod) && other.GetPod().UID != a.pod.UID {
			return true
		}
	}
	return false
}

func onlyNode(name string) *release.PreFilterResult {
	return &release.PreFilterResult{NodeNames: sets.New(name)}
}

// A trial is a CycleState in which the framework runs the filters of all other plugins:
// what these two say of the best nodes is known.
const trialKey = fwk.StateKey("Vicinal/Trial")

type trialMark struct{}

func (m trialMark) Clone() fwk.StateData { return m }

func isTrial(state fwk.CycleState) bool {
	_, err := state.Read(trialKey)
	return err == nil
}
