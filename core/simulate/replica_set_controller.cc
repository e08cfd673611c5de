#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/simulate/controllers.h"
#include "core/simulate/pod_from_template.h"

namespace vicinal {
namespace {

// How many pods of the set, and of other sets with the same owner, are on each
// node.
std::map<std::string, int> RelatedPodsByNode(const SimulatedCluster& simulated,
                                             const Workload& set) {
  std::vector<OwnerKey> related = {KeyOf(set)};
  if (const std::optional<OwnerKey> owner = OwnerOf(set.meta)) {
    related.clear();
    for (const Workload* other : simulated.WorkloadsOf(set.kind, *owner)) {
      related.push_back(KeyOf(*other));
    }
  }
  std::map<std::string, int> counts;
  for (const OwnerKey& key : related) {
    for (const ObjectKey& pod : simulated.PodsOf(key)) {
      ++counts[simulated.FindPod(pod)->node];
    }
  }
  return counts;
}

// Those that go first come first: pending ones, those that share a node, the
// youngest.
std::vector<ObjectKey> InOrderOfDeletion(const SimulatedCluster& simulated,
                                         const Workload& set) {
  const std::map<std::string, int> related = RelatedPodsByNode(simulated, set);
  std::vector<std::tuple<bool, int, std::int64_t, ObjectKey>> ranked;
  for (const ObjectKey& key : simulated.PodsOf(KeyOf(set))) {
    const SimulatedPod& pod = *simulated.FindPod(key);
    ranked.emplace_back(!pod.node.empty(), -related.at(pod.node), -pod.created,
                        key);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<ObjectKey> keys;
  for (const auto& rank : ranked) keys.push_back(std::get<ObjectKey>(rank));
  return keys;
}

// The pod of a virtual machine, which has an object of its own between it and
// its set.
Pod LauncherPod(SimulatedCluster& simulated, const Workload& set) {
  const std::string machine =
      simulated.NewPodName(set.meta.namespace_name, set.meta.name);
  Pod pod = PodFromTemplate(
      set, simulated.NewPodName(set.meta.namespace_name,
                                "virt-launcher-" + machine + "-"));
  pod.meta.owner_references.front().kind = "VirtualMachineInstance";
  pod.meta.owner_references.front().name = machine;
  return pod;
}

Pod NewPod(SimulatedCluster& simulated, const Workload& set) {
  if (set.kind == WorkloadKind::kVirtualMachineInstanceReplicaSet) {
    return LauncherPod(simulated, set);
  }
  return PodFromTemplate(
      set, simulated.NewPodName(set.meta.namespace_name, set.meta.name + "-"));
}

}  // namespace

void SyncReplicaSet(SimulatedCluster& simulated, const Workload& set) {
  const OwnerKey key = KeyOf(set);
  const auto have = static_cast<std::int64_t>(simulated.PodsOf(key).size());
  if (have == set.replicas) return;
  for (std::int64_t i = have; i < set.replicas; ++i) {
    simulated.CreatePod(NewPod(simulated, set), key, set.pod_facts);
  }
  if (have > set.replicas) {
    std::vector<ObjectKey> pods = InOrderOfDeletion(simulated, set);
    pods.resize(have - set.replicas);
    for (const ObjectKey& pod : pods) simulated.DeletePod(pod);
  }
  if (const std::optional<OwnerKey> owner = OwnerOf(set.meta)) {
    simulated.Touch(*owner);
  }
}

}  // namespace vicinal
