#include "core/engine/in_flight_ledger.h"

#include <glog/logging.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/engine/placement_dependency.h"
#include "core/index/stored_pod.h"

namespace vicinal {
namespace {

// Takes a pod off its node, and puts back what the watch has shown. One that
// the watch has not told of goes altogether.
void TakeOff(const ObjectKey& key, const InFlightLedger::AssumedPod& assumed,
             ClusterState& cluster) {
  if (assumed.shown != nullptr) {
    cluster.Upsert(*assumed.shown);
    return;
  }
  const StoredPod* known = cluster.FindPod(key);
  if (known == nullptr) return;
  if (!assumed.watched) {
    cluster.Remove<Pod>(key);
    return;
  }
  Pod pod = known->ToPod();
  pod.spec.node_name.clear();
  cluster.Upsert(std::move(pod));
}

// Whether the version of a pod that the watch shows is no newer than the one
// that was asked about. False if that is not known.
bool IsAsOldAs(const Pod& asked, const Pod& shown) {
  return shown.resource_version != 0 &&
         shown.resource_version <= asked.resource_version;
}

}  // namespace

bool InFlightLedger::AssumedPod::MayBind(const std::string& target) const {
  switch (state) {
    case State::kAssumed:
      return node == target;
    case State::kOfferedSeveral:
      return std::ranges::find(offered, target) != offered.end();
    default:
      return false;
  }
}

const InFlightLedger::AssumedPod* InFlightLedger::Find(
    const ObjectKey& key) const {
  const auto it = pods_.find(key);
  return it == pods_.end() ? nullptr : &it->second;
}

std::vector<NodeId> InFlightLedger::NodeIds(const ClusterState& cluster,
                                            const std::string& group) const {
  std::vector<std::string_view> names;
  if (group.empty()) {
    names.reserve(nodes_.size());
    std::ranges::unique_copy(nodes_, std::back_inserter(names));
  } else {
    for (const auto& [key, pod] : pods_) {
      const bool is_answer = pod.group == group && pod.state == State::kAssumed;
      if (!pod.node.empty() && !is_answer) names.push_back(pod.node);
    }
  }
  std::vector<NodeId> ids = cluster.FindNodeIds(names);
  std::erase(ids, kNoNode);
  return ids;
}

std::vector<std::shared_ptr<const PodInfo>> InFlightLedger::Refused() const {
  std::vector<std::shared_ptr<const PodInfo>> refused;
  for (const auto& [key, pod] : pods_) {
    if (pod.state == State::kRefused) refused.push_back(pod.pod);
  }
  return refused;
}

void InFlightLedger::Forget(const ObjectKey& key, ClusterState& cluster) {
  const auto it = pods_.find(key);
  if (it == pods_.end()) return;
  if (it->second.placed()) TakeOff(key, it->second, cluster);
  Erase(it);
}

std::vector<InFlightLedger::AssumedPod> InFlightLedger::ForgetGroupOf(
    const ObjectKey& key, const std::string& group, ClusterState& cluster) {
  std::vector<AssumedPod> forgotten;
  const auto known = groups_.find(group);
  if (known == groups_.end() || !known->second.asked.contains(key)) {
    return forgotten;
  }
  known->second.asked.clear();
  for (auto it = pods_.begin(); it != pods_.end();) {
    const auto next = std::next(it);
    const AssumedPod& pod = it->second;
    if (pod.group == group &&
        (pod.state == State::kRefused || pod.state == State::kOfferedSeveral ||
         pod.state == State::kAssumed)) {
      forgotten.push_back(pod);
      Forget(it->first, cluster);
    }
    it = next;
  }
  return forgotten;
}

InFlightLedger::Ticket InFlightLedger::Ask(std::shared_ptr<const PodInfo> pod,
                                           const ClusterState& cluster,
                                           std::string group,
                                           bool asked_again) {
  const ObjectMeta& meta = pod->pod.meta;
  const ObjectKey key = KeyOf(meta);
  if (const auto earlier = pods_.find(key); earlier != pods_.end()) {
    CHECK(!earlier->second.placed()) << meta.name << " is placed";
    Erase(earlier);
  }
  AssumedPod& asked = pods_[key];
  asked.ticket = ++last_ticket_;
  const StoredPod* known = cluster.FindPod(key);
  asked.watched = known != nullptr && known->uid() == meta.uid;
  asked.disputed = asked.watched && !known->IsLike(pod->pod);
  asked.failure = pod->pod.status.scheduling_failure;
  asked.asked_again = asked_again;
  asked.pod = std::move(pod);
  if (!group.empty()) {
    Group& members = groups_[group];
    ++members.pods;
    members.asked.insert(key);
  }
  asked.group = std::move(group);
  unplaced_.emplace(asked.ticket, &asked);
  return asked.ticket;
}

const InFlightLedger::AssumedPod* InFlightLedger::BlockerOf(
    Ticket ticket, const ClusterState& cluster) const {
  if (!CanBlock(ticket)) return nullptr;
  const PlacementDependency depends(cluster, *unplaced_.at(ticket)->pod);
  for (const auto& [earlier, pod] : unplaced_) {
    if (earlier >= ticket) break;
    if (depends.On(*pod->pod)) return pod;
  }
  return nullptr;
}

InFlightLedger::AssumedPod& InFlightLedger::Current(Ticket ticket) {
  const auto it = unplaced_.find(ticket);
  CHECK(it != unplaced_.end()) << "question " << ticket << " is not current";
  return *it->second;
}

void InFlightLedger::OfferNone(Ticket ticket, TimePoint now) {
  AssumedPod& pod = Current(ticket);
  Answer(pod, State::kRefused, now);
  if (pod.watched) pod.expires = TimePoint::max();
}

void InFlightLedger::OfferSeveral(Ticket ticket, std::vector<std::string> nodes,
                                  TimePoint now) {
  AssumedPod& pod = Current(ticket);
  pod.offered = std::move(nodes);
  Answer(pod, State::kOfferedSeveral, now);
}

void InFlightLedger::Assume(Ticket ticket, const std::string& node,
                            TimePoint now, ClusterState& cluster) {
  AssumedPod& pod = Current(ticket);
  Answer(pod, State::kAssumed, now);
  Place(pod, node, cluster);
}

void InFlightLedger::Withdraw(Ticket ticket) {
  Erase(pods_.find(KeyOf(Current(ticket).pod->pod.meta)));
}

InFlightLedger::Ticket InFlightLedger::StartBind(const ObjectKey& key,
                                                 const std::string& node,
                                                 ClusterState& cluster) {
  AssumedPod& pod = pods_.at(key);
  CHECK(pod.MayBind(node)) << key.name << " cannot be bound to " << node
                           << " from state " << static_cast<int>(pod.state);
  Move(pod, State::kBinding);
  if (pod.node != node) Place(pod, node, cluster);
  pod.ticket = ++last_ticket_;
  return pod.ticket;
}

void InFlightLedger::EndBind(const ObjectKey& key, Ticket ticket,
                             BindOutcome outcome, ClusterState& cluster) {
  const auto it = pods_.find(key);
  if (it == pods_.end() || it->second.ticket != ticket) return;
  switch (outcome) {
    case BindOutcome::kWritten:
      Move(it->second, State::kBound);
      break;
    case BindOutcome::kRefused:
      Forget(key, cluster);
      break;
  }
}

InFlightLedger::Observation InFlightLedger::Observe(Pod pod, TimePoint now) {
  const auto it = pods_.find(KeyOf(pod.meta));
  if (it == pods_.end()) return {std::move(pod), std::nullopt};
  AssumedPod& assumed = it->second;
  const Pod& asked = assumed.pod->pod;
  if (pod.meta.uid != asked.meta.uid) {
    // Old news of an earlier pod of that name, whose place in the index the one
    // in flight may have taken.
    if (!assumed.watched) {
      if (!assumed.placed()) return {std::move(pod), std::nullopt};
      assumed.shown =
          IsFinished(pod) ? nullptr : std::make_shared<const Pod>(pod);
      return {};
    }
    Erase(it);  // A later pod of that name.
    return {std::move(pod), std::nullopt};
  }
  if (!pod.spec.node_name.empty() || IsFinished(pod)) {
    Erase(it);
    return {std::move(pod), std::nullopt};
  }
  // The watch may be behind the scheduler, and then tells of earlier attempts.
  const bool is_new = !IsAsOldAs(asked, pod);
  const std::uint64_t failure = pod.status.scheduling_failure;
  const bool has_failed = is_new && failure != 0 && failure != assumed.failure;
  const bool is_answered = assumed.state == State::kOfferedSeveral ||
                           assumed.state == State::kAssumed;
  if (has_failed && is_answered && !assumed.asked_again) {
    Observation failed{std::move(pod), std::nullopt};
    if (assumed.placed()) failed.ended = assumed;
    Erase(it);
    return failed;
  }
  const bool was_confirmed = assumed.confirmed();
  assumed.watched = true;
  assumed.disputed =
      !HaveTheSameRules(pod, asked) || pod.meta.labels != asked.meta.labels;
  assumed.shown = nullptr;  // The index gets it.
  if (!was_confirmed && assumed.confirmed() && is_answered) {
    SetExpiry(assumed, assumed.answered + deadlines_.outcome);
  }
  if (assumed.state == State::kRefused) assumed.expires = TimePoint::max();
  if (has_failed) {
    // Of an earlier attempt, or of this one: the latter is not bound soon.
    if (is_answered) {
      SetExpiry(assumed, std::min(assumed.expires, now + deadlines_.unseen));
    }
    assumed.failure = failure;
    assumed.asked_again = false;
  }
  // Before it prepares what takes long, the scheduler names the node that it
  // has chosen; a pod that could not be scheduled gets the node where it
  // preempts others by the same field.
  const std::string& nominated = pod.status.nominated_node_name;
  if (is_new && assumed.state == State::kOfferedSeveral &&
      assumed.MayBind(nominated) &&
      nominated != asked.status.nominated_node_name && failure == 0) {
    Move(assumed, State::kAssumed);
    SetExpiry(assumed, now + deadlines_.outcome);
    SetNode(assumed, nominated);
  }
  if (is_new) {
    assumed.nominated = assumed.placed() && nominated == assumed.node;
  }
  if (assumed.placed()) pod.spec.node_name = assumed.node;
  return {std::move(pod), std::nullopt};
}

bool InFlightLedger::ObserveDeleted(const ObjectKey& key,
                                    const std::string& uid) {
  const auto it = pods_.find(key);
  if (it == pods_.end()) return true;
  if (!uid.empty() && uid != it->second.pod->pod.meta.uid) {
    it->second.shown = nullptr;
    return !it->second.placed();  // An earlier pod of that name.
  }
  Erase(it);
  return true;
}

bool InFlightLedger::ObserveUnlisted(const ObjectKey& key, TimePoint now) {
  const auto it = pods_.find(key);
  if (it == pods_.end()) return true;
  AssumedPod& pod = it->second;
  if (pod.watched) {
    Erase(it);
    return true;
  }
  pod.shown = nullptr;
  if (pod.state == State::kBound) {
    Move(pod, State::kAssumed);
    SetExpiry(pod, now + deadlines_.outcome);
  }
  return !pod.placed();
}

std::vector<InFlightLedger::AssumedPod> InFlightLedger::Expire(
    TimePoint now, ClusterState& cluster) {
  std::vector<AssumedPod> expired;
  if (first_expiry_ > now) return expired;
  first_expiry_ = TimePoint::max();
  for (auto it = pods_.begin(); it != pods_.end();) {
    const auto next = std::next(it);
    AssumedPod& pod = it->second;
    const bool can_expire = pod.state == State::kRefused ||
                            pod.state == State::kOfferedSeveral ||
                            pod.state == State::kAssumed;
    if (can_expire && pod.expires > now) {
      first_expiry_ = std::min(first_expiry_, pod.expires);
    } else if (can_expire && pod.nominated) {
      SetExpiry(pod, now + deadlines_.outcome);
    } else if (can_expire) {
      if (pod.state != State::kRefused) expired.push_back(pod);
      Forget(it->first, cluster);
    }
    it = next;
  }
  return expired;
}

void InFlightLedger::Move(AssumedPod& pod, State state) {
  const bool was_unplaced = pod.unplaced();
  pod.state = state;
  if (was_unplaced && !pod.unplaced()) unplaced_.erase(pod.ticket);
  if (state == State::kRefused) ++refused_;
}

void InFlightLedger::SetExpiry(AssumedPod& pod, TimePoint expires) {
  pod.expires = expires;
  first_expiry_ = std::min(first_expiry_, expires);
}

void InFlightLedger::Answer(AssumedPod& pod, State state, TimePoint now) {
  Move(pod, state);
  pod.answered = now;
  SetExpiry(pod, now + (pod.confirmed()
                            ? deadlines_.outcome
                            : std::min(deadlines_.outcome, deadlines_.unseen)));
}

void InFlightLedger::Place(AssumedPod& pod, const std::string& node,
                           ClusterState& cluster) {
  SetNode(pod, node);
  Pod placed = pod.pod->pod;
  if (!pod.confirmed()) {
    const StoredPod* const known = cluster.FindPod(KeyOf(placed.meta));
    if (known != nullptr) {
      pod.shown = std::make_shared<const Pod>(known->ToPod());
    }
  }
  placed.spec.node_name = node;
  cluster.Upsert(std::move(placed));
}

void InFlightLedger::SetNode(AssumedPod& pod, const std::string& node) {
  if (!pod.node.empty()) nodes_.erase(nodes_.find(pod.node));
  pod.node = node;
  nodes_.insert(node);
}

void InFlightLedger::Erase(Pods::iterator pod) {
  const std::string& node = pod->second.node;
  if (!node.empty()) nodes_.erase(nodes_.find(node));
  if (pod->second.unplaced()) unplaced_.erase(pod->second.ticket);
  if (pod->second.state == State::kRefused) --refused_;
  const auto group = groups_.find(pod->second.group);
  if (group != groups_.end() && --group->second.pods == 0) groups_.erase(group);
  pods_.erase(pod);
}

}  // namespace vicinal
