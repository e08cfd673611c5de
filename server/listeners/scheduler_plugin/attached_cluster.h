// The session of the stream that is open, and a look at its cluster from
// elsewhere.
#ifndef VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_ATTACHED_CLUSTER_H_
#define VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_ATTACHED_CLUSTER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "core/index/cluster_state.h"
#include "core/sync/mutex.h"
#include "server/listeners/scheduler_plugin/session.h"
#include "vicinal/v1/scheduler_plugin.pb.h"

namespace vicinal {

// Thread-safe; Open, Handle and Close are for the stream's thread.
//
// A message takes a lock that nobody else has unless a copy is being made.
// While one is, the message waits for a part of it, some tens of objects, and
// goes before the next part.
class AttachedCluster {
 public:
  // `session` must live until Close.
  void Open(Session& session);
  void Close();
  // As Session::Handle.
  absl::StatusOr<std::optional<v1::VicinalMessage>> Handle(
      const v1::SchedulerMessage& message);

  // How many messages have told of changes, of all streams. What is copied
  // later has at least all of that.
  std::uint64_t generation() const { return generation_; }

  // All that is told, but for what happens meanwhile; pods that wait by their
  // names, and those on nodes by their uids, which is all that is known. Null:
  // no scheduler is attached that has told the whole cluster, or it went. Cost:
  // that of an Upsert for each object, and the memory of the index once more.
  std::unique_ptr<ClusterState> Copy() const;

 private:
  // Calls `read(const ToldCluster&)` when the stream does not want the lock.
  // False: the session is another one than that of `number`.
  bool Read(std::uint64_t number,
            const std::function<void(const ToldCluster&)>& read) const;

  mutable Mutex mutex_;
  std::atomic<bool> is_wanted_ = false;  // By the stream.
  Session* session_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::uint64_t number_ ABSL_GUARDED_BY(mutex_) = 0;  // Of the session.
  std::atomic<std::uint64_t> generation_ = 0;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_ATTACHED_CLUSTER_H_
