// Explains pods on the cluster that the scheduler's questions are answered
// from.
#ifndef VICINAL_SERVER_COMMANDS_EXPLAIN_LIVE_EXPLAINER_H_
#define VICINAL_SERVER_COMMANDS_EXPLAIN_LIVE_EXPLAINER_H_

#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "core/index/cluster_state.h"
#include "core/model/pod.h"
#include "core/sync/mutex.h"
#include "server/commands/explain/explanation_report.h"
#include "server/scheduler_config/scheduler_profiles.h"
#include "server/state/cluster_store.h"
#include "server/state/freshness.h"

namespace vicinal {

// Thread-safe. What it says is what `vicinal explain` would say of the same
// cluster and manifest, but for what changes while it copies the cluster.
class LiveExplainer {
 public:
  struct Result {
    Answer answer;
    std::vector<std::string> warnings;
  };

  // All must outlive it.
  LiveExplainer(const ClusterStore& store, const Freshness& freshness,
                const SchedulerProfiles& profiles)
      : store_(store), freshness_(freshness), profiles_(profiles) {}

  // Errors: Unavailable while the state is not fresh; InvalidArgument for a pod
  // of no profile; of ExplainKnown NotFound for a pod that is not known;
  // ResourceExhausted if too many wait for an explanation already.
  //
  // The pod counts as one that is to be placed anew, wherever it is. It is
  // explained on a copy of the cluster without it, so that the questions of the
  // scheduler go on meanwhile; one at a time, others wait. Cost: that of
  // CopyInParts and of core/explain's Explain.
  absl::StatusOr<Result> Explain(Pod pod) const;
  absl::StatusOr<Result> ExplainKnown(const ObjectKey& key) const;

 private:
  // Beside the one that is made.
  static constexpr int kMaxWaiting = 8;

  class Turn;
  bool BeginTurn() const;
  void EndTurn() const;

  const ClusterStore& store_;
  const Freshness& freshness_;
  const SchedulerProfiles& profiles_;
  mutable Mutex mutex_;
  mutable CondVar free_;
  mutable bool busy_ ABSL_GUARDED_BY(mutex_) = false;
  mutable int asked_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_EXPLAIN_LIVE_EXPLAINER_H_
