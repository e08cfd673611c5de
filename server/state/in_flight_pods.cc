#include "server/state/in_flight_pods.h"

#include <glog/logging.h>

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/index/stored_pod.h"

namespace vicinal {
namespace {

using State = InFlightLedger::State;

std::string Name(const ObjectKey& key) {
  return key.namespace_name + "/" + key.name;
}

using AssumedPod = InFlightLedger::AssumedPod;

ObjectKey KeyOf(const AssumedPod& pod) { return KeyOf(pod.pod->pod.meta); }

// Why a pod must not be bound where MayBind says no.
std::string WhyNot(const AssumedPod& pod) {
  switch (pod.state) {
    case State::kAssumed:
      return "the latest answer about the pod is node \"" + pod.node + "\"";
    case State::kOfferedSeveral:
      return "the node is not among those of the latest answer about the pod";
    case State::kRefused:
      return "the latest answer about the pod is that no node fits";
    default:
      return "the pod was asked about again";
  }
}

absl::Status Void() {
  return absl::AbortedError(
      "the pod was asked about again, bound or deleted while the question was "
      "being answered");
}

absl::Status BoundTo(const std::string& node) {
  return absl::FailedPreconditionError("the pod is bound to node \"" + node +
                                       "\" already");
}

}  // namespace

InFlightPods::InFlightPods(ClusterStore& store, Metrics& metrics,
                           Options options, OnPlacementEnded on_placement_ended)
    : store_(store),
      metrics_(metrics),
      options_(options),
      on_placement_ended_(std::move(on_placement_ended)),
      ledger_({options.deadline, options.unseen_deadline}) {
  metrics_.in_flight_pods().Set(0);
  if (options_.enabled) thread_ = std::thread([this] { Run(); });
}

InFlightPods::~InFlightPods() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  work_.NotifyAll();
  if (thread_.joinable()) thread_.join();
}

void InFlightPods::Run() {
  const MutexLock lock(mutex_);
  while (!stopping_) {
    Expire();
    if (!ended_.empty()) {
      const std::vector<AssumedPod> ended = std::exchange(ended_, {});
      const auto refused = ledger_.Refused();
      mutex_.Unlock();
      for (const AssumedPod& pod : ended) on_placement_ended_(pod, refused);
      mutex_.Lock();
      continue;
    }
    wakes_ = options_.now == nullptr ? ledger_.first_expiry()
                                     : Clock::time_point::max();
    if (wakes_ == Clock::time_point::max()) {
      work_.Wait(mutex_);
    } else {
      work_.WaitUntil(mutex_, wakes_);
    }
  }
}

InFlightPods::Question::~Question() {
  if (pods_ == nullptr) return;
  const MutexLock lock(pods_->mutex_);
  if (!pods_->ledger_.IsCurrent(ticket_)) return;
  pods_->ledger_.Withdraw(ticket_);
  pods_->Changed();
}

absl::Status InFlightPods::Question::OfferNone() {
  if (pods_ == nullptr) return absl::OkStatus();
  InFlightPods& pods = *std::exchange(pods_, nullptr);
  const MutexLock lock(pods.mutex_);
  if (!pods.ledger_.IsCurrent(ticket_)) return Void();
  pods.ledger_.OfferNone(ticket_, pods.Now());
  pods.Changed();
  return absl::OkStatus();
}

absl::Status InFlightPods::Question::OfferSeveral(
    std::vector<std::string> nodes) {
  if (pods_ == nullptr) return absl::OkStatus();
  InFlightPods& pods = *std::exchange(pods_, nullptr);
  const MutexLock lock(pods.mutex_);
  if (!pods.ledger_.IsCurrent(ticket_)) return Void();
  pods.ledger_.OfferSeveral(ticket_, std::move(nodes), pods.Now());
  pods.Changed();
  return absl::OkStatus();
}

absl::Status InFlightPods::Question::Assume(const std::string& node) {
  return AssumeIf(node, nullptr);
}

