#include "core/plugins/tainttoleration/tainttoleration.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "core/model/taint.h"

namespace vicinal {
namespace {

class TaintTolerationFilter : public PreparedFilter {
 public:
  TaintTolerationFilter(const std::vector<Toleration>& tolerations,
                        bool taint_comparisons)
      : tolerations_(tolerations), taint_comparisons_(taint_comparisons) {}

  Status Filter(const NodeInfo& node) const override {
    if (FindUntoleratedDoNotScheduleTaint(node.node->taints, tolerations_,
                                          taint_comparisons_) == nullptr) {
      return Status();
    }
    return Status(Code::kUnschedulableAndUnresolvable,
                  TaintToleration::kReason);
  }

 private:
  const std::vector<Toleration>& tolerations_;
  const bool taint_comparisons_;
};

class TaintTolerationScore : public PreparedScore {
 public:
  TaintTolerationScore(std::vector<Toleration> tolerations,
                       bool taint_comparisons)
      : tolerations_(std::move(tolerations)),
        taint_comparisons_(taint_comparisons) {}

  std::int64_t Score(const NodeInfo& node) const override {
    return std::count_if(node.node->taints.begin(), node.node->taints.end(),
                         [this](const Taint& taint) {
                           return taint.effect == kPreferNoSchedule &&
                                  !Tolerate(tolerations_, taint,
                                            taint_comparisons_);
                         });
  }

  void Normalize(const CandidateNodes& /*nodes*/,
                 std::span<std::int64_t> scores) const override {
    DefaultNormalizeScore(true, scores);
  }

 private:
  const std::vector<Toleration> tolerations_;
  const bool taint_comparisons_;
};

}  // namespace

PreFilterResult TaintToleration::PreFilter(const ClusterState& cluster,
                                           const PodInfo& pod) const {
  PreFilterResult result;
  result.filter = std::make_unique<TaintTolerationFilter>(
      pod.pod.spec.tolerations, cluster.release().taint_comparisons);
  return result;
}

PreScoreResult TaintToleration::PreScore(
    const ClusterState& cluster, const PodInfo& pod,
    const CandidateNodes& /*nodes*/) const {
  std::vector<Toleration> tolerations;
  std::copy_if(pod.pod.spec.tolerations.begin(), pod.pod.spec.tolerations.end(),
               std::back_inserter(tolerations),
               [](const Toleration& toleration) {
                 return toleration.effect.empty() ||
                        toleration.effect == kPreferNoSchedule;
               });
  PreScoreResult result;
  result.score = std::make_unique<TaintTolerationScore>(
      std::move(tolerations), cluster.release().taint_comparisons);
  return result;
}

}  // namespace vicinal
