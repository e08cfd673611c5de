#include "core/sync/shared_mutex.h"

namespace vicinal {

// The functions are told to take a lock, and take none that the check knows.

void SharedMutex::Lock() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  const MutexLock lock(mutex_);
  ++waiting_writers_;
  while (writing_ || readers_ > 0) may_write_.Wait(mutex_);
  --waiting_writers_;
  writing_ = true;
}

void SharedMutex::Unlock() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  const MutexLock lock(mutex_);
  writing_ = false;
  ++writes_;
  readers_ = waiting_readers_;
  waiting_readers_ = 0;
  if (readers_ > 0) {
    may_read_.NotifyAll();
  } else {
    may_write_.NotifyAll();
  }
}

void SharedMutex::ReaderLock() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  const MutexLock lock(mutex_);
  if (!writing_ && waiting_writers_ == 0) {
    ++readers_;
    return;
  }
  // Unlock counts it among the readers.
  ++waiting_readers_;
  const std::uint64_t before = writes_;
  while (writes_ == before) may_read_.Wait(mutex_);
}

void SharedMutex::ReaderUnlock() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  const MutexLock lock(mutex_);
  if (--readers_ == 0 && waiting_writers_ > 0) may_write_.NotifyAll();
}

}  // namespace vicinal
