// A lock of many readers or one writer that lets neither starve.
#ifndef VICINAL_CORE_SYNC_SHARED_MUTEX_H_
#define VICINAL_CORE_SYNC_SHARED_MUTEX_H_

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "core/sync/mutex.h"

namespace vicinal {

// Phase-fair: a waiting writer lets no new readers in, and when it is done all
// readers that wait by then go before the next writer. So a writer waits for
// the readers of one phase, however many come, and a reader for one writer.
// std::shared_mutex lets readers that overlap keep a writer out for ever.
//
// A thread that reads must not begin to read again: between the two a writer
// may have come, and then each waits for the other.
class ABSL_LOCKABLE SharedMutex {
 public:
  SharedMutex() = default;
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION();
  void Unlock() ABSL_UNLOCK_FUNCTION();
  void ReaderLock() ABSL_SHARED_LOCK_FUNCTION();
  void ReaderUnlock() ABSL_UNLOCK_FUNCTION();
  // Tells the check, not the program, that the caller reads.
  void AssertReaderHeld() const ABSL_ASSERT_SHARED_LOCK() {}

 private:
  Mutex mutex_;  // Held for moments only.
  CondVar may_read_;
  CondVar may_write_;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  int waiting_writers_ ABSL_GUARDED_BY(mutex_) = 0;
  int readers_ ABSL_GUARDED_BY(mutex_) = 0;
  int waiting_readers_ ABSL_GUARDED_BY(mutex_) = 0;
  std::uint64_t writes_ ABSL_GUARDED_BY(mutex_) = 0;  // That have ended.
};

// Writes, or reads, for as long as it lives.
class ABSL_SCOPED_LOCKABLE WriterLock {
 public:
  explicit WriterLock(SharedMutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex)
      : mutex_(mutex) {
    mutex_.Lock();
  }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;
  ~WriterLock() ABSL_UNLOCK_FUNCTION() { mutex_.Unlock(); }

 private:
  SharedMutex& mutex_;
};

class ABSL_SCOPED_LOCKABLE ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mutex) ABSL_SHARED_LOCK_FUNCTION(mutex)
      : mutex_(mutex) {
    mutex_.ReaderLock();
  }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;
  ~ReaderLock() ABSL_UNLOCK_FUNCTION() { mutex_.ReaderUnlock(); }

 private:
  SharedMutex& mutex_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_SYNC_SHARED_MUTEX_H_
