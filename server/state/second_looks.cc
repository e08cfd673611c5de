#include "server/state/second_looks.h"

#include <algorithm>
#include <utility>

namespace vicinal {

SecondLooks::SecondLooks(const ClusterStore& store,
                         std::function<Fit(const PodInfo&)> fit,
                         std::function<void(const PodInfo&)> retry,
                         const Options& options)
    : store_(store),
      fit_(std::move(fit)),
      retry_(std::move(retry)),
      options_(options) {
  if (options_.by_itself) thread_ = std::thread([this] { Run(); });
}

SecondLooks::~SecondLooks() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyAll();
  if (thread_.joinable()) thread_.join();
}

void SecondLooks::OnRefused(std::shared_ptr<const PodInfo> pod,
                            std::uint64_t generation, Clock::time_point now) {
  const MutexLock lock(mutex_);
  const std::string& uid = pod->pod.meta.uid;
  auto it = pods_.find(uid);
  if (it == pods_.end()) {
    if (pods_.size() == options_.max_pods) return;
    it = pods_.try_emplace(uid).first;
    it->second.due = due_.end();
  }
  Refused& refused = it->second;
  refused.pod = std::move(pod);
  refused.generation = generation;
  refused.refused = now;
  // One that fitted is looked at at once: whether it does not by now.
  refused.after = refused.fits ? options_.first / 2 : options_.first;
  SetDue(it, refused.fits ? now : now + refused.after);
}

SecondLooks::Clock::time_point SecondLooks::Look(Clock::time_point now) {
  const MutexLock lock(mutex_);
  if (NextDue() > now) return NextDue();
  auto it = pods_.find(due_.begin()->second);
  const std::uint64_t generation = store_.generation();
  if (!it->second.fits && it->second.generation == generation) {
    Conclude(it, Fit::kNone, now);
  } else {
    const std::shared_ptr<const PodInfo> pod = it->second.pod;
    mutex_.Unlock();
    const Fit fit = fit_(*pod);
    mutex_.Lock();
    it = pods_.find(pod->pod.meta.uid);
    // Unless it has been refused once more meanwhile.
    if (it != pods_.end() && it->second.pod == pod) {
      it->second.generation = generation;
      Conclude(it, fit, now);
    }
  }
  return NextDue();
}

SecondLooks::Clock::time_point SecondLooks::NextDue() const {
  return due_.empty() ? Clock::time_point::max() : due_.begin()->first;
}

void SecondLooks::Conclude(Pods::iterator pod, Fit fit, Clock::time_point now) {
  Refused& refused = pod->second;
  switch (fit) {
    case Fit::kGone:
      return Erase(pod);
    case Fit::kSome:
      if (!refused.fits) retry_(*refused.pod);
      refused.fits = true;
      return SetDue(pod, now + options_.fitting);
    case Fit::kNone:
      refused.fits = false;
      refused.after *= 2;
      if (refused.after > options_.last) return Erase(pod);
      return SetDue(pod, refused.refused + refused.after);
  }
}

void SecondLooks::SetDue(Pods::iterator pod, Clock::time_point due) {
  if (pod->second.due != due_.end()) due_.erase(pod->second.due);
  pod->second.due = due_.emplace(due, pod->first);
  if (pod->second.due == due_.begin()) changed_.NotifyAll();
}

void SecondLooks::Erase(Pods::iterator pod) {
  due_.erase(pod->second.due);
  pods_.erase(pod);
}

void SecondLooks::Run() {
  while (true) {
    const Clock::time_point start = Clock::now();
    Look(start);
    const Clock::time_point now = Clock::now();
    const Clock::time_point rested = now + options_.rest * (now - start);
    const MutexLock lock(mutex_);
    while (!stopping_) {
      const Clock::time_point wake = std::max(NextDue(), rested);
      if (Clock::now() >= wake) break;
      if (wake == Clock::time_point::max()) {
        changed_.Wait(mutex_);
      } else {
        changed_.WaitUntil(mutex_, wake);
      }
    }
    if (stopping_) return;
  }
}

}  // namespace vicinal
