// Carries a plan out on a live cluster.
#ifndef VICINAL_SERVER_COMMANDS_DESCHEDULE_PASS_H_
#define VICINAL_SERVER_COMMANDS_DESCHEDULE_PASS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/deschedule/plan.h"
#include "core/deschedule/policy.h"
#include "core/engine/profile.h"
#include "core/model/kubernetes_release.h"
#include "server/commands/deschedule/deschedule_cluster.h"
#include "server/commands/deschedule/deschedule_metrics.h"
#include "server/commands/deschedule/evictor.h"
#include "server/commands/deschedule/stop.h"

namespace vicinal {

struct PassOptions {
  Policy policy;
  KubernetesRelease release;  // Of the scheduler.
  // Between two evictions.
  std::chrono::milliseconds eviction_interval{1000};
  // A plan is made anew when it is older than this and than twice the time that
  // making it took.
  std::chrono::milliseconds max_plan_age{500};
  // So long the other pods of an evicted pod's owner are left alone, unless its
  // replacement is on a node before.
  std::chrono::milliseconds settle_timeout{300'000};
};

// What a pass has done.
struct PassResult {
  Plan plan;  // The first one.
  std::vector<PlannedEviction> evicted;
  // Evictions that were tried in vain, and why.
  std::vector<KeptPod> not_evicted;
};

// Passes one after the other, with a memory of the evicted pods. Each pass:
// reads the cluster, plans, and evicts one pod after the other. When one cannot
// be evicted, the rest of the plan may not make sense any more: then, and when
// the plan gets old, the cluster is read again and another plan is made,
// without the pods that could not be evicted, up to kMaxPlans times. The limits
// of the policy are for the whole pass. Not thread-safe.
class DescheduleLoop {
 public:
  static constexpr int kMaxPlans = 1000;

  // Reads the cluster as it is now: the pods in `evicted`, whose eviction the
  // API server has accepted, are terminating or gone, unless they had finished.
  // kCancelled: it is to stop.
  using Read = std::function<absl::Status(
      const std::vector<PlannedEviction>& evicted, DescheduleCluster&)>;
  // Whether evictions may go on: false when the lease is lost.
  using MayEvict = std::function<bool()>;

  // All must outlive this.
  DescheduleLoop(const Profile& profile, PassOptions options, Read read,
                 Evictor& evictor, DescheduleMetrics& metrics, const Stop& stop,
                 MayEvict may_evict)
      : profile_(profile),
        options_(std::move(options)),
        read_(std::move(read)),
        evictor_(evictor),
        metrics_(metrics),
        stop_(stop),
        may_evict_(std::move(may_evict)) {}

  // Makes one pass. Ends early, with what was done so far, when it is to stop,
  // or may not evict any more. Errors: the cluster cannot be read, or the API
  // server cannot be reached; `result` then has what was done before.
  absl::Status Run(PassResult& result);

  // Reads and plans only.
  absl::Status DryRun(PassResult& result);

 private:
  using Clock = std::chrono::steady_clock;

  // Of an owner whose pods are left alone.
  struct Unsettled {
    std::set<std::string> evicted;  // uids
    std::int64_t placed = 0;        // Pods on a node before the first of them.
    Clock::time_point until;
  };

  absl::Status MakePlanNow(const PassResult& result, Plan& plan);
  void LookAtOwners(ClusterState& cluster);

  const Profile& profile_;
  const PassOptions options_;
  const Read read_;
  Evictor& evictor_;
  DescheduleMetrics& metrics_;
  const Stop& stop_;
  const MayEvict may_evict_;
  std::map<std::string, Unsettled> unsettled_;  // By owner.
  // Of the cluster as it was last read.
  std::map<std::string, std::int64_t> placed_;  // Pods on a node, by owner.
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_DESCHEDULE_PASS_H_
