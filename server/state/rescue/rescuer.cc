#include "server/state/rescue/rescuer.h"

#include <glog/logging.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/engine/decide.h"
#include "core/engine/run_plugins.h"
#include "core/index/node_info.h"
#include "core/index/pod_info.h"
#include "core/index/stored_pod.h"
#include "core/plugins/candidate_nodes.h"

namespace vicinal {
namespace {

// Before a nomination that the API server did not take is tried again.
constexpr std::chrono::seconds kRetry(1);

// Why a rescue is abandoned.
constexpr char kDeleted[] = "the pod was deleted";
constexpr char kFitsNone[] = "it fits no node any more";

}  // namespace

Rescuer::Rescuer(const ClusterStore& store, Metrics& metrics,
                 ProfileOf profile_of, Nominate nominate,
                 const RescuerOptions& options)
    : store_(store),
      metrics_(metrics),
      profile_of_(std::move(profile_of)),
      nominate_(std::move(nominate)),
      options_(options),
      random_(std::random_device()()),
      thread_([this] { Run(); }) {}

Rescuer::~Rescuer() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyAll();
  attended_.NotifyAll();
  thread_.join();
}

absl::Status Rescuer::OnNothingFits(const Pod& pod, std::size_t offered) {
  // A pod without a uid is not from an API server.
  if (offered < options_.min_sample || pod.meta.uid.empty()) {
    return absl::OkStatus();
  }
  const MutexLock lock(mutex_);
  if (Rescue* rescue = Find(pod)) {
    // An attempt that began after the nomination was written and does not know
    // of it: if the store does not show it, it was cleared.
    rescue->confirmed |= Renew(*rescue, pod) &&
                         rescue->state == State::kNominated && !rescue->writing;
  } else if (rescues_.size() < options_.max_pods) {
    // A rescue of another pod of that name goes on until the store shows that
    // it is gone.
    const auto [rescue, added] = rescues_.try_emplace(KeyOf(pod.meta));
    if (added) rescue->second.pod = pod;
  }
  asked_ = true;
  changed_.NotifyAll();
  const Clock::time_point limit = Clock::now() + options_.max_wait;
  while (IsUnderWay(pod) && attended_.WaitUntil(mutex_, limit)) {
  }
  const Rescue* rescue = Find(pod);
  if (!options_.retry_after_backoff || rescue == nullptr ||
      rescue->state != State::kNominated) {
    return absl::OkStatus();
  }
  return absl::UnavailableError(
      absl::StrCat("fits none of the nodes asked about; nominated for ",
                   rescue->nominated, ", to be tried again after the backoff"));
}

bool Rescuer::OnPreemption(const Pod& pod) {
  {
    const MutexLock lock(mutex_);
    if (Find(pod) == nullptr) return false;
  }
  const bool fits = FitsSomewhere(pod);
  const MutexLock lock(mutex_);
  Rescue* rescue = Find(pod);
  if (rescue == nullptr || !Renew(*rescue, pod)) return false;
  if (!fits) Abandon(*rescue, kFitsNone);
  return fits;
}

bool Rescuer::Renew(Rescue& rescue, const Pod& pod) {
  if (rescue.state == State::kAbandoned || rescue.state == State::kResting) {
    return false;
  }
  rescue.pod = pod;
  // An attempt that did not know of the nomination says nothing about it.
  if (rescue.state == State::kNominated &&
      pod.status.nominated_node_name == rescue.nominated) {
    rescue.state = State::kUndecided;
    rescue.due = Clock::now();
  }
  return true;
}

void Rescuer::Run() {
  const MutexLock lock(mutex_);
  std::vector<ObjectKey> keys;
  while (!stopping_) {
    const Clock::time_point next = Clock::now() + options_.interval;
    while (!stopping_ && !asked_) {
      if (rescues_.empty()) {
        changed_.Wait(mutex_);
      } else if (!changed_.WaitUntil(mutex_, next)) {
        break;
      }
    }
    asked_ = false;
    keys.clear();
    for (const auto& [key, rescue] : rescues_) keys.push_back(key);
    for (const ObjectKey& key : keys) {
      if (stopping_) return;
      Attend(key);
      attended_.NotifyAll();
    }
  }
}

