#include "server/metrics/refused_pods.h"

#include <functional>

namespace vicinal {

void RefusedPods::Count(std::string_view uid, Clock::time_point now) {
  metrics_.refusals().Increment();
  const std::size_t hash = std::hash<std::string_view>()(uid);
  const MutexLock lock(mutex_);
  if (now - begin_ >= std::chrono::minutes(1)) {
    seen_.clear();
    begin_ = now;
  }
  if (seen_.size() == kMaxPods) return;
  if (seen_.insert(hash).second) metrics_.refused_pods().Increment();
}

}  // namespace vicinal
