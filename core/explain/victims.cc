#include "core/explain/victims.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>

#include "core/engine/choose_victims.h"
#include "core/engine/run_plugins.h"
#include "core/index/node_info.h"

namespace vicinal {
namespace {

std::optional<Victims> OnNode(const Profile& filters, const PodInfo& pod,
                              const std::string& name, ClusterState& cluster) {
  const NodeInfo& node = *cluster.FindNode(name);
  const std::int32_t priority = PodPriority(pod.pod);
  const std::vector<Resident> residents = ResidentsOf(node, priority, cluster);
  const auto fits = [&] {
    return FilterOneNode(filters, cluster, pod, node).ok();
  };
  const std::optional<std::vector<bool>> goes =
      ChooseVictims(residents, priority, false, fits, cluster);
  if (!goes) return std::nullopt;
  Victims victims;
  victims.node = name;
  for (std::size_t i = 0; i < residents.size(); ++i) {
    if (!(*goes)[i]) continue;
    victims.pods.push_back({residents[i].key, name, false});
    if (residents[i].violates_budget) ++victims.violations;
  }
  if (victims.pods.empty()) return std::nullopt;
  return victims;
}

}  // namespace

std::optional<Victims> FindVictims(const Profile& filters, const PodInfo& pod,
                                   const Explanation& explanation,
                                   ClusterState& cluster,
                                   std::size_t max_nodes) {
  std::optional<Victims> best;
  std::tuple<std::size_t, std::int64_t, std::int64_t, std::size_t> least;
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
    const std::tuple cost{found->violations, highest, sum, found->pods.size()};
    if (best && least <= cost) continue;
    least = cost;
    found->highest_priority = static_cast<std::int32_t>(highest);
    best = std::move(found);
  }
  return best;
}

}  // namespace vicinal
