// Lets a loop end at once, whatever it waits for.
#ifndef VICINAL_SERVER_COMMANDS_DESCHEDULE_STOP_H_
#define VICINAL_SERVER_COMMANDS_DESCHEDULE_STOP_H_

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace vicinal {

// Thread-safe.
class Stop {
 public:
  void Set() {
    {
      const std::lock_guard lock(mutex_);
      is_set_ = true;
    }
    changed_.notify_all();
  }
  bool IsSet() const {
    const std::lock_guard lock(mutex_);
    return is_set_;
  }
  // Waits for that long, or until it is set; whether it is.
  bool WaitFor(std::chrono::steady_clock::duration duration) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, duration, [this] { return is_set_; });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool is_set_ = false;  // Guarded by mutex_.
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_DESCHEDULE_STOP_H_
