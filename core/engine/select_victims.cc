#include "core/engine/select_victims.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
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

// Whether the pod fits as the cluster is.
using Fits = std::function<bool()>;

// Upstream's choice: without all pods of lower priority, and then one after the
// other back, in the order of `residents`, if the pod still fits. With `keep`
// the victims do not come back. Who has to go, for each resident; nullopt if
// the pod does not fit all the same.
std::optional<std::vector<bool>> Choose(const std::vector<Resident>& residents,
                                        std::int32_t priority, bool keep,
                                        const Fits& fits,
                                        ClusterState& cluster) {
  Removal removal(cluster);
  std::vector<bool> goes(residents.size(), false);
  for (std::size_t i = 0; i < residents.size(); ++i) {
    const Resident& resident = residents[i];
    goes[i] = resident.priority < priority || (keep && resident.is_victim);
    if (goes[i]) removal.Remove(resident.key);
  }
  if (!fits()) return std::nullopt;
  for (std::size_t i = 0; i < residents.size(); ++i) {
    if (!goes[i] || (keep && residents[i].is_victim)) continue;
    removal.PutBack(residents[i].key);
    goes[i] = !fits();
    if (goes[i]) removal.Remove(residents[i].key);
  }
  return goes;
}

// Whether the pod is on a node.
bool IsPlaced(const ClusterState& cluster, std::string_view uid) {
  for (const ObjectKey& key : cluster.Keys<Pod>()) {
    const StoredPod* pod = cluster.FindPod(key);
    if (pod->uid() == uid) return pod->node() != nullptr;
  }
  return false;
}

}  // namespace

std::optional<std::vector<std::string>> SelectVictims(
    const Profile& rules, const Profile& resources, ClusterState& cluster,
    const PodInfo& pod, std::string_view node_name,
    const std::vector<std::string>& victims) {
  const NodeInfo* const node = cluster.FindNode(node_name);
  if (node == nullptr) return std::nullopt;
  std::vector<Resident> residents = ResidentsOf(*node, victims);
  std::ranges::stable_sort(residents, MoreImportant);
  std::vector<std::string> gone;
  for (const std::string& uid : victims) {
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
  const std::int32_t priority = PodPriority(pod.pod);
  std::optional<std::vector<bool>> goes;
  if (gone.empty() &&
      Choose(residents, priority, false, has_room, cluster) == scheduler) {
    goes = Choose(residents, priority, false, fits_all, cluster);
  } else {
    {
      Removal removal(cluster);
      for (const Resident& resident : residents) {
        if (resident.is_victim) removal.Remove(resident.key);
      }
      if (obeys_rules()) return victims;
    }
    goes = Choose(residents, priority, true, obeys_rules, cluster);
  }
  if (!goes) return std::nullopt;
  if (*goes == scheduler) return victims;
  std::vector<std::string> selected;
  for (std::size_t i = 0; i < residents.size(); ++i) {
    if ((*goes)[i]) selected.push_back(std::move(residents[i].uid));
  }
  selected.insert(selected.end(), gone.begin(), gone.end());
  return selected;
}

}  // namespace vicinal
