#include "core/explain/victims.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "core/engine/run_plugins.h"

namespace vicinal {
namespace {

// Source: MoreImportantPod in pkg/scheduler/util/utils.go.
bool IsMoreImportant(const Pod& a, const Pod& b) {
  if (PodPriority(a) != PodPriority(b)) return PodPriority(a) > PodPriority(b);
  constexpr std::int64_t kNow = std::numeric_limits<std::int64_t>::max();
  return a.status.start_time.value_or(kNow) <
         b.status.start_time.value_or(kNow);
}

bool Fits(const Profile& filters, const ClusterState& cluster,
          const PodInfo& pod, const std::string& node) {
  return FilterOneNode(filters, cluster, pod, *cluster.FindNode(node)).ok();
}

// All go, and come back one after the other if the pod still fits.
std::optional<Victims> OnNode(const Profile& filters, const PodInfo& pod,
                              const std::string& node, ClusterState& cluster) {
  std::vector<Pod> lower;
  for (const StoredPod* known : cluster.FindNode(node)->pods) {
    if (known->Priority() < PodPriority(pod.pod)) {
      lower.push_back(known->ToPod());
    }
  }
  if (lower.empty()) return std::nullopt;
  std::ranges::stable_sort(lower, IsMoreImportant);
  for (const Pod& one : lower) cluster.Remove<Pod>(KeyOf(one.meta));
  std::optional<Victims> victims;
  if (Fits(filters, cluster, pod, node)) {
    victims.emplace();
    victims->node = node;
    for (const Pod& one : lower) {
      const ObjectKey key = KeyOf(one.meta);
      cluster.Upsert(one);
      if (Fits(filters, cluster, pod, node)) continue;
      cluster.Remove<Pod>(key);
      victims->pods.push_back({key, node, false});
    }
    if (victims->pods.empty()) victims.reset();
  }
  for (Pod& one : lower) cluster.Upsert(std::move(one));
  return victims;
}

}  // namespace

std::optional<Victims> FindVictims(const Profile& filters, const PodInfo& pod,
                                   const Explanation& explanation,
                                   ClusterState& cluster,
                                   std::size_t max_nodes) {
  std::optional<Victims> best;
  std::tuple<std::int64_t, std::int64_t, std::size_t> least;
  std::size_t looked_at = 0;
  for (const NodeExplanation& node : explanation.nodes) {
    // What the removal of pods cannot help.
    if (node.status.code() != Code::kUnschedulable) continue;
    if (looked_at++ == max_nodes) break;
    std::optional<Victims> found = OnNode(filters, pod, node.name, cluster);
    if (!found) continue;
    std::int64_t sum = 0;
    std::int64_t highest = std::numeric_limits<std::int32_t>::min();
    for (const PodReference& victim : found->pods) {
      const std::int64_t priority = cluster.FindPod(victim.key)->Priority();
      highest = std::max(highest, priority);
      sum += priority - std::numeric_limits<std::int32_t>::min();
    }
    const std::tuple cost{highest, sum, found->pods.size()};
    if (best && least <= cost) continue;
    least = cost;
    found->highest_priority = static_cast<std::int32_t>(highest);
    best = std::move(found);
  }
  return best;
}

}  // namespace vicinal
