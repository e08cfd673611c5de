#include "core/engine/choose_victims.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>

#include "core/engine/violated_budgets.h"
#include "core/index/stored_pod.h"

namespace vicinal {
namespace {

bool MoreImportant(const Resident& a, const Resident& b) {
  return std::tuple(-std::int64_t{a.priority}, a.start_time) <
         std::tuple(-std::int64_t{b.priority}, b.start_time);
}

}  // namespace

std::vector<Resident> ResidentsOf(const NodeInfo& node, std::int32_t priority,
                                  const ClusterState& cluster) {
  std::vector<Resident> residents;
  for (const StoredPod* pod : node.pods) {
    residents.push_back(
        {{pod->namespace_name(), std::string(pod->name())},
         std::string(pod->uid()),
         pod->Priority(),
         pod->start_time().value_or(std::numeric_limits<std::int64_t>::max())});
  }
  std::ranges::stable_sort(residents, MoreImportant);
  std::vector<ObjectKey> may_go;
  for (const Resident& resident : residents) {
    if (resident.priority < priority) may_go.push_back(resident.key);
  }
  // They are the last ones.
  const std::vector<bool> violates = ViolatesBudgets(may_go, cluster);
  const std::size_t stay = residents.size() - may_go.size();
  for (std::size_t i = 0; i < violates.size(); ++i) {
    residents[stay + i].violates_budget = violates[i];
  }
  return residents;
}

Removal::~Removal() {
  for (auto& [key, pod] : removed_) cluster_.Upsert(std::move(pod));
}

void Removal::Remove(const ObjectKey& key) {
  removed_.emplace(key, cluster_.FindPod(key)->ToPod());
  cluster_.Remove<Pod>(key);
}

void Removal::PutBack(const ObjectKey& key) {
  cluster_.Upsert(std::move(removed_.extract(key).mapped()));
}

std::optional<std::vector<bool>> ChooseVictims(
    const std::vector<Resident>& residents, std::int32_t priority, bool keep,
    const std::function<bool()>& fits, ClusterState& cluster) {
  Removal removal(cluster);
  std::vector<bool> goes(residents.size(), false);
  for (std::size_t i = 0; i < residents.size(); ++i) {
    const Resident& resident = residents[i];
    goes[i] = resident.priority < priority || (keep && resident.is_victim);
    if (goes[i]) removal.Remove(resident.key);
  }
  if (!fits()) return std::nullopt;
  for (const bool violating : {true, false}) {
    for (std::size_t i = 0; i < residents.size(); ++i) {
      if (!goes[i] || residents[i].violates_budget != violating) continue;
      if (keep && residents[i].is_victim) continue;
      removal.PutBack(residents[i].key);
      goes[i] = !fits();
      if (goes[i]) removal.Remove(residents[i].key);
    }
  }
  return goes;
}

}  // namespace vicinal
