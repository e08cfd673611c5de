// Looks again at pods that were refused, in case vicinal was behind.
//
// The scheduler may ask because of an event that vicinal's own watch has not
// shown yet. vicinal then refuses the pod as of the older state, and no other
// event need come: the scheduler would leave the pod alone for five minutes. So
// each refused pod is looked at again 1, 2, 4, 8 and 16 seconds later, if
// anything has changed meanwhile. One that fits by then, and did not at the
// look before, is tried again.
//
// A pod that fits here and is refused all the same has reasons that are not
// known here, such as volumes. It is not tried again until a look has found
// that it does not fit. So a refused pod costs no attempts of the scheduler
// while nothing changes for it.
#ifndef VICINAL_SERVER_STATE_SECOND_LOOKS_H_
#define VICINAL_SERVER_STATE_SECOND_LOOKS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "core/index/pod_info.h"
#include "core/sync/mutex.h"
#include "server/state/cluster_store.h"

namespace vicinal {

// Thread-safe.
class SecondLooks {
 public:
  using Clock = std::chrono::steady_clock;

  enum class Fit {
    kGone,  // The pod is not pending any more.
    kNone,  // No node of the cluster would take it.
    kSome,
  };

  struct Options {
    // From the refusal to the first look; each next one takes twice as long.
    std::chrono::milliseconds first{1000};
    // From the refusal to the last look.
    std::chrono::milliseconds last{16'000};
    // Between two looks at a pod that fits and is refused all the same.
    std::chrono::milliseconds fitting{60'000};
    // Pods that are remembered; others are left to the events of the cluster.
    std::size_t max_pods = 10'000;
    // Between two looks the thread rests for so many times what a look took: so
    // a flood of refusals does not cost more than a tenth of a processor.
    int rest = 9;
    // For tests: no thread; looks happen when Look is called.
    bool by_itself = true;
  };

  // `fit` and `retry` are called on the thread, one at a time, and must not
  // call back. The store must outlive it.
  SecondLooks(const ClusterStore& store, std::function<Fit(const PodInfo&)> fit,
              std::function<void(const PodInfo&)> retry,
              const Options& options);
  ~SecondLooks();

  // The pod was told that nothing fits, as of this generation of the store or a
  // later one. Cost: O(log pods).
  void OnRefused(std::shared_ptr<const PodInfo> pod, std::uint64_t generation,
                 Clock::time_point now = Clock::now());

  // Looks at one pod that is due, if there is one. Returns when the next is
  // due. Cost: that of `fit` at most.
  Clock::time_point Look(Clock::time_point now);

 private:
  struct Refused {
    std::shared_ptr<const PodInfo> pod;
    std::uint64_t generation = 0;  // Of what was looked at last.
    Clock::time_point refused;
    std::chrono::milliseconds after{0};  // From there to the next look.
    bool fits = false;                   // By the last look.
    std::multimap<Clock::time_point, std::string>::iterator due;
  };
  using Pods = std::map<std::string, Refused>;  // By uid.

  void Run();
  Clock::time_point NextDue() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The pod is due then.
  void SetDue(Pods::iterator pod, Clock::time_point due)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Erase(Pods::iterator pod) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What the look has found about a pod that has not been refused since.
  void Conclude(Pods::iterator pod, Fit fit, Clock::time_point now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const ClusterStore& store_;
  const std::function<Fit(const PodInfo&)> fit_;
  const std::function<void(const PodInfo&)> retry_;
  const Options options_;

  Mutex mutex_;
  CondVar changed_;  // With mutex_: something is due earlier, or it stops.
  Pods pods_ ABSL_GUARDED_BY(mutex_);
  // The uids of all of them.
  std::multimap<Clock::time_point, std::string> due_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_SECOND_LOOKS_H_
