// Locks whose use clang checks (test/thread_safety): each member that a lock
// guards says so, and each function that wants the lock to be held.
//
//   class Counter {
//    public:
//     void Add() {
//       const MutexLock lock(mutex_);
//       ++count_;
//       changed_.NotifyAll();
//     }
//     void AwaitSome() {
//       const MutexLock lock(mutex_);
//       while (count_ == 0) changed_.Wait(mutex_);
//     }
//
//    private:
//     Mutex mutex_;
//     CondVar changed_;  // With mutex_.
//     int count_ ABSL_GUARDED_BY(mutex_) = 0;
//   };
//
// The check looks at one function at a time, and a lambda is a function of its
// own: one that runs under the lock calls AssertHeld first.
#ifndef VICINAL_CORE_SYNC_MUTEX_H_
#define VICINAL_CORE_SYNC_MUTEX_H_

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "absl/base/thread_annotations.h"

namespace vicinal {

// One holder at a time; std::mutex with annotations.
class ABSL_LOCKABLE Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }
  // Whether it is held now.
  bool TryLock() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) {
    return mutex_.try_lock();
  }
  // Tells the check, not the program, that the caller holds it.
  void AssertHeld() const ABSL_ASSERT_EXCLUSIVE_LOCK() {}

 private:
  friend class CondVar;
  std::mutex mutex_;
};

// Holds a mutex for as long as it lives.
class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex)
      : mutex_(mutex) {
    mutex_.Lock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mutex_.Unlock(); }

 private:
  Mutex& mutex_;
};

// std::condition_variable. Takes no predicates, which would be lambdas: callers
// wait in a loop. A wait may end without a reason.
class CondVar {
 public:
  void Wait(Mutex& mutex) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    changed_.wait(lock);
    lock.release();
  }
  // False once the time is over.
  bool WaitUntil(Mutex& mutex, std::chrono::steady_clock::time_point limit)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    const std::cv_status status = changed_.wait_until(lock, limit);
    lock.release();
    return status == std::cv_status::no_timeout;
  }
  void NotifyAll() { changed_.notify_all(); }

 private:
  std::condition_variable changed_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_SYNC_MUTEX_H_
