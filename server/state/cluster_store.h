// The one ClusterState of the process, with one writer and many readers.
#ifndef VICINAL_SERVER_STATE_CLUSTER_STORE_H_
#define VICINAL_SERVER_STATE_CLUSTER_STORE_H_

#include <mutex>
#include <shared_mutex>
#include <utility>

#include "core/index/cluster_state.h"

namespace vicinal {

// Thread-safe.
class ClusterStore {
 public:
  // Calls `read(const ClusterState&)` while the state cannot change, and
  // returns what it returns; nothing in the result may refer to the state.
  template <typename Reader>
  auto Read(Reader&& read) const {
    const std::shared_lock lock(mutex_);
    return std::forward<Reader>(read)(cluster_);
  }

  // Calls `write(ClusterState&)` alone.
  template <typename Writer>
  void Write(Writer&& write) {
    const std::unique_lock lock(mutex_);
    std::forward<Writer>(write)(cluster_);
  }

 private:
  mutable std::shared_mutex mutex_;
  ClusterState cluster_;  // Guarded by mutex_.
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_CLUSTER_STORE_H_
