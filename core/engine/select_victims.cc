#include "core/engine/select_victims.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/engine/choose_victims.h"
#include "core/engine/run_plugins.h"
#include "core/index/node_info.h"
#include "core/index/stored_pod.h"

namespace vicinal {
namespace {

// Whether the pod is on a node.
bool IsPlaced(const ClusterState& cluster, std::string_view uid) {
  for (const ObjectKey& key : cluster.Keys<Pod>()) {
    const StoredPod* pod = cluster.FindPod(key);
    if (pod->uid() == uid) return pod->node() != nullptr;
  }
  return false;
}

}  // namespace

std::optional<SelectedVictims> SelectVictims(const Profile& rules,
                                             const Profile& resources,
                                             ClusterState& cluster,
                                             const PodInfo& pod,
                                             std::string_view node_name,
                                             const SelectedVictims& victims) {
  const NodeInfo* const node = cluster.FindNode(node_name);
  if (node == nullptr) return std::nullopt;
  const std::int32_t priority = PodPriority(pod.pod);
  std::vector<Resident> residents = ResidentsOf(*node, priority, cluster);
  for (Resident& resident : residents) {
    resident.is_victim = std::ranges::count(victims.uids, resident.uid) > 0;
  }
  std::vector<std::string> gone;
  for (const std::string& uid : victims.uids) {
    if (std::ranges::count(residents, uid, &Resident::uid) > 0) continue;
    if (IsPlaced(cluster, uid)) return std::nullopt;
    gone.push_back(uid);
  }
  std::vector<bool> scheduler;
  for (const Resident& resident : residents) {
    scheduler.push_back(resident.is_victim);
  }

  const auto fits = [&](const Profile& profile) {
    return RunFilterPlugins(profile, cluster, pod, std::span(&node, 1))
        .statuses[0]
        .ok();
  };
  const auto has_room = [&] { return fits(resources); };
  const auto obeys_rules = [&] { return fits(rules); };
  const auto fits_all = [&] { return fits(resources) && fits(rules); };
  std::optional<std::vector<bool>> goes;
  // Violations by victims that are gone already, or that stay whatever we find.
  std::int64_t violations = 0;
  // Also of the same budgets.
  const auto is_about_room = [&] {
    return gone.empty() &&
           std::ranges::count_if(residents,
                                 [](const Resident& resident) {
                                   return resident.is_victim &&
                                          resident.violates_budget;
                                 }) == victims.num_pdb_violations &&
           ChooseVictims(residents, priority, false, has_room, cluster) ==
               scheduler;
  };
  if (is_about_room()) {
    goes = ChooseVictims(residents, priority, false, fits_all, cluster);
  } else {
    {
      Removal removal(cluster);
      for (const Resident& resident : residents) {
        if (resident.is_victim) removal.Remove(resident.key);
      }
      if (obeys_rules()) return victims;
    }
    goes = ChooseVictims(residents, priority, true, obeys_rules, cluster);
    violations = victims.num_pdb_violations;
    for (Resident& resident : residents) {
      if (resident.is_victim) resident.violates_budget = false;
    }
  }
  if (!goes) return std::nullopt;
  if (*goes == scheduler) return victims;
  SelectedVictims selected{{}, violations};
  for (std::size_t i = 0; i < residents.size(); ++i) {
    if (!(*goes)[i]) continue;
    if (residents[i].violates_budget) ++selected.num_pdb_violations;
    selected.uids.push_back(std::move(residents[i].uid));
  }
  selected.uids.insert(selected.uids.end(), gone.begin(), gone.end());
  return selected;
}

}  // namespace vicinal