absl::Status InFlightPods::Question::AssumeIf(const std::string& node,
                                              const Check& check) {
  if (pods_ == nullptr) return absl::OkStatus();
  InFlightPods& pods = *std::exchange(pods_, nullptr);
  const MutexLock lock(pods.mutex_);
  if (!pods.ledger_.IsCurrent(ticket_)) return Void();
  absl::Status checked;
  pods.store_.Write([&](ClusterState& cluster) {
    pods.mutex_.AssertHeld();
    if (check != nullptr) checked = check(cluster);
    if (!checked.ok()) return pods.ledger_.Withdraw(ticket_);
    pods.ledger_.Assume(ticket_, node, pods.Now(), cluster);
  });
  pods.Changed();
  return checked;
}

absl::StatusOr<InFlightPods::Question> InFlightPods::Ask(
    std::shared_ptr<const PodInfo> pod, const std::string& group) {
  return AskUntil(std::move(pod), group, Clock::now() + options_.max_wait);
}

absl::StatusOr<InFlightPods::Question> InFlightPods::AskAtOnce(
    std::shared_ptr<const PodInfo> pod) {
  return AskUntil(std::move(pod), "", Clock::now());
}

absl::StatusOr<InFlightPods::Question> InFlightPods::AskUntil(
    std::shared_ptr<const PodInfo> pod, const std::string& group,
    Clock::time_point limit) {
  const std::string uid = pod->pod.meta.uid;
  if (!options_.enabled || uid.empty()) return Question(nullptr, 0);
  const ObjectKey key = KeyOf(pod->pod.meta);
  const MutexLock lock(mutex_);
  Expire();
  if (absl::Status free = CheckFree(key, uid); !free.ok()) return free;
  if (absl::Status gone = WaitForEarlier(key, uid, limit); !gone.ok()) {
    return gone;
  }
  if (!group.empty()) {
    store_.Write([&](ClusterState& cluster) {
      mutex_.AssertHeld();
      for (AssumedPod& other : ledger_.ForgetGroupOf(key, group, cluster)) {
        if (other.placed()) Ended(std::move(other));
      }
    });
  }
  const AssumedPod* earlier = ledger_.Find(key);
  const bool asked_again =
      earlier != nullptr && pod->pod.resource_version != 0 &&
      earlier->pod->pod.resource_version == pod->pod.resource_version;
  if (earlier != nullptr && earlier->placed()) {
    Ended(*earlier);
    store_.Write([&](ClusterState& cluster) {
      mutex_.AssertHeld();
      ledger_.Forget(key, cluster);
    });
  }
  const InFlightLedger::Ticket ticket =
      store_.Read([&](const ClusterState& cluster) {
        mutex_.AssertHeld();
        return ledger_.Ask(std::move(pod), cluster, group, asked_again);
      });
  Changed();
  if (absl::Status known = WaitForBlockers(ticket, group, limit); !known.ok()) {
    if (ledger_.IsCurrent(ticket)) ledger_.Withdraw(ticket);
    Changed();
    return known;
  }
  return Question(this, ticket);
}

absl::Status InFlightPods::CheckFree(const ObjectKey& key,
                                     const std::string& uid) {
  if (const AssumedPod* pod = ledger_.Find(key)) {
    if (pod->pod->pod.meta.uid != uid) return absl::OkStatus();
    if (pod->state == State::kBinding) {
      return absl::FailedPreconditionError("a binding of the pod to node \"" +
                                           pod->node +
                                           "\" is still being written");
    }
    return pod->state == State::kBound ? BoundTo(pod->node) : absl::OkStatus();
  }
  const std::string node = store_.Read([&](const ClusterState& cluster) {
    const StoredPod* known = cluster.FindPod(key);
    return known != nullptr && known->uid() == uid && known->node() != nullptr
               ? known->node()->Name()
               : std::string();
  });
  return node.empty() ? absl::OkStatus() : BoundTo(node);
}

std::string InFlightPods::NodeOfAnother(const ObjectKey& key,
                                        const std::string& uid) const {
  const AssumedPod* const pod = ledger_.Find(key);
  if (pod != nullptr && pod->placed()) {
    const bool is_bound =
        pod->state == State::kBinding || pod->state == State::kBound;
    if (is_bound && pod->pod->pod.meta.uid != uid) return pod->node;
    const bool hides_another =
        pod->shown != nullptr && pod->shown->meta.uid != uid;
    return hides_another ? pod->shown->spec.node_name : "";
  }
  return store_.Read([&](const ClusterState& cluster) {
    const StoredPod* const known = cluster.FindPod(key);
    return known != nullptr && known->uid() != uid && known->node() != nullptr
               ? known->node()->Name()
               : std::string();
  });
}

