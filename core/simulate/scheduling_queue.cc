#include "core/simulate/scheduling_queue.h"

#include <utility>

namespace vicinal {

SchedulingQueue::Place SchedulingQueue::NextPlace(const PodInfo& pod) {
  return {-std::int64_t{PodPriority(pod.pod)}, ++clock_};
}

void SchedulingQueue::Add(std::shared_ptr<const PodInfo> pod) {
  const ObjectKey key = KeyOf(pod->pod.meta);
  Remove(key);
  const Place place = NextPlace(*pod);
  places_[key] = place;
  active_[place] = std::move(pod);
}

void SchedulingQueue::Remove(const ObjectKey& key) {
  const auto it = places_.find(key);
  if (it == places_.end()) return;
  active_.erase(it->second);
  parked_.erase(it->second);
  places_.erase(it);
}

std::shared_ptr<const PodInfo> SchedulingQueue::Pop() {
  if (active_.empty()) return nullptr;
  std::shared_ptr<const PodInfo> pod = std::move(active_.begin()->second);
  active_.erase(active_.begin());
  places_.erase(KeyOf(pod->pod.meta));
  return pod;
}

void SchedulingQueue::Park(std::shared_ptr<const PodInfo> pod) {
  const Place place = NextPlace(*pod);
  places_[KeyOf(pod->pod.meta)] = place;
  parked_[place] = std::move(pod);
}

void SchedulingQueue::RetryAll() { active_.merge(parked_); }

void SchedulingQueue::RetryIf(
    const std::function<bool(const PodInfo&)>& wanted) {
  for (auto it = parked_.begin(); it != parked_.end();) {
    const auto next = std::next(it);
    if (wanted(*it->second)) active_.insert(parked_.extract(it));
    it = next;
  }
}

}  // namespace vicinal
