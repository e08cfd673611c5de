package stock

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	podregistry "k8s.io/kubernetes/pkg/registry/core/pod"
)

// admit gives a pod without a uid, which never went through an API server, the
// two things it lacks: matchLabelKeys and mismatchLabelKeys of its (anti-)affinity
// terms merged into their selectors, and a uid. A pod with a uid stays as it is.
//
// Spread constraints keep their matchLabelKeys: PodTopologySpread merges them
// itself, whether or not the API server did so before.
func admit(pod *v1.Pod) error {
	if pod.UID != "" {
		return nil
	}
	if hasLabelKeys(pod.Spec.Affinity) {
		if err := mergeLabelKeys(pod); err != nil {
			return err
		}
	}
	pod.UID = types.UID(pod.Namespace + "/" + pod.Name)
	return nil
}

// mergeLabelKeys runs the API server's own create strategy on a copy that holds
// what it reads for this, and takes over the affinity.
func mergeLabelKeys(pod *v1.Pod) error {
	stored := &v1.Pod{
		ObjectMeta: pod.ObjectMeta,
		Spec:       v1.PodSpec{Affinity: pod.Spec.Affinity},
	}
	var internal core.Pod
	if err := corev1.Convert_v1_Pod_To_core_Pod(stored.DeepCopy(), &internal, nil); err != nil {
		return err
	}
	podregistry.Strategy.PrepareForCreate(context.Background(), &internal)
	var created v1.Pod
	if err := corev1.Convert_core_Pod_To_v1_Pod(&internal, &created, nil); err != nil {
		return err
	}
	pod.Spec.Affinity = created.Spec.Affinity
	return nil
}

func hasLabelKeys(affinity *v1.Affinity) bool {
	if affinity == nil {
		return false
	}
	var terms []v1.PodAffinityTerm
	var weighted []v1.WeightedPodAffinityTerm
	if a := affinity.PodAffinity; a != nil {
		terms = append(terms, a.RequiredDuringSchedulingIgnoredDuringExecution...)
		weighted = append(weighted, a.PreferredDuringSchedulingIgnoredDuringExecution...)
	}
	if a := affinity.PodAntiAffinity; a != nil {
		terms = append(terms, a.RequiredDuringSchedulingIgnoredDuringExecution...)
		weighted = append(weighted, a.PreferredDuringSchedulingIgnoredDuringExecution...)
	}
	for _, w := range weighted {
		terms = append(terms, w.PodAffinityTerm)
	}
	for _, t := range terms {
		if len(t.MatchLabelKeys)+len(t.MismatchLabelKeys) > 0 {
			return true
		}
	}
	return false
}