// Only the rescuer's thread erases, so that the rescue stays where it is while
// the lock is let go.
void Rescuer::Attend(const ObjectKey& key) {
  Rescue& rescue = rescues_.at(key);
  if (rescue.state == State::kResting) {
    if (Clock::now() >= rescue.due) rescues_.erase(key);
    return;
  }
  if (rescue.state == State::kAbandoned) return Finish(key, rescue);
  const std::optional<Observed> observed = Observe(rescue.pod);
  if (observed) rescue.seen = true;
  if (!observed && rescue.seen) {
    Abandon(rescue, kDeleted);
  } else if (observed && observed->bound) {
    if (rescue.started) {
      LOG(INFO) << "rescue of pod " << key.namespace_name << "/" << key.name
                << ": succeeded";
      metrics_.rescues_succeeded().Increment();
    }
    rescues_.erase(key);
  } else if (rescue.state == State::kNominated) {
    AttendNominated(rescue, observed.value_or(Observed()));
  } else if (observed) {
    // Not as it was asked about, but as it is.
    rescue.pod.meta = observed->pod.meta;
    rescue.pod.spec = observed->pod.spec;
    if (Clock::now() >= rescue.due) NominateBest(key, rescue);
  } else if (Clock::now() >= rescue.asked + options_.unseen) {
    Abandon(rescue, "the API server has not shown the pod");
  }
}

void Rescuer::AttendNominated(Rescue& rescue, const Observed& observed) {
  const Clock::time_point now = Clock::now();
  if (observed.nominated == rescue.nominated) rescue.confirmed = true;
  if (now >= rescue.due) {
    return Abandon(rescue, "the scheduler has not tried it again");
  }
  const bool visible =
      rescue.confirmed || now >= rescue.nominated_at + options_.visible_after;
  if (!visible || observed.nominated == rescue.nominated) return;
  if (!observed.nominated.empty()) {
    return Abandon(rescue, "it is nominated for " + observed.nominated);
  }
  rescue.state = State::kUndecided;
  rescue.due = now;
}

void Rescuer::NominateBest(const ObjectKey& key, Rescue& rescue) {
  if (rescue.nominations == options_.max_nominations) {
    return Abandon(rescue, "it was nominated too often");
  }
  const Pod pod = rescue.pod;
  const std::set<std::string> tried = rescue.tried;
  mutex_.Unlock();
  const std::string node = BestNode(pod, tried);
  mutex_.Lock();
  // It may have been abandoned meanwhile.
  if (rescue.state != State::kUndecided) return;
  if (node.empty()) return Abandon(rescue, kFitsNone);
  if (!rescue.started) {
    rescue.started = true;
    metrics_.rescues_started().Increment();
    LOG(INFO) << "rescue of pod " << key.namespace_name << "/" << key.name
              << ": it fits " << node << ", which was not offered";
  }
  // Before it is written: the next attempt may come before the answer does.
  rescue.state = State::kNominated;
  rescue.nominated = node;
  rescue.tried.insert(node);
  rescue.confirmed = false;
  rescue.writing = true;
  ++rescue.nominations;
  mutex_.Unlock();
  const absl::Status status = nominate_(pod, node);
  mutex_.Lock();
  rescue.writing = false;
  if (absl::IsNotFound(status) || absl::IsAborted(status)) {
    return Abandon(rescue, kDeleted);
  }
  // Unless an attempt has failed meanwhile.
  if (rescue.state != State::kNominated) return;
  rescue.nominated_at = Clock::now();
  rescue.due = rescue.nominated_at + options_.attempt_timeout;
  if (status.ok()) return;
  // InvalidArgument: it has been bound, which the watch will tell.
  LOG_IF(WARNING, !absl::IsInvalidArgument(status))
      << "rescue of pod " << key.namespace_name << "/" << key.name
      << ": nominating " << node << " failed: " << status;
  rescue.state = State::kUndecided;
  rescue.due = rescue.nominated_at + kRetry;
}

