// Explains pods on the cluster that the scheduler's questions are answered
// from.
#ifndef VICINAL_SERVER_COMMANDS_EXPLAIN_LIVE_EXPLAINER_H_
#define VICINAL_SERVER_COMMANDS_EXPLAIN_LIVE_EXPLAINER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/index/cluster_state.h"
#include "core/model/pod.h"
#include "server/commands/explain/explanation_report.h"
#include "server/scheduler_config/scheduler_profiles.h"
#include "server/state/cluster_store.h"
#include "server/state/freshness.h"

namespace vicinal {

// Thread-safe. What it says is what `vicinal explain` would say of the same
// cluster and manifest.
class LiveExplainer {
 public:
  struct Result {
    Answer answer;
    std::vector<std::string> warnings;
  };

  // All must outlive it.
  LiveExplainer(ClusterStore& store, const Freshness& freshness,
                const SchedulerProfiles& profiles)
      : store_(store), freshness_(freshness), profiles_(profiles) {}

  // Errors: Unavailable while the state is not fresh; InvalidArgument for a pod
  // of no profile; of ExplainKnown NotFound for a pod that is not known.
  //
  // The pod counts as one that is to be placed anew: if it is on a node, or
  // nominated for one, it is taken out of the store meanwhile, which is locked
  // for writing. Cost: that of core/explain's Explain.
  absl::StatusOr<Result> Explain(Pod pod) const;
  absl::StatusOr<Result> ExplainKnown(const ObjectKey& key) const;

 private:
  ClusterStore& store_;
  const Freshness& freshness_;
  const SchedulerProfiles& profiles_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_EXPLAIN_LIVE_EXPLAINER_H_
