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

ObjectKey KeyOf(const InFlightLedger::Flight& flight) {
  return KeyOf(flight.pod->pod.meta);
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
                           Options options)
    : store_(store),
      metrics_(metrics),
      options_(options),
      ledger_(options.deadline) {}

InFlightPods::Question::~Question() {
  if (pods_ == nullptr) return;
  const MutexLock lock(pods_->mutex_);
  if (!pods_->ledger_.IsCurrent(ticket_)) return;
  pods_->ledger_.Withdraw(ticket_);
  pods_->Changed();
}

absl::Status InFlightPods::Question::Open() {
  if (pods_ == nullptr) return absl::OkStatus();
  InFlightPods& pods = *std::exchange(pods_, nullptr);
  const MutexLock lock(pods.mutex_);
  if (!pods.ledger_.IsCurrent(ticket_)) return Void();
  pods.ledger_.Open(ticket_, Clock::now());
  return absl::OkStatus();
}

absl::Status InFlightPods::Question::Assume(const std::string& node) {
  if (pods_ == nullptr) return absl::OkStatus();
  InFlightPods& pods = *std::exchange(pods_, nullptr);
  const MutexLock lock(pods.mutex_);
  if (!pods.ledger_.IsCurrent(ticket_)) return Void();
  pods.store_.Write([&](ClusterState& cluster) {
    pods.mutex_.AssertHeld();
    pods.ledger_.Assume(ticket_, node, Clock::now(), cluster);
  });
  pods.Changed();
  return absl::OkStatus();
}

absl::StatusOr<InFlightPods::Question> InFlightPods::Ask(
    std::shared_ptr<const PodInfo> pod) {
  if (!options_.enabled) return Question(nullptr, 0);
  const std::string uid = pod->pod.meta.uid;
  const ObjectKey key = KeyOf(pod->pod.meta);
  const MutexLock lock(mutex_);
  Expire(key);
  if (uid.empty()) return Question(nullptr, 0);
  const Clock::time_point limit = Clock::now() + options_.max_wait;
  if (!AwaitBinding(key, uid, limit)) {
    metrics_.in_flight_wait_timeouts().Increment();
    return absl::DeadlineExceededError(
        "a binding of the pod is still being written");
  }
  if (absl::Status free = CheckNotBound(key, uid); !free.ok()) return free;
  const InFlightLedger::Flight* earlier = ledger_.Find(key);
  if (earlier != nullptr && earlier->placed()) {
    store_.Write([&](ClusterState& cluster) {
      mutex_.AssertHeld();
      ledger_.Forget(key, cluster);
    });
  }
  const InFlightLedger::Ticket ticket =
      store_.Read([&](const ClusterState& cluster) {
        mutex_.AssertHeld();
        return ledger_.Ask(std::move(pod), cluster);
      });
  Changed();
  if (absl::Status known = WaitForBlockers(ticket, limit); !known.ok()) {
    if (ledger_.IsCurrent(ticket)) ledger_.Withdraw(ticket);
    Changed();
    return known;
  }
  return Question(this, ticket);
}

absl::Status InFlightPods::CheckNotBound(const ObjectKey& key,
                                         const std::string& uid) {
  if (const InFlightLedger::Flight* flight = ledger_.Find(key)) {
    return flight->state == State::kBound && flight->pod->pod.meta.uid == uid
               ? BoundTo(flight->node)
               : absl::OkStatus();
  }
  const std::string node = store_.Read([&](const ClusterState& cluster) {
    const StoredPod* known = cluster.FindPod(key);
    return known != nullptr && known->uid() == uid && known->node() != nullptr
               ? known->node()->Name()
               : std::string();
  });
  return node.empty() ? absl::OkStatus() : BoundTo(node);
}

bool InFlightPods::IsBinding(const ObjectKey& key,
                             const std::string& uid) const {
  const InFlightLedger::Flight* flight = ledger_.Find(key);
  return flight != nullptr && flight->state == State::kBinding &&
         flight->pod->pod.meta.uid == uid;
}

bool InFlightPods::AwaitBinding(const ObjectKey& key, const std::string& uid,
                                Clock::time_point limit) {
  while (IsBinding(key, uid)) {
    if (!changed_.WaitUntil(mutex_, limit)) return !IsBinding(key, uid);
  }
  return true;
}

