// Rescue by nomination: places pods that the scheduler gives up although a node
// would do.
//
// In clusters of 100 nodes and more the scheduler offers an extender only a
// sample of the nodes that pass its own filters. A pod that fits none of them
// is declared unschedulable, and is looked at again when something in the
// cluster changes, be it after minutes. If it fits a node outside the sample,
// the rescuer writes that node into the pod's status.nominatedNodeName. The
// scheduler takes that for a change of the pod, queues it again, and tries the
// nominated node before all others.
//
//                     fits a node: written
//   ( ) ──> undecided ────────────────────> nominated ──> ( ) bound
//                ^                             │   │
//                └─────────────────────────────┘   └──> ( ) deleted, no attempt
//                  tried there and failed, or
//                  the nomination was cleared
//
// A rescue starts with the first nomination. It succeeds when the pod is bound;
// it is abandoned when the pod is deleted, fits no node any more, has been
// nominated too often, or is not tried again. As long as a pod is being
// rescued, nobody is to be evicted for it.
//
// The nomination is written before the scheduler gets its answer. It makes
// another attempt at once, because it takes its own write of the failure into
// the pod's status for a change of the pod, and that attempt is to know of the
// nomination. The scheduler's write may clear a nomination that it has seen by
// then. That write and the next attempt are in a race: of twenty rescues one
// (on a slow machine) to eight (on a fast one) lose their nomination before the
// attempt, which fails then, and the nomination is written again for the one
// after it. Writing later does not help: the attempt then wins against the
// nomination as often. What helps is an error for an answer: a pod whose
// attempt ended with one is tried again only after the scheduler's backoff, by
// when the nomination stands for certain; see
// RescuerOptions::retry_after_backoff.
//
// Source: schedulePod, evaluateNominatedNode and handleSchedulingFailure in
// pkg/scheduler/schedule_one.go, isPodWorthRequeuing in
// pkg/scheduler/backend/queue/scheduling_queue.go.
#ifndef VICINAL_SERVER_STATE_RESCUE_RESCUER_H_
#define VICINAL_SERVER_STATE_RESCUE_RESCUER_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "core/engine/profile.h"
#include "core/index/cluster_state.h"
#include "core/model/pod.h"
#include "core/sync/mutex.h"
#include "server/metrics/metrics.h"
#include "server/state/cluster_store.h"

