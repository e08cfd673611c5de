#include "core/engine/preempt.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "core/engine/run_plugins.h"
#include "core/index/node_info.h"
#include "core/index/stored_pod.h"

namespace vicinal {
namespace {

// A pod on the node, apart from the cluster, which may lose it.
struct Resident {
  ObjectKey key;
  std::string uid;
  std::int32_t priority = 0;
  std::int64_t start_time = 0;
  bool is_victim = false;
};

// util.MoreImportantPod. A pod that has not started counts as started now.
bool MoreImportant(const Resident& a, const Resident& b) {
  return std::tuple(-std::int64_t{a.priority}, a.start_time) <
         std::tuple(-std::int64_t{b.priority}, b.start_time);
}

std::vector<Resident> ResidentsOf(const NodeInfo& node,
                                  const std::vector<std::string>& victims) {
  const std::set<std::string_view> uids(victims.begin(), victims.end());
  std::vector<Resident> residents;
  for (const StoredPod* pod : node.pods) {
    residents.push_back(
        {{pod->namespace_name(), std::string(pod->name())},
         std::string(pod->uid()),
         pod->Priority(),
         pod->start_time().value_or(std::numeric_limits<std::int64_t>::max()),
         uids.contains(pod->uid())});
  }
  return residents;
}

// Pods taken out of a cluster for as long as this lives.
class Removal {
 public:
  explicit Removal(ClusterState& cluster) : cluster_(cluster) {}
  Removal(const Removal&) = delete;
  Removal& operator=(const Removal&) = delete;
  ~Removal() {
    for (auto& [key, pod] : removed_) cluster_.Upsert(std::move(pod));
  }

  void Remove(const ObjectKey& key) {
    removed_.emplace(key, cluster_.FindPod(key)->ToPod());
    cluster_.Remove<Pod>(key);
  }

  void PutBack(const ObjectKey& key) {
    cluster_.Upsert(std::move(removed_.extract(key).mapped()));
  }

 private:
  ClusterState& cluster_;
  std::map<ObjectKey, Pod> removed_;
};

}  // namespace

std::optional<std::vector<std::string>> SelectVictims(
    const Profile& profile, ClusterState& cluster, const PodInfo& pod,
    std::string_view node_name, const std::vector<std::string>& victims) {
  const NodeInfo* const node = cluster.FindNode(node_name);
  if (node == nullptr) return std::nullopt;
  const auto fits = [&] {
    return FilterOneNode(profile, cluster, pod, *node).ok();
  };

  std::vector<Resident> residents = ResidentsOf(*node, victims);
  Removal removal(cluster);
  for (const Resident& resident : residents) {
    if (resident.is_victim) removal.Remove(resident.key);
  }
  if (fits()) return victims;

  // As upstream: without all that may go, and then one after the other back,
  // the most important first, if the pod still fits.
  std::stable_sort(residents.begin(), residents.end(), MoreImportant);
  const std::int32_t priority = PodPriority(pod.pod);
  for (const Resident& resident : residents) {
    if (!resident.is_victim && resident.priority < priority) {
      removal.Remove(resident.key);
    }
  }
  if (!fits()) return std::nullopt;
  for (Resident& resident : residents) {
    if (resident.is_victim || resident.priority >= priority) continue;
    removal.PutBack(resident.key);
    if (fits()) continue;
    removal.Remove(resident.key);
    resident.is_victim = true;
  }

  std::vector<std::string> selected;
  for (Resident& resident : residents) {
    if (resident.is_victim) selected.push_back(std::move(resident.uid));
  }
  for (const std::string& uid : victims) {
    if (!std::ranges::count(selected, uid)) selected.push_back(uid);
  }
  return selected;
}

}  // namespace vicinal
