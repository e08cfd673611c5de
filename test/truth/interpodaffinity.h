// InterPodAffinity, deliberately naive: walks all pods for each question. What
// the index answers is compared with it.
#ifndef VICINAL_TEST_TRUTH_INTERPODAFFINITY_H_
#define VICINAL_TEST_TRUTH_INTERPODAFFINITY_H_

#include <span>
#include <string_view>

#include "core/plugins/framework.h"
#include "core/plugins/interpodaffinity/interpodaffinity_args.h"

namespace vicinal::truth {

class InterPodAffinity : public FilterPlugin, public ScorePlugin {
 public:
  explicit InterPodAffinity(InterPodAffinityArgs args) : args_(args) {}

  std::string_view Name() const override;
  PreFilterResult PreFilter(const ClusterState& cluster,
                            const PodInfo& pod) const override;
  PreScoreResult PreScore(const ClusterState& cluster, const PodInfo& pod,
                          const CandidateNodes& nodes) const override;

 private:
  const InterPodAffinityArgs args_;
};

}  // namespace vicinal::truth

#endif  // VICINAL_TEST_TRUTH_INTERPODAFFINITY_H_
