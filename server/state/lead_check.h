// Whether the scheduler beside vicinal ought to lead: not if vicinal has been
// unable to answer for a while, since another replica may be able to.
#ifndef VICINAL_SERVER_STATE_LEAD_CHECK_H_
#define VICINAL_SERVER_STATE_LEAD_CHECK_H_

#include <chrono>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "core/sync/mutex.h"
#include "server/state/freshness.h"

namespace vicinal {

// Thread-safe.
class LeadCheck {
 public:
  using Clock = Freshness::Clock;

  struct Options {
    // How long questions may be refused for want of freshness, or bindings for
    // want of rights.
    std::chrono::seconds max_unable{10};
    // The same until the first lists are complete.
    std::chrono::seconds max_startup{300};
    // For how long a binding that was forbidden is remembered: a scheduler that
    // does not lead binds nothing that could show the rights to be back.
    std::chrono::seconds forget_forbidden{60};
  };

  // The freshness must outlive it.
  LeadCheck(const Freshness& freshness, const Options& options)
      : freshness_(freshness), options_(options) {}

  // How a binding ended: by 401 or 403 because vicinal has no right to write
  // it, or in any other way.
  void OnBinding(bool forbidden, Clock::time_point now);

  // OK, or Unavailable with the reason. To be asked every few seconds: what is
  // refused counts from the first time it is asked.
  absl::Status Check(Clock::time_point now);

 private:
  const Freshness& freshness_;
  const Options options_;
  Mutex mutex_;
  bool was_fresh_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<Clock::time_point> stale_since_ ABSL_GUARDED_BY(mutex_);
  std::optional<Clock::time_point> forbidden_since_ ABSL_GUARDED_BY(mutex_);
  Clock::time_point last_forbidden_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_LEAD_CHECK_H_