absl::Status InFlightPods::WaitForEarlier(const ObjectKey& key,
                                          const std::string& uid,
                                          Clock::time_point limit) {
  while (true) {
    const std::string node = NodeOfAnother(key, uid);
    if (node.empty()) return absl::OkStatus();
    ++waiting_;
    const bool in_time = changed_.WaitUntil(mutex_, limit);
    if (--waiting_ == 0) expired_.clear();
    if (!in_time) {
      return absl::FailedPreconditionError(
          absl::StrCat("another pod of that name is on node \"", node,
                       "\", and the API server has not told of its end"));
    }
  }
}

absl::Status InFlightPods::WaitForBlockers(InFlightLedger::Ticket ticket,
                                           const std::string& group,
                                           Clock::time_point limit) {
  const Clock::time_point start = Clock::now();
  absl::Status result;
  bool waited = false;
  while (ledger_.IsCurrent(ticket) && ledger_.CanBlock(ticket)) {
    const AssumedPod* blocker = store_.Read([&](const ClusterState& cluster) {
      mutex_.AssertHeld();
      return ledger_.BlockerOf(ticket, cluster);
    });
    if (blocker == nullptr) break;
    waited = true;
    const ObjectKey key = KeyOf(*blocker);
    const InFlightLedger::Ticket earlier = blocker->ticket;
    const bool asked = blocker->state == State::kAsked;
    if (!asked && !group.empty() && blocker->group == group) {
      result = absl::UnimplementedError(
          absl::StrCat("needs decide mode: the place of pod ", Name(key),
                       " of the same group (spec.schedulingGroup) matters and "
                       "is not known"));
      break;
    }
    ++waiting_;
    const bool timed_out = !changed_.WaitUntil(mutex_, limit);
    const bool expired = expired_.contains(earlier);
    if (--waiting_ == 0) expired_.clear();
    if (!expired && !timed_out) continue;
    metrics_.in_flight_wait_timeouts().Increment();
    result = absl::DeadlineExceededError(absl::StrCat(
        "the place of pod ", Name(key), " matters and is not known: ",
        asked ? "a question about it is being answered"
              : "it was offered several nodes and is not bound yet"));
    break;
  }
  if (waited) {
    metrics_.in_flight_wait_seconds().Observe(
        std::chrono::duration<double>(Clock::now() - start).count());
  }
  if (!result.ok()) return result;
  return ledger_.IsCurrent(ticket) ? absl::OkStatus() : Void();
}

InFlightPods::BindStart InFlightPods::StartBind(const ObjectKey& key,
                                                const std::string& uid,
                                                const std::string& node,
                                                const HasRoom& has_room,
                                                bool must_be_shown) {
  using Kind = BindStart::Kind;
  if (!options_.enabled) return {};
  const MutexLock lock(mutex_);
  Expire();
  if (const absl::Status free = CheckFree(key, uid); !free.ok()) {
    if (free == BoundTo(node)) return {Kind::kAlreadyBound, 0, ""};
    return {Kind::kRefused, 0, std::string(free.message())};
  }
  const AssumedPod* pod = ledger_.Find(key);
  if (pod == nullptr || pod->pod->pod.meta.uid != uid) {
    return {Kind::kNoAnswer, 0, ""};
  }
  if (!pod->MayBind(node)) return {Kind::kRefused, 0, WhyNot(*pod)};
  if (must_be_shown && !pod->watched) {
    return {Kind::kNotShown, pod->ticket, ""};
  }
  if (pod->disputed) {
    // The answer was not about the pod that there is.
    store_.Write([&](ClusterState& cluster) {
      mutex_.AssertHeld();
      ledger_.Forget(key, cluster);
    });
    Changed();
    return {Kind::kNoAnswer, 0, ""};
  }
  BindStart started;
  store_.Write([&](ClusterState& cluster) {
    mutex_.AssertHeld();
    if (has_room != nullptr && pod->state == State::kOfferedSeveral) {
      const absl::Status room = has_room(cluster, *pod->pod);
      if (!room.ok()) {
        started = {Kind::kRefused, 0, std::string(room.message())};
        return;
      }
    }
    started.ticket = ledger_.StartBind(key, node, cluster);
  });
  Changed();
  return started;
}