absl::Status InFlightPods::WaitForBlockers(InFlightLedger::Ticket ticket,
                                           Clock::time_point limit) {
  const Clock::time_point start = Clock::now();
  absl::Status result;
  bool waited = false;
  while (ledger_.IsCurrent(ticket) && ledger_.CanBlock(ticket)) {
    const InFlightLedger::Flight* blocker =
        store_.Read([&](const ClusterState& cluster) {
          mutex_.AssertHeld();
          return ledger_.BlockerOf(ticket, cluster);
        });
    if (blocker == nullptr) break;
    waited = true;
    const ObjectKey key = KeyOf(*blocker);
    const bool asked = blocker->state == State::kAsked;
    const bool timed_out = !changed_.WaitUntil(mutex_, limit);
    if (!Expire(key) && !timed_out) continue;
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
                                                const std::string& node) {
  using Kind = BindStart::Kind;
  if (!options_.enabled) return {};
  const MutexLock lock(mutex_);
  Expire(key);
  if (!AwaitBinding(key, uid, Clock::now() + options_.max_wait)) {
    return {Kind::kRefused, 0, "a binding of the pod is still being written"};
  }
  if (const absl::Status free = CheckNotBound(key, uid); !free.ok()) {
    if (free == BoundTo(node)) return {Kind::kAlreadyBound, 0, ""};
    return {Kind::kRefused, 0, std::string(free.message())};
  }
  const InFlightLedger::Flight* flight = ledger_.Find(key);
  const bool expected =
      flight != nullptr && flight->pod->pod.meta.uid == uid &&
      (flight->state == State::kOpen ||
       (flight->state == State::kAssumed && flight->node == node));
  if (!expected) return {Kind::kUnexpected, 0, ""};
  BindStart started;
  store_.Write([&](ClusterState& cluster) {
    mutex_.AssertHeld();
    started.ticket = ledger_.StartBind(key, node, cluster);
  });
  Changed();
  return started;
}

void InFlightPods::EndBind(const ObjectKey& key, InFlightLedger::Ticket ticket,
                           InFlightLedger::BindOutcome outcome) {
  if (!options_.enabled) return;
  const MutexLock lock(mutex_);
  store_.Write([&](ClusterState& cluster) {
    mutex_.AssertHeld();
    ledger_.EndBind(key, ticket, outcome, Clock::now(), cluster);
  });
  Changed();
}

void InFlightPods::Upsert(Pod pod) {
  const MutexLock lock(mutex_);
  const std::size_t before = ledger_.size();
  const ObjectKey key = KeyOf(pod.meta);
  const bool was_known = ledger_.Find(key) != nullptr;
  std::optional<Pod> put = ledger_.Observe(std::move(pod), Clock::now());
  if (put) {
    store_.Write(
        [&put](ClusterState& cluster) { cluster.Upsert(*std::move(put)); });
  }
  if (was_known || ledger_.size() != before) Changed();
  Expire(key);
}

void InFlightPods::Remove(const ObjectKey& key, const std::string& uid) {
  const MutexLock lock(mutex_);
  const bool was_known = ledger_.Find(key) != nullptr;
  if (ledger_.ObserveDeleted(key, uid)) {
    store_.Write([&key](ClusterState& cluster) { cluster.Remove<Pod>(key); });
  }
  if (was_known) Changed();
}

void InFlightPods::KeepListed(const std::set<ObjectKey>& listed) {
  const MutexLock lock(mutex_);
  store_.Write([&](ClusterState& cluster) {
    mutex_.AssertHeld();
    const Clock::time_point now = Clock::now();
    for (const ObjectKey& key : cluster.Keys<Pod>()) {
      if (!listed.contains(key) && ledger_.ObserveUnlisted(key, now)) {
        cluster.Remove<Pod>(key);
      }
    }
  });
  Changed();
}

void InFlightPods::Changed() {
  metrics_.in_flight_pods().Set(static_cast<double>(ledger_.size()));
  changed_.NotifyAll();
}

bool InFlightPods::Expire(const ObjectKey& key) {
  const Clock::time_point now = Clock::now();
  if (!ledger_.HasExpired(now)) return false;
  bool found = false;
  store_.Write([&](ClusterState& cluster) {
    mutex_.AssertHeld();
    for (const InFlightLedger::Flight& flight : ledger_.Expire(now, cluster)) {
      LOG(WARNING) << "pod " << Name(KeyOf(flight))
                   << ": the outcome of an answer is still not known; "
                   << (flight.placed() ? "its place on node " + flight.node +
                                             " is taken back"
                                       : "it is waited for no longer");
      metrics_.in_flight_expirations().Increment();
      found |= KeyOf(flight) == key;
    }
  });
  Changed();
  return found;
}

}  // namespace vicinal
