// The order in which the scheduler tries pods.
//
//   Add → active → Pop → (placed: gone) | Park → parked → Retry → active
//
// Source: pkg/scheduler/backend/queue/scheduling_queue.go and
// plugins/queuesort/priority_sort.go; there is no backoff, since there is no
// time.
#ifndef VICINAL_CORE_SIMULATE_SCHEDULING_QUEUE_H_
#define VICINAL_CORE_SIMULATE_SCHEDULING_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>

#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"

namespace vicinal {

class SchedulingQueue {
 public:
  // Adds a pod, or replaces it and has it tried again.
  void Add(std::shared_ptr<const PodInfo> pod);

  // Forgets a pod; one that is not there is ignored.
  void Remove(const ObjectKey& key);

  // Takes the pod that is next: the highest priority, then who has waited
  // longest. Null if no pod is to be tried. The pod is in no queue then.
  std::shared_ptr<const PodInfo> Pop();

  // Puts back a pod that fits nowhere; it waits for Retry, behind those that
  // wait already.
  void Park(std::shared_ptr<const PodInfo> pod);

  // Has all parked pods tried again, or those that `wanted` picks.
  void RetryAll();
  void RetryIf(const std::function<bool(const PodInfo&)>& wanted);

  std::size_t active_size() const { return active_.size(); }
  std::size_t parked_size() const { return parked_.size(); }

 private:
  // Priority, higher first, then the moment.
  using Place = std::tuple<std::int64_t, std::int64_t>;

  Place NextPlace(const PodInfo& pod);

  std::int64_t clock_ = 0;
  std::map<Place, std::shared_ptr<const PodInfo>> active_;
  std::map<Place, std::shared_ptr<const PodInfo>> parked_;
  std::map<ObjectKey, Place> places_;  // Of the pods in either.
};

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_SCHEDULING_QUEUE_H_
