// Why PodTopologySpread refuses: which constraint, which domain, which counts.
#ifndef VICINAL_CORE_EXPLAIN_PODTOPOLOGYSPREAD_CAUSES_H_
#define VICINAL_CORE_EXPLAIN_PODTOPOLOGYSPREAD_CAUSES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "core/explain/cause_finder.h"
#include "core/explain/explanation.h"
#include "core/index/cluster_state.h"
#include "core/index/node_id.h"
#include "core/index/pod_info.h"
#include "core/plugins/podtopologyspread/constraint.h"
#include "core/plugins/podtopologyspread/podtopologyspread_args.h"

namespace vicinal {

class PodTopologySpreadCauses : public CauseFinder {
 public:
  // Cost: O(constraints × (nodes + pods of the cluster)).
  PodTopologySpreadCauses(const ClusterState& cluster, const PodInfo& pod,
                          const PodTopologySpreadArgs& args);

  std::vector<std::size_t> Find(const Refusal& refusal,
                                CauseList& causes) override;

  // How the matching pods are spread now, by each of the pod's constraints that
  // could be read, in the order of the manifest.
  std::vector<SpreadState> States() const;

 private:
  struct DomainPods {
    bool eligible = false;
    std::int64_t nodes = 0;
    std::vector<PodReference> pods;  // Matching, on eligible nodes.
  };

  struct Spread {
    SpreadConstraint constraint;
    std::string rule;
    bool hard = true;
    bool self_matches = false;
    absl::flat_hash_set<NodeId> counted;        // Nodes whose pods count.
    std::map<std::string, DomainPods> domains;  // By value.
  };

  void Add(const ClusterState& cluster, const PodTopologySpreadArgs& args,
           const char* action);
  void FindCountedNodes(const ClusterState& cluster);
  void Count(const ClusterState& cluster);
  static SkewNumbers NumbersOf(const Spread& spread);
  std::string Wants(const Spread& spread) const;

  const PodInfo& pod_;
  std::vector<Spread> spreads_;  // Hard ones first.
};

}  // namespace vicinal

#endif  // VICINAL_CORE_EXPLAIN_PODTOPOLOGYSPREAD_CAUSES_H_
