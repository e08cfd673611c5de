#include "core/simulate/evict.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/deschedule/pod_facts.h"
#include "core/model/taint.h"

namespace vicinal {
namespace {

// The same pod once more, under another name.
Pod ReplacementOf(SimulatedCluster& simulated, const ObjectKey& key) {
  Pod pod = simulated.PodAt(key);
  pod.meta.name = simulated.NewPodName(
      key.namespace_name, key.name.substr(0, key.name.rfind('-') + 1));
  pod.meta.uid.clear();
  pod.meta.deletion_timestamp.reset();
  pod.spec.node_name.clear();
  pod.status = PodStatus();
  return pod;
}

}  // namespace

bool StaysInDrain(const SimulatedPod& pod) {
  return pod.owner &&
         (pod.owner->kind == "DaemonSet" || pod.owner->kind == "Node");
}

void EvictPod(SimulatedCluster& simulated, const ObjectKey& key) {
  const SimulatedPod& pod = *simulated.FindPod(key);
  const std::optional<OwnerKey> owner = pod.owner;
  if (!owner) {
    simulated.Note(absl::StrCat("pod ", key.namespace_name, "/", key.name,
                                " has no controller: it is gone"));
    return simulated.DeletePod(key);
  }
  if (simulated.FindWorkload(*owner) != nullptr || StaysInDrain(pod)) {
    return simulated.DeletePod(key);
  }
  simulated.Note(
      absl::StrCat("the pods of ", owner->kind, "/", owner->name,
                   " in namespace ", owner->namespace_name,
                   ", which is not known, are replaced by equal ones"));
  Pod replacement = ReplacementOf(simulated, key);
  const PodFacts facts = pod.facts;
  simulated.DeletePod(key);
  simulated.CreatePod(std::move(replacement), owner, facts);
}

std::vector<ObjectKey> NotTolerating(const SimulatedCluster& simulated,
                                     const std::string& node) {
  const NodeInfo* info = simulated.cluster().FindNode(node);
  std::vector<ObjectKey> pods;
  if (info == nullptr) return pods;
  const std::vector<Taint>& taints = info->node->taints;
  const bool comparisons = simulated.cluster().release().taint_comparisons;
  for (const ObjectKey& key : simulated.PodsOn(node)) {
    const std::vector<Toleration> tolerations =
        simulated.PodAt(key).spec.tolerations;
    if (std::any_of(taints.begin(), taints.end(), [&](const Taint& taint) {
          return taint.effect == kNoExecute &&
                 !Tolerate(tolerations, taint, comparisons);
        })) {
      pods.push_back(key);
    }
  }
  return pods;
}

}  // namespace vicinal
