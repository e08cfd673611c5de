#include "server/state/lead_check.h"

#include "absl/strings/str_cat.h"

namespace vicinal {
namespace {

std::int64_t Seconds(LeadCheck::Clock::duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

}  // namespace

void LeadCheck::OnBinding(bool forbidden, Clock::time_point now) {
  const MutexLock lock(mutex_);
  if (!forbidden) {
    forbidden_since_.reset();
    return;
  }
  if (!forbidden_since_) forbidden_since_ = now;
  last_forbidden_ = now;
}

absl::Status LeadCheck::Check(Clock::time_point now) {
  const absl::Status fresh = freshness_.Check(now);
  const MutexLock lock(mutex_);
  if (fresh.ok()) {
    was_fresh_ = true;
    stale_since_.reset();
  } else {
    if (!stale_since_) stale_since_ = now;
    const auto limit = was_fresh_ ? options_.max_unable : options_.max_startup;
    if (now - *stale_since_ >= limit) {
      return absl::UnavailableError(absl::StrCat("no answers for ",
                                                 Seconds(now - *stale_since_),
                                                 " s: ", fresh.message()));
    }
  }
  if (forbidden_since_ && now - last_forbidden_ >= options_.forget_forbidden) {
    forbidden_since_.reset();
  }
  if (forbidden_since_ && now - *forbidden_since_ >= options_.max_unable) {
    return absl::UnavailableError(
        absl::StrCat("bindings have been forbidden for ",
                     Seconds(now - *forbidden_since_), " s"));
  }
  return absl::OkStatus();
}

}  // namespace vicinal
