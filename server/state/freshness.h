// Whether what vicinal knows is recent enough to answer from.
//
//                 OnListed             OnDisconnected
//   not listed ─────────────> current ────────────────> disconnected
//                                ^                          │
//                                └──────── OnConnected ─────┘
//
// Questions are refused while a resource is not listed, and once it has been
// disconnected for longer than a bound: an error is better than a placement on
// stale knowledge.
#ifndef VICINAL_SERVER_STATE_FRESHNESS_H_
#define VICINAL_SERVER_STATE_FRESHNESS_H_

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "core/sync/mutex.h"

namespace vicinal {

// Thread-safe.
class Freshness {
 public:
  using Clock = std::chrono::steady_clock;

  // Without resources it is always fresh.
  Freshness(const std::vector<std::string>& resources,
            std::chrono::seconds max_outage);

  // `resource` is one of those given to the constructor.
  void OnListed(const std::string& resource);
  void OnConnected(const std::string& resource);
  // Nothing has come since `since`. Calls after the first keep its time.
  void OnDisconnected(const std::string& resource, Clock::time_point since);

  // How long each resource has been disconnected; 0 if it is connected, or was
  // never listed. Cost: O(resources).
  std::map<std::string, Clock::duration> Outages(Clock::time_point now) const;

  std::chrono::seconds max_outage() const { return max_outage_; }

  // OK, or Unavailable with a message that names each resource and why it is
  // not fresh. Cost: O(resources).
  absl::Status Check(Clock::time_point now) const;

 private:
  struct Resource {
    bool listed = false;
    std::optional<Clock::time_point> disconnected_since;
  };

  const std::chrono::seconds max_outage_;
  mutable Mutex mutex_;
  std::map<std::string, Resource> resources_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_FRESHNESS_H_
