#include "core/simulate/pod_from_template.h"

#include <utility>

#include "core/model/pod_admission.h"
#include "core/model/taint.h"

namespace vicinal {

void AdmitNewPod(Pod& pod) {
  AdmitPod(pod);
  for (const char* key :
       {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    // Admission compares no numbers, whatever the scheduler does.
    if (!Tolerate(pod.spec.tolerations, {key, "", kNoExecute}, false)) {
      pod.spec.tolerations.push_back({key, "Exists", "", kNoExecute});
    }
  }
}

Pod PodFromTemplate(const Workload& workload, std::string name) {
  Pod pod = workload.pod_template;
  pod.meta.name = std::move(name);
  pod.meta.namespace_name = workload.meta.namespace_name;
  OwnerReference owner;
  owner.api_version = ApiVersionOf(workload.kind);
  owner.kind = NameOf(workload.kind);
  owner.name = workload.meta.name;
  owner.controller = true;
  pod.meta.owner_references = {std::move(owner)};
  AdmitNewPod(pod);
  return pod;
}

}  // namespace vicinal
