#include "core/model/pod_admission.h"

#include "core/model/pod_affinity.h"

namespace vicinal {

void AdmitPod(Pod& pod) {
  if (!pod.meta.uid.empty()) return;
  if (pod.meta.namespace_name.empty()) pod.meta.namespace_name = "default";
  if (!pod.spec.affinity) return;
  if (auto& affinity = pod.spec.affinity->pod_affinity) {
    MergeLabelKeys(pod.meta.labels, *affinity);
  }
  if (auto& anti_affinity = pod.spec.affinity->pod_anti_affinity) {
    MergeLabelKeys(pod.meta.labels, *anti_affinity);
  }
}

}  // namespace vicinal
