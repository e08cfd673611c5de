// Leader election by a Lease, so that of several replicas one works.
#ifndef VICINAL_SERVER_COMMANDS_DESCHEDULE_LEASE_H_
#define VICINAL_SERVER_COMMANDS_DESCHEDULE_LEASE_H_

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "core/sync/mutex.h"
#include "server/commands/deschedule/stop.h"
#include "server/kubernetes/blocking_api_client.h"

namespace vicinal {

struct LeaseOptions {
  std::string namespace_name;
  std::string name = "vicinal-deschedule";
  std::string identity;  // Of this process; no two may have the same.
  // As kube-scheduler's: others take the lease over when it has not been
  // renewed for lease_duration; the leader gives up after renew_deadline.
  std::chrono::milliseconds lease_duration{15'000};
  std::chrono::milliseconds renew_deadline{10'000};
  std::chrono::milliseconds retry_period{2'000};
};

// Takes and renews the lease on a thread of its own. Clocks of different
// machines are not compared: a lease has expired if it has not changed for its
// duration since it was first seen so. Thread-safe.
// Source: k8s.io/client-go/tools/leaderelection/leaderelection.go.
class LeaderElection {
 public:
  // The client must outlive this.
  LeaderElection(BlockingApiClient& client, LeaseOptions options);
  // Gives the lease back if it is ours.
  ~LeaderElection();
  LeaderElection(const LeaderElection&) = delete;
  LeaderElection& operator=(const LeaderElection&) = delete;

  // Whether the lease is ours, and was renewed within the deadline.
  bool IsLeader() const;

 private:
  struct Record {
    // The whole Lease, so that a write keeps what others have put on it; null
    // if there is none.
    nlohmann::json lease;
    std::string holder;
    std::string renew_time;
    std::chrono::milliseconds duration{0};
    std::string acquire_time;
    std::int64_t transitions = 0;
  };

  void Run();
  // Whether the lease is ours afterwards.
  absl::StatusOr<bool> TryAcquireOrRenew();
  // Creates the lease, or replaces the one that was read.
  absl::Status Write(const Record& current, const std::string& holder);

  BlockingApiClient& client_;
  const LeaseOptions options_;
  Stop stop_;
  // Of the thread alone: what was last seen, and since when.
  std::optional<Record> seen_;
  std::chrono::steady_clock::time_point seen_since_;
  mutable Mutex mutex_;
  // When the last renewal that succeeded was begun.
  std::optional<std::chrono::steady_clock::time_point> renewed_
      ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_DESCHEDULE_LEASE_H_
