// How often the scheduler asks about a pod that fits nowhere.
#ifndef VICINAL_SERVER_METRICS_REFUSED_PODS_H_
#define VICINAL_SERVER_METRICS_REFUSED_PODS_H_

#include <chrono>
#include <cstddef>
#include <string_view>
#include <unordered_set>

#include "absl/base/thread_annotations.h"
#include "core/sync/mutex.h"
#include "server/metrics/metrics.h"

namespace vicinal {

// Counts refusals, and apart from them each pod once in each minute in which it
// is refused. The quotient is how often a pending pod is tried in a minute.
// Thread-safe.
class RefusedPods {
 public:
  using Clock = std::chrono::steady_clock;

  // Pods of one minute that are told apart; more of them count as refusals
  // only. Bounds the memory.
  static constexpr std::size_t kMaxPods = 65536;

  // The metrics must outlive it.
  explicit RefusedPods(Metrics& metrics) : metrics_(metrics) {}

  // No node was answered for the pod of this uid. Cost: O(1).
  void Count(std::string_view uid, Clock::time_point now);

 private:
  Metrics& metrics_;
  Mutex mutex_;
  // Hashes of uids.
  std::unordered_set<std::size_t> seen_ ABSL_GUARDED_BY(mutex_);
  // Of the minute.
  Clock::time_point begin_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_METRICS_REFUSED_PODS_H_