void Rescuer::Finish(const ObjectKey& key, Rescue& rescue) {
  if (rescue.started) {
    LOG(INFO) << "rescue of pod " << key.namespace_name << "/" << key.name
              << ": abandoned, " << rescue.why;
    metrics_.rescues_abandoned().Increment();
  }
  const std::optional<Observed> observed = Observe(rescue.pod);
  if (observed && !observed->bound &&
      rescue.tried.contains(observed->nominated)) {
    // It would keep room for the pod.
    const Pod pod = rescue.pod;
    mutex_.Unlock();
    const absl::Status status = nominate_(pod, "");
    mutex_.Lock();
    LOG_IF(WARNING, !status.ok())
        << "rescue of pod " << key.namespace_name << "/" << key.name
        << ": clearing the nomination failed: " << status;
  }
  if (rescue.nominations < options_.max_nominations) {
    rescues_.erase(key);
  } else {
    rescue.state = State::kResting;
    rescue.due = Clock::now() + options_.rest;
  }
}

void Rescuer::Abandon(Rescue& rescue, std::string why) {
  rescue.state = State::kAbandoned;
  rescue.why = std::move(why);
}

Rescuer::Rescue* Rescuer::Find(const Pod& pod) {
  const auto it = rescues_.find(KeyOf(pod.meta));
  const bool found =
      it != rescues_.end() && it->second.pod.meta.uid == pod.meta.uid;
  return found ? &it->second : nullptr;
}

bool Rescuer::IsUnderWay(const Pod& pod) {
  const Rescue* rescue = Find(pod);
  return !stopping_ && rescue != nullptr &&
         (rescue->state == State::kUndecided || rescue->writing);
}

std::optional<Rescuer::Observed> Rescuer::Observe(const Pod& pod) const {
  return store_.Read([&pod](const ClusterState& cluster) {
    std::optional<Observed> observed;
    const StoredPod* stored = cluster.FindPod(KeyOf(pod.meta));
    if (stored == nullptr || stored->uid() != pod.meta.uid) return observed;
    observed.emplace();
    observed->bound = stored->node() != nullptr;
    observed->nominated = stored->nominated_node_name();
    observed->pod = stored->ToPod();
    return observed;
  });
}

bool Rescuer::FitsSomewhere(const Pod& pod) const {
  const Profile* profile = profile_of_(pod);
  if (profile == nullptr) return false;
  const PodInfo info(pod);
  return store_.Read([&](const ClusterState& cluster) {
    const FilterOutcome outcome =
        RunFilterPlugins(*profile, cluster, info, AllNodes(cluster));
    return !outcome.statuses.Passed().empty();
  });
}

std::string Rescuer::BestNode(const Pod& pod,
                              const std::set<std::string>& avoided) {
  const Profile* profile = profile_of_(pod);
  if (profile == nullptr) return "";
  const PodInfo info(pod);
  return store_.Read([&](const ClusterState& cluster) -> std::string {
    std::vector<const NodeInfo*> nodes;
    for (const NodeInfo* node : cluster.Nodes()) {
      if (!avoided.contains(node->Name())) nodes.push_back(node);
    }
    Decision decision = Decide(*profile, cluster, info, nodes);
    if (decision.best.empty() && !avoided.empty()) {
      nodes = cluster.Nodes();
      decision = Decide(*profile, cluster, info, nodes);
    }
    if (decision.best.empty()) return "";
    return nodes[ChooseOne(decision.best, random_)]->Name();
  });
}

}  // namespace vicinal
