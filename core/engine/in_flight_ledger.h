// Pods between the answer to their question and the news of where they went.
//
// The scheduler asks about the next pod while the last one is still being
// bound. A placement that is known is put into the index at once, as the pod
// with spec.nodeName set, and this ledger remembers that it is assumed: what
// the watch tells meanwhile must not undo it. A placement that is not known
// yet, because several nodes were offered, holds up the questions it matters
// to.
//
//          Ask                 Open                      StartBind
//   ( ) ────────> asked ──────────────────> open ───────────────────┐
//                  │ │                       │ nominated             │
//        Withdraw  │ │        Assume         v           StartBind   v
//   ( ) <──────────┘ └──────────────────> assumed ───────────────> binding
//                                            ^                      │   │
//                                            └──────────────────────┘   │
//   ( ) <───────────────────────────────────── EndBind(refused) ────┘   │
//                                              EndBind(unknown)         │
//   ( ) <───────── the watch shows the node ──────── bound <────────────┘
//                                                          EndBind(written)
//
// In the states of the lower row the index has the pod on the node. From every
// state the flight ends when the watch shows the pod on a node, says that it
// was deleted or has finished, or (open, assumed) that an attempt to schedule
// it has failed; when it is asked about again; and open and assumed when
// the deadline passes. Unless the pod was bound it is then taken off its node.
#ifndef VICINAL_CORE_ENGINE_IN_FLIGHT_LEDGER_H_
#define VICINAL_CORE_ENGINE_IN_FLIGHT_LEDGER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/model/pod.h"

namespace vicinal {

// Not thread-safe. The cluster that is passed must always be the same one.
// Costs are O(log flights) and those of the cluster's Upsert unless said
// otherwise.
class InFlightLedger {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // A question, or the writing of a binding. Later ones are larger.
  using Ticket = std::uint64_t;

  enum class State { kAsked, kOpen, kAssumed, kBinding, kBound };

  struct Flight {
    Ticket ticket = 0;
    State state = State::kAsked;
    std::shared_ptr<const PodInfo> pod;  // As it was asked about.
    std::string node;                    // Set where the index has it there.
    TimePoint expires;                   // While open or assumed.
    bool watched = false;  // The watch has told of this very pod (its uid).

    // Whether the index has the pod on `node`.
    bool placed() const { return state >= State::kAssumed; }
  };

  // How the writing of a binding ended.
  enum class BindOutcome { kWritten, kRefused, kUnknown };

  explicit InFlightLedger(std::chrono::steady_clock::duration deadline)
      : deadline_(deadline) {}

  // Null if no pod of that name is in flight. Good until the next change.
  const Flight* Find(const ObjectKey& key) const;
  std::size_t size() const { return flights_.size(); }

  // Ends a flight, if there is one, and takes the pod off its node.
  void Forget(const ObjectKey& key, ClusterState& cluster);

  // A question begins; it takes the place of a question about the same pod that
  // is open or being answered. The pod must not be placed (see Forget).
  Ticket Ask(std::shared_ptr<const PodInfo> pod, const ClusterState& cluster);

  // A pod that was asked about before the question `ticket`, whose place is not
  // known and matters to the question; null if there is none.
  // Cost: O(pods whose place is not known × terms), nothing without such pods.
  const Flight* BlockerOf(Ticket ticket, const ClusterState& cluster) const;
  // Whether a call of BlockerOf can be spared.
  bool CanBlock(Ticket ticket) const {
    return !unplaced_.empty() && unplaced_.begin()->first < ticket;
  }

  // Whether the question has not been overtaken by a later one.
  bool IsCurrent(Ticket ticket) const { return unplaced_.contains(ticket); }

  // What a current question was answered: several nodes; one node, which the
  // index gets at once; or none.
  void Open(Ticket ticket, TimePoint now);
  void Assume(Ticket ticket, const std::string& node, TimePoint now,
              ClusterState& cluster);
  void Withdraw(Ticket ticket);

  // The binding of a pod that is open or assumed begins to be written; from now
  // on it is on `node`.
  Ticket StartBind(const ObjectKey& key, const std::string& node,
                   ClusterState& cluster);
  // Does nothing if the flight has ended meanwhile.
  void EndBind(const ObjectKey& key, Ticket ticket, BindOutcome outcome,
               TimePoint now, ClusterState& cluster);

  // What the index is to hold instead of a pod that the watch tells of; absent:
  // what it has.
  std::optional<Pod> Observe(Pod pod, TimePoint now);
  // The watch says that a pod was deleted. Whether the index is to lose the pod
  // of that name. An empty uid: it is not known.
  bool ObserveDeleted(const ObjectKey& key, const std::string& uid);
  // A new list does not have a pod that the index has. Whether the index is to
  // lose it: a pod that was assumed before the watch told of it may be newer
  // than the list; it then has until the deadline to appear.
  bool ObserveUnlisted(const ObjectKey& key, TimePoint now);

  // Forgets the flights whose deadline has passed, and returns what they were.
  // Cost: O(1) as long as the first has not.
  std::vector<Flight> Expire(TimePoint now, ClusterState& cluster);
  bool HasExpired(TimePoint now) const { return first_expiry_ <= now; }

 private:
  using Flights = std::map<ObjectKey, Flight>;

  // Changes the state and what follows from it.
  void Move(Flight& flight, State state);
  void SetExpiry(Flight& flight, TimePoint now);
  void Place(Flight& flight, const std::string& node, ClusterState& cluster);
  void Erase(Flights::iterator flight);
  Flight& Current(Ticket ticket);

  const std::chrono::steady_clock::duration deadline_;
  Ticket last_ticket_ = 0;
  Flights flights_;
  std::map<Ticket, Flight*> unplaced_;  // Those asked and open.
  // No flight expires before; may be too early.
  TimePoint first_expiry_ = TimePoint::max();
};

}  // namespace vicinal

#endif  // VICINAL_CORE_ENGINE_IN_FLIGHT_LEDGER_H_
