// Where a pod goes: what the scheduler decides in one scheduling cycle.
#ifndef VICINAL_CORE_SIMULATE_CHOOSER_H_
#define VICINAL_CORE_SIMULATE_CHOOSER_H_

#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include "core/engine/profile.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"

namespace vicinal {

struct Choice {
  const NodeInfo* node = nullptr;  // Null: it fits nowhere.
  std::string message;             // Then: why, in the scheduler's words.
};

// Filters and scores all nodes with a profile; of the best nodes each is as
// likely as the other, as upstream's selectHost has it.
// Not thread-safe: it draws random numbers.
class Chooser {
 public:
  // Two choosers with one seed choose alike. `profile` must outlive the
  // chooser.
  Chooser(const Profile& profile, std::uint64_t seed);

  // From now on this node is taken where it is among the best; empty: none is.
  void Prefer(std::string node) { preferred_ = std::move(node); }

  // Cost: that of the plugins over all nodes.
  Choice Choose(const ClusterState& cluster, const PodInfo& pod);

  const Profile& profile() const { return profile_; }

 private:
  const Profile& profile_;
  std::mt19937_64 random_;
  std::string preferred_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_CHOOSER_H_