namespace vicinal {

struct RescuerOptions {
  // A question about fewer nodes than this is not about a sample
  // (minFeasibleNodesToFind in pkg/scheduler/schedule_one.go): the other nodes
  // did not pass the scheduler's filters, or it asks about a nominated node
  // only.
  std::size_t min_sample = 100;
  // A nomination that the pod does not show after this counts as cleared.
  std::chrono::milliseconds visible_after{250};
  // Without an attempt for so long after a nomination the rescue is abandoned;
  // the scheduler gives every pod another one in that time
  // (DefaultPodMaxInUnschedulablePodsDuration).
  std::chrono::milliseconds attempt_timeout{300'000};
  // Nominations of one rescue. The scheduler may have reasons against a node
  // that are not known here, such as volumes.
  int max_nominations = 5;
  // How long OnNothingFits waits at most.
  std::chrono::milliseconds max_wait{100};
  // How long a pod that was nominated that often is left alone.
  std::chrono::milliseconds rest{60'000};
  // Pods that are looked after at a time; others are left to the scheduler.
  std::size_t max_pods = 1000;
  // How long the API server may take to show a pod that was asked about.
  std::chrono::milliseconds unseen{2000};
  // How often pods under rescue are looked at.
  std::chrono::milliseconds interval{10};
  // Trades time for certainty: two attempts for each rescued pod, and a second
  // (podInitialBackoffSeconds) between them; else two or three, at once.
  bool retry_after_backoff = false;
};

// Thread-safe. Has a thread of its own, which is idle while there is nothing to
// rescue.
class Rescuer {
 public:
  // Writes the nominated node of a pod, "" to clear it. Called on the rescuer's
  // thread, and must not take longer than it may take to stop.
  using Nominate =
      std::function<absl::Status(const Pod& pod, const std::string& node)>;

  // The profile of a pod, with all filters and scores that the scheduler has as
  // far as there are any; null for a pod that is not to be rescued.
  using ProfileOf = std::function<const Profile*(const Pod& pod)>;

  // The store, the metrics and the profiles must outlive the rescuer.
  Rescuer(const ClusterStore& store, Metrics& metrics, ProfileOf profile_of,
          Nominate nominate, const RescuerOptions& options = {});
  // Leaves what is under way as it is, and joins the thread.
  ~Rescuer();

  // filter was asked about `offered` nodes and none of them fits; not answered
  // yet. Returns once the pod is nominated, or found to fit no node at all, or
  // after RescuerOptions::max_wait. Error: the answer has to be this one
  // instead (RescuerOptions::retry_after_backoff). Cost: nothing for less than
  // a sample or a pod without a uid; else that of the filters and scores over
  // all nodes, and of a write to the API server.
  absl::Status OnNothingFits(const Pod& pod, std::size_t offered);

  // The scheduler wants to evict pods for `pod`, so an attempt has failed.
  // Whether it is being rescued, and nobody is to be evicted. Cost: nothing for
  // a pod that is not; else that of the filters over all nodes.
  bool OnPreemption(const Pod& pod);

 private:
  using Clock = std::chrono::steady_clock;

  enum class State { kUndecided, kNominated, kAbandoned, kResting };

  struct Rescue {
    Pod pod;  // As the scheduler asked about it.
    Clock::time_point asked = Clock::now();
    State state = State::kUndecided;
    // When to attend to it if it is undecided or resting; when an attempt must
    // have come if it is nominated.
    Clock::time_point due;
    bool seen = false;      // The store has had the pod.
    std::string nominated;  // The node that was written last.
    bool confirmed = false;
    Clock::time_point nominated_at;
    std::set<std::string> tried;  // All nodes that were written.
    int nominations = 0;
    bool writing = false;  // The nomination is on its way.
    bool started = false;  // And counted.
    std::string why;       // It was abandoned.
  };

  // What the store has of a pod.
  struct Observed {
    bool bound = false;
    std::string nominated;
    Pod pod;
  };

  void Run();
  // Does what is due for one pod. Those that take the lock let it go while the
  // cluster is searched or the API server spoken to.
  void Attend(const ObjectKey& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NominateBest(const ObjectKey& key, Rescue& rescue)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void AttendNominated(Rescue& rescue, const Observed& observed);
  void Finish(const ObjectKey& key, Rescue& rescue)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void Abandon(Rescue& rescue, std::string why);
  // An attempt has failed. Whether the pod is to be rescued still.
  static bool Renew(Rescue& rescue, const Pod& pod);
  // The rescue of this very pod, or null.
  Rescue* Find(const Pod& pod) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether its attempt waits for the thread.
  bool IsUnderWay(const Pod& pod) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Absent if the store does not have this very pod.
  std::optional<Observed> Observe(const Pod& pod) const;
  // Whether any node of the cluster would take the pod.
  bool FitsSomewhere(const Pod& pod) const;
  // The best node that is not in `avoided` or, if it fits no other, that is;
  // "" if it fits none.
  std::string BestNode(const Pod& pod, const std::set<std::string>& avoided);

  const ClusterStore& store_;
  Metrics& metrics_;
  const ProfileOf profile_of_;
  const Nominate nominate_;
  const RescuerOptions options_;
  std::mt19937_64 random_;  // Used by the thread only.

  Mutex mutex_;
  CondVar changed_;   // There is something to do.
  CondVar attended_;  // Something has been done.
  std::map<ObjectKey, Rescue> rescues_ ABSL_GUARDED_BY(mutex_);
  // Since the thread last looked.
  bool asked_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_RESCUE_RESCUER_H_
