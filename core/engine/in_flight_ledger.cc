#include "core/engine/in_flight_ledger.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "core/engine/placement_dependency.h"
#include "core/index/stored_pod.h"

namespace vicinal {
namespace {

// Takes a pod off its node, as the watch knows it. One that the watch has not
// told of goes altogether.
void TakeOff(const ObjectKey& key, bool watched, ClusterState& cluster) {
  const StoredPod* known = cluster.FindPod(key);
  if (known == nullptr) return;
  if (!watched) {
    cluster.Remove<Pod>(key);
    return;
  }
  Pod pod = known->ToPod();
  pod.spec.node_name.clear();
  cluster.Upsert(std::move(pod));
}

}  // namespace

const InFlightLedger::Flight* InFlightLedger::Find(const ObjectKey& key) const {
  const auto it = flights_.find(key);
  return it == flights_.end() ? nullptr : &it->second;
}

void InFlightLedger::Forget(const ObjectKey& key, ClusterState& cluster) {
  const auto it = flights_.find(key);
  if (it == flights_.end()) return;
  if (it->second.placed()) TakeOff(key, it->second.watched, cluster);
  Erase(it);
}

InFlightLedger::Ticket InFlightLedger::Ask(std::shared_ptr<const PodInfo> pod,
                                           const ClusterState& cluster) {
  const ObjectMeta& meta = pod->pod.meta;
  const auto [it, is_new] = flights_.try_emplace(KeyOf(meta));
  Flight& flight = it->second;
  CHECK(!flight.placed()) << meta.name << " is placed";
  if (!is_new) unplaced_.erase(flight.ticket);
  flight = Flight();
  flight.ticket = ++last_ticket_;
  const StoredPod* known = cluster.FindPod(it->first);
  flight.watched = known != nullptr && known->uid() == meta.uid;
  flight.pod = std::move(pod);
  unplaced_.emplace(flight.ticket, &flight);
  return flight.ticket;
}

const InFlightLedger::Flight* InFlightLedger::BlockerOf(
    Ticket ticket, const ClusterState& cluster) const {
  if (!CanBlock(ticket)) return nullptr;
  const PlacementDependency depends(cluster, *unplaced_.at(ticket)->pod);
  for (const auto& [earlier, flight] : unplaced_) {
    if (earlier >= ticket) break;
    if (depends.On(*flight->pod)) return flight;
  }
  return nullptr;
}

InFlightLedger::Flight& InFlightLedger::Current(Ticket ticket) {
  const auto it = unplaced_.find(ticket);
  CHECK(it != unplaced_.end()) << "question " << ticket << " is not current";
  return *it->second;
}

void InFlightLedger::Open(Ticket ticket, TimePoint now) {
  Flight& flight = Current(ticket);
  Move(flight, State::kOpen);
  SetExpiry(flight, now);
}

void InFlightLedger::Assume(Ticket ticket, const std::string& node,
                            TimePoint now, ClusterState& cluster) {
  Flight& flight = Current(ticket);
  Move(flight, State::kAssumed);
  SetExpiry(flight, now);
  Place(flight, node, cluster);
}

void InFlightLedger::Withdraw(Ticket ticket) {
  Erase(flights_.find(KeyOf(Current(ticket).pod->pod.meta)));
}

InFlightLedger::Ticket InFlightLedger::StartBind(const ObjectKey& key,
                                                 const std::string& node,
                                                 ClusterState& cluster) {
  Flight& flight = flights_.at(key);
  CHECK(flight.state == State::kOpen || flight.state == State::kAssumed)
      << key.name << " cannot be bound from state "
      << static_cast<int>(flight.state);
  Move(flight, State::kBinding);
  if (flight.node != node) Place(flight, node, cluster);
  flight.ticket = ++last_ticket_;
  return flight.ticket;
}

void InFlightLedger::EndBind(const ObjectKey& key, Ticket ticket,
                             BindOutcome outcome, TimePoint now,
                             ClusterState& cluster) {
  const auto it = flights_.find(key);
  if (it == flights_.end() || it->second.ticket != ticket) return;
  switch (outcome) {
    case BindOutcome::kWritten:
      Move(it->second, State::kBound);
      break;
    case BindOutcome::kRefused:
      Forget(key, cluster);
      break;
    case BindOutcome::kUnknown:
      Move(it->second, State::kAssumed);
      SetExpiry(it->second, now);
      break;
  }
}

std::optional<Pod> InFlightLedger::Observe(Pod pod, TimePoint now) {
  const auto it = flights_.find(KeyOf(pod.meta));
  if (it == flights_.end()) return pod;
  Flight& flight = it->second;
  const Pod& asked = flight.pod->pod;
  if (pod.meta.uid != asked.meta.uid) {
    // Old news of an earlier pod of that name, whose place in the index the one
    // in flight may have taken.
    if (!flight.watched) {
      if (flight.placed()) return std::nullopt;
      return pod;
    }
    Erase(it);  // A later pod of that name.
    return pod;
  }
  flight.watched = true;
  const bool is_settled = !pod.spec.node_name.empty() || IsFinished(pod);
  const bool has_failed =
      pod.status.scheduling_failed && !asked.status.scheduling_failed &&
      (flight.state == State::kOpen || flight.state == State::kAssumed);
  if (is_settled || has_failed) {
    Erase(it);
    return pod;
  }
  // Before it prepares what takes long, the scheduler names the node that it
  // has chosen; a pod that could not be scheduled gets the node where it
  // preempts others by the same field.
  const std::string& nominated = pod.status.nominated_node_name;
  if (flight.state == State::kOpen && !nominated.empty() &&
      nominated != asked.status.nominated_node_name &&
      !pod.status.scheduling_failed) {
    Move(flight, State::kAssumed);
    SetExpiry(flight, now);
    flight.node = nominated;
  }
  if (flight.placed()) pod.spec.node_name = flight.node;
  return pod;
}

bool InFlightLedger::ObserveDeleted(const ObjectKey& key,
                                    const std::string& uid) {
  const auto it = flights_.find(key);
  if (it == flights_.end()) return true;
  if (!uid.empty() && uid != it->second.pod->pod.meta.uid) {
    return !it->second.placed();  // An earlier pod of that name.
  }
  Erase(it);
  return true;
}

bool InFlightLedger::ObserveUnlisted(const ObjectKey& key, TimePoint now) {
  const auto it = flights_.find(key);
  if (it == flights_.end()) return true;
  Flight& flight = it->second;
  if (flight.watched) {
    Erase(it);
    return true;
  }
  if (flight.state == State::kBound) {
    Move(flight, State::kAssumed);
    SetExpiry(flight, now);
  }
  return !flight.placed();
}

std::vector<InFlightLedger::Flight> InFlightLedger::Expire(
    TimePoint now, ClusterState& cluster) {
  std::vector<Flight> expired;
  if (!HasExpired(now)) return expired;
  first_expiry_ = TimePoint::max();
  for (auto it = flights_.begin(); it != flights_.end();) {
    const auto next = std::next(it);
    const Flight& flight = it->second;
    if (flight.state == State::kOpen || flight.state == State::kAssumed) {
      if (flight.expires <= now) {
        expired.push_back(flight);
        Forget(it->first, cluster);
      } else {
        first_expiry_ = std::min(first_expiry_, flight.expires);
      }
    }
    it = next;
  }
  return expired;
}

void InFlightLedger::Move(Flight& flight, State state) {
  if (!flight.placed() && state >= State::kAssumed) {
    unplaced_.erase(flight.ticket);
  }
  flight.state = state;
}

void InFlightLedger::SetExpiry(Flight& flight, TimePoint now) {
  flight.expires = now + deadline_;
  first_expiry_ = std::min(first_expiry_, flight.expires);
}

void InFlightLedger::Place(Flight& flight, const std::string& node,
                           ClusterState& cluster) {
  flight.node = node;
  Pod pod = flight.pod->pod;
  pod.spec.node_name = node;
  cluster.Upsert(std::move(pod));
}

void InFlightLedger::Erase(Flights::iterator flight) {
  if (!flight->second.placed()) unplaced_.erase(flight->second.ticket);
  flights_.erase(flight);
}

}  // namespace vicinal
