// The one ClusterState of the process, with one writer and many readers.
#ifndef VICINAL_SERVER_STATE_CLUSTER_STORE_H_
#define VICINAL_SERVER_STATE_CLUSTER_STORE_H_

#include <atomic>
#include <cstdint>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/cleanup/cleanup.h"
#include "core/index/cluster_state.h"
#include "core/model/kubernetes_release.h"
#include "core/sync/shared_mutex.h"

namespace vicinal {

// Thread-safe, and fair to both: see SharedMutex. Neither may be called from
// within the other or itself.
class ClusterStore {
 public:
  explicit ClusterStore(const KubernetesRelease& release = {})
      : cluster_(release) {}

  // Calls `read(const ClusterState&)` while the state cannot change, and
  // returns what it returns; nothing in the result may refer to the state.
  template <typename Reader>
  auto Read(Reader&& read) const {
    bool too_much = false;
    const absl::Cleanup trim = [&] {
      if (too_much) Trim();
    };
    const ReaderLock lock(mutex_);
    const absl::Cleanup look = [&] {
      mutex_.AssertReaderHeld();
      too_much = cluster_.topology().HasTooMuchCached();
    };
    return std::forward<Reader>(read)(std::as_const(cluster_));
  }

  // Calls `write(ClusterState&)` alone.
  template <typename Writer>
  void Write(Writer&& write) {
    const WriterLock lock(mutex_);
    std::forward<Writer>(write)(cluster_);
    ++generation_;
  }

  // How often something was written. What is read later has at least all of
  // that.
  std::uint64_t generation() const { return generation_; }

 private:
  // Else the caches grow with each new question until an event comes, which is
  // never when the state is that of a file.
  void Trim() const {
    const WriterLock lock(mutex_);
    cluster_.TrimCaches();
  }

  mutable SharedMutex mutex_;
  mutable ClusterState cluster_ ABSL_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> generation_ = 0;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_CLUSTER_STORE_H_
