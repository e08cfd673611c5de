// The best nodes for pods of which many are alike.
//
// A controller's pods come one after the other and ask the same question, while
// little changes in between. So what the plugins say of each node is kept for
// each template, and only nodes that have changed since then are asked about
// again. That is done for plugins to which nothing matters but the pod and the
// NodeInfo (PluginRow::node_local). Plugins that look at the whole cluster, and
// all normalization, run in full each time. A plugin that gives every node the
// same is left out: only which total is higher matters.
#ifndef VICINAL_CORE_ENGINE_TEMPLATE_RANKING_H_
#define VICINAL_CORE_ENGINE_TEMPLATE_RANKING_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <random>
#include <vector>

#include "core/engine/changed_nodes.h"
#include "core/engine/pre_filters.h"
#include "core/engine/profile.h"
#include "core/index/cluster_state.h"
#include "core/index/node_id.h"
#include "core/index/pod_info.h"
#include "core/model/pod.h"
#include "core/plugins/candidate_nodes.h"
#include "core/plugins/framework.h"
#include "core/plugins/status.h"

namespace vicinal {

// Not thread-safe.
class TemplateRanking {
 public:
  // So many templates are kept, those that were asked about last.
  static constexpr std::size_t kTemplates = 32;

  // As RankedNodes, with ids instead of positions.
  struct Ranked {
    Status status;
    std::vector<NodeId> best;
    std::size_t passed = 0;  // How many nodes pass the filters.
  };

  // All must outlive this. `changed` tells of each change of a NodeInfo of the
  // cluster before the next question.
  TemplateRanking(const Profile& profile, const ClusterState& cluster,
                  const ChangedNodes& changed)
      : profile_(profile), cluster_(cluster), changed_(changed) {}

  // The same as RankNodes over all nodes.
  //
  // Cost: O(templates) to find the template; for a node that is new to it or
  // has changed, what each plugin costs for a node; for all others two
  // additions, and the whole cost of the plugins that run in full. If PreFilter
  // leaves some nodes only, the cost is that of RankNodes for these. Memory:
  // for each template 8 bytes × nodes × (1 + score plugins that normalize).
  Ranked Rank(const PodInfo& pod, std::size_t limit, std::mt19937_64& random);

 private:
  enum class Fit : std::uint8_t { kUnknown, kFits, kRefused, kError };

  // The raw scores of a plugin that looks at one node, and normalizes.
  struct RawScores {
    std::vector<std::int64_t> by_node;  // By node id.
    std::size_t not_zero = 0;           // How many of them.
  };

  struct Template {
    Pod pod;                 // One of them.
    std::uint64_t seen = 0;  // Of the changes.
    std::vector<Fit> fits;   // By node id; what the kept filters say.
    // By node id: what the plugins that look at one node, and do not normalize,
    // add to the total.
    std::vector<std::int64_t> sums;
    // By the position in the profile, for those that normalize.
    std::vector<RawScores> raw;
  };

  // A score plugin that does not skip the pod.
  struct Prepared {
    std::size_t position;  // In the profile.
    std::unique_ptr<PreparedScore> score;
  };

  Template& TemplateOf(const Pod& pod);
  void ForgetChanged(Template& pods) const;
  // What the kept filters among `filters` say.
  static Fit Judge(const std::vector<NamedFilter>& filters,
                   const NodeInfo& node);
  // What the score plugins add up to for `nodes`, but for what is the same for
  // all of them. Says false if there is an error, or a score that there must
  // not be.
  bool Totals(Template& pods, const PodInfo& pod, const CandidateNodes& nodes,
              std::vector<std::int64_t>& totals) const;
  // Makes the kept scores of a node known. False if one must not be.
  bool Learn(Template& pods, const std::vector<Prepared>& kept,
             const NodeInfo& node) const;
  Ranked RankAmong(const PodInfo& pod, const CandidateNodes& nodes,
                   std::size_t limit, std::mt19937_64& random) const;

  const Profile& profile_;
  const ClusterState& cluster_;
  const ChangedNodes& changed_;
  std::list<Template> templates_;  // Those that were asked about last first.
};

}  // namespace vicinal

#endif  // VICINAL_CORE_ENGINE_TEMPLATE_RANKING_H_