void InFlightPods::Show(Pod pod) {
  const MutexLock lock(mutex_);
  const AssumedPod* const known = ledger_.Find(vicinal::KeyOf(pod.meta));
  if (known == nullptr || known->watched ||
      known->pod->pod.meta.uid != pod.meta.uid) {
    return;
  }
  Observe(std::move(pod));
}

void InFlightPods::EndBind(const ObjectKey& key, InFlightLedger::Ticket ticket,
                           InFlightLedger::BindOutcome outcome) {
  if (!options_.enabled) return;
  const MutexLock lock(mutex_);
  store_.Write([&](ClusterState& cluster) {
    mutex_.AssertHeld();
    ledger_.EndBind(key, ticket, outcome, cluster);
  });
  Changed();
}

std::vector<NodeId> InFlightPods::NodeIds(const std::string& group) const {
  const MutexLock lock(mutex_);
  return store_.Read([&](const ClusterState& cluster) {
    mutex_.AssertHeld();
    return ledger_.NodeIds(cluster, group);
  });
}

void InFlightPods::Upsert(Pod pod) {
  const MutexLock lock(mutex_);
  Observe(std::move(pod));
}

void InFlightPods::Observe(Pod pod) {
  const ObjectKey key = KeyOf(pod.meta);
  const bool was_known = ledger_.Find(key) != nullptr;
  InFlightLedger::Observation seen = ledger_.Observe(std::move(pod), Now());
  if (seen.put) {
    store_.Write([&seen](ClusterState& cluster) {
      cluster.Upsert(*std::move(seen.put));
    });
  }
  if (seen.ended) Ended(*std::move(seen.ended));
  if (was_known || waiting_ > 0) Changed();
}

void InFlightPods::Remove(const ObjectKey& key, const std::string& uid) {
  const MutexLock lock(mutex_);
  const bool was_known = ledger_.Find(key) != nullptr;
  if (ledger_.ObserveDeleted(key, uid)) {
    store_.Write([&key](ClusterState& cluster) { cluster.Remove<Pod>(key); });
  }
  if (was_known || waiting_ > 0) Changed();
}

void InFlightPods::KeepListed(const std::set<ObjectKey>& listed) {
  const MutexLock lock(mutex_);
  store_.Write([&](ClusterState& cluster) {
    mutex_.AssertHeld();
    const Clock::time_point now = Now();
    for (const ObjectKey& key : cluster.Keys<Pod>()) {
      if (!listed.contains(key) && ledger_.ObserveUnlisted(key, now)) {
        cluster.Remove<Pod>(key);
      }
    }
  });
  Changed();
}

void InFlightPods::CheckDeadlines() {
  const MutexLock lock(mutex_);
  Expire();
}

InFlightPods::Clock::time_point InFlightPods::Now() const {
  return options_.now == nullptr ? Clock::now() : options_.now();
}

void InFlightPods::Changed() {
  metrics_.in_flight_pods().Set(static_cast<double>(ledger_.size()));
  changed_.NotifyAll();
  if (ledger_.first_expiry() < wakes_) work_.NotifyAll();
}

void InFlightPods::Ended(AssumedPod pod) {
  if (on_placement_ended_ == nullptr) return;
  ended_.push_back(std::move(pod));
  work_.NotifyAll();
}

void InFlightPods::Expire() {
  const Clock::time_point now = Now();
  if (ledger_.first_expiry() > now) return;
  store_.Write([&](ClusterState& cluster) {
    mutex_.AssertHeld();
    for (AssumedPod& pod : ledger_.Expire(now, cluster)) {
      LOG(WARNING) << "pod " << Name(KeyOf(pod))
                   << ": the outcome of an answer is still not known; "
                   << (pod.placed()
                           ? "its place on node " + pod.node + " is taken back"
                           : "it is waited for no longer");
      metrics_.in_flight_expirations().Increment();
      if (waiting_ > 0) expired_.insert(pod.ticket);
      if (pod.placed()) Ended(std::move(pod));
    }
  });
  Changed();
}

}  // namespace vicinal
