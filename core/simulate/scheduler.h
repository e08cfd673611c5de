// The scheduling loop.
#ifndef VICINAL_CORE_SIMULATE_SCHEDULER_H_
#define VICINAL_CORE_SIMULATE_SCHEDULER_H_

#include <cstdint>
#include <functional>
#include <string>

#include "core/simulate/chooser.h"
#include "core/simulate/world.h"

namespace vicinal {

// Called before a pod is placed, while the cluster is as the choice saw it.
using OnPlacement = std::function<void(const World& world, const PodInfo& pod,
                                       const std::string& node)>;

class Scheduler {
 public:
  Scheduler(Profile profile, std::uint64_t seed, OnPlacement on_placement)
      : chooser_(std::move(profile), seed),
        on_placement_(std::move(on_placement)) {}

  // Tries pods until none is left to try. Nobody is preempted.
  void Run(World& world);

  // How many pods were tried so far.
  std::int64_t attempts() const { return attempts_; }

 private:
  Choice Choose(const World& world, const PodInfo& pod);

  Chooser chooser_;
  const OnPlacement on_placement_;
  std::int64_t attempts_ = 0;

  // Pods of one template fail alike as long as nothing changes.
  std::shared_ptr<const PodInfo> last_failed_;
  std::string last_message_;
  std::int64_t last_generation_ = -1;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_SCHEDULER_H_
