// Why NodeAffinity refuses: which requirement, and what the node has instead.
#ifndef VICINAL_CORE_EXPLAIN_NODEAFFINITY_CAUSES_H_
#define VICINAL_CORE_EXPLAIN_NODEAFFINITY_CAUSES_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/explain/cause_finder.h"
#include "core/explain/explanation.h"
#include "core/index/pod_info.h"
#include "core/model/node_selector.h"
#include "core/plugins/nodeaffinity/nodeaffinity_args.h"

namespace vicinal {

class NodeAffinityCauses : public CauseFinder {
 public:
  NodeAffinityCauses(const PodInfo& pod, const NodeAffinityArgs& args)
      : pod_(pod), args_(args) {}

  // Cost: O(requirements).
  std::vector<std::size_t> Find(const Refusal& refusal,
                                CauseList& causes) override;

 private:
  void FindInTerms(const NodeSelector& terms, std::string_view path,
                   std::string_view reason, const NodeInfo& node,
                   CauseList& causes, std::vector<std::size_t>& found);

  const PodInfo& pod_;
  const NodeAffinityArgs args_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_EXPLAIN_NODEAFFINITY_CAUSES_H_
