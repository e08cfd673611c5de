// Lets a loop end at once, whatever it waits for.
#ifndef VICINAL_SERVER_COMMANDS_DESCHEDULE_STOP_H_
#define VICINAL_SERVER_COMMANDS_DESCHEDULE_STOP_H_

#include <chrono>

#include "absl/base/thread_annotations.h"
#include "core/sync/mutex.h"

namespace vicinal {

// Thread-safe.
class Stop {
 public:
  void Set() {
    {
      const MutexLock lock(mutex_);
      is_set_ = true;
    }
    changed_.NotifyAll();
  }
  bool IsSet() const {
    const MutexLock lock(mutex_);
    return is_set_;
  }
  // Waits for that long, or until it is set; whether it is.
  bool WaitFor(std::chrono::steady_clock::duration duration) const {
    const auto limit = std::chrono::steady_clock::now() + duration;
    const MutexLock lock(mutex_);
    while (!is_set_ && changed_.WaitUntil(mutex_, limit)) {
    }
    return is_set_;
  }

 private:
  mutable Mutex mutex_;
  mutable CondVar changed_;
  bool is_set_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_DESCHEDULE_STOP_H_
