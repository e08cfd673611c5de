// Finds out what is behind a plugin's refusal.
#ifndef VICINAL_CORE_EXPLAIN_CAUSE_FINDER_H_
#define VICINAL_CORE_EXPLAIN_CAUSE_FINDER_H_

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/explain/explanation.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/status.h"

namespace vicinal {

// The distinct causes of an explanation.
class CauseList {
 public:
  // The index of the cause with that key, which `make() -> Cause` makes when it
  // is asked for first. Keys begin with the name of the plugin.
  template <typename Make>
  std::size_t FindOrAdd(std::string key, Make&& make) {
    const auto [it, is_new] =
        indices_.try_emplace(std::move(key), causes_.size());
    if (is_new) causes_.push_back(std::forward<Make>(make)());
    return it->second;
  }

  std::vector<Cause> Take() && { return std::move(causes_); }

 private:
  std::vector<Cause> causes_;
  absl::flat_hash_map<std::string, std::size_t> indices_;
};

// A refusal: what a plugin said about the pod on a node.
struct Refusal {
  const NodeInfo& node;
  const Status& status;
  // Nominated pods that counted as running on the node.
  std::span<const PodInfo* const> nominated;
};

// Made for one plugin, one cluster and one pod, which it refers to.
class CauseFinder {
 public:
  virtual ~CauseFinder() = default;

  // Adds the causes of a refusal to `causes` and returns their indices, in the
  // order in which the plugin looks at them; none if it finds none.
  virtual std::vector<std::size_t> Find(const Refusal& refusal,
                                        CauseList& causes) = 0;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_EXPLAIN_CAUSE_FINDER_H_
