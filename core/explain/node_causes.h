// Why the plugins refuse that look at one thing of the node: its name, its
// cordon, its taints.
#ifndef VICINAL_CORE_EXPLAIN_NODE_CAUSES_H_
#define VICINAL_CORE_EXPLAIN_NODE_CAUSES_H_

#include <vector>

#include "core/explain/cause_finder.h"
#include "core/index/pod_info.h"

namespace vicinal {

class NodeNameCauses : public CauseFinder {
 public:
  explicit NodeNameCauses(const PodInfo& pod) : pod_(pod) {}
  std::vector<std::size_t> Find(const Refusal& refusal,
                                CauseList& causes) override;

 private:
  const PodInfo& pod_;
};

class NodeUnschedulableCauses : public CauseFinder {
 public:
  std::vector<std::size_t> Find(const Refusal& refusal,
                                CauseList& causes) override;
};

class TaintTolerationCauses : public CauseFinder {
 public:
  // `taint_comparisons`: as KubernetesRelease's.
  TaintTolerationCauses(const PodInfo& pod, bool taint_comparisons)
      : pod_(pod), taint_comparisons_(taint_comparisons) {}
  std::vector<std::size_t> Find(const Refusal& refusal,
                                CauseList& causes) override;

 private:
  const PodInfo& pod_;
  const bool taint_comparisons_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_EXPLAIN_NODE_CAUSES_H_
