// Pods between the answer to their question and the news of where they went.
//
// The scheduler asks about the next pod while the last one is still being
// bound. A placement that is known is put into the index at once, as the pod
// with spec.nodeName set, and this ledger remembers that it is assumed: what
// the watch tells meanwhile must not undo it. A placement that is not known
// yet, because several nodes were offered, holds up the questions it matters
// to. A pod that was refused is remembered too: it may wait for the place of
// another that is in flight.
//
//        OfferNone                                            StartBind
//   refused <──────┐                   ┌──> offered several ──────────────┐
//                  │      OfferSeveral │         │ nominated              │
//          Ask     │                   │         v           StartBind    v
//   ( ) ────────> asked ───────────────┴────> assumed ───────────────> binding
//                  │                  Assume                            │   │
//   ( ) <──────────┘ Withdraw                                           │   │
//   ( ) <───────────────────────────────────── EndBind(refused) ────────┘   │
//   ( ) <───────── the watch shows the node ──────── bound <────────────────┘
//                                                          EndBind(written)
//
// In the states assumed, binding and bound the index has the pod on the node.
// From every state the flight ends when the watch shows the pod on a node, or
// says that it was deleted or has finished. A new question about the pod ends
// every state but binding and bound. The states offered several and assumed
// also end when the watch shows that an attempt to schedule the pod has failed
// after the question, and when the deadline passes. Unless the pod was bound it
// is then taken off its node.
#ifndef VICINAL_CORE_ENGINE_IN_FLIGHT_LEDGER_H_
#define VICINAL_CORE_ENGINE_IN_FLIGHT_LEDGER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/index/node_id.h"
#include "core/index/pod_info.h"
#include "core/model/pod.h"

namespace vicinal {

// Not thread-safe. The cluster that is passed must always be the same one.
// Costs are O(log pods) and those of the cluster's Upsert unless said
// otherwise.
class InFlightLedger {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;
  // A question, or the writing of a binding. Later ones are larger.
  using Ticket = std::uint64_t;

  enum class State {
    kAsked,
    kRefused,
    kOfferedSeveral,
    kAssumed,
    kBinding,
    kBound
  };

  struct AssumedPod {
    Ticket ticket = 0;
    State state = State::kAsked;
    std::shared_ptr<const PodInfo> pod;  // As it was asked about.
    std::string node;                    // Set where the index has it there.
    std::vector<std::string> offered;    // While several are offered.
    TimePoint answered;
    TimePoint expires = TimePoint::max();
    bool watched = false;  // The watch has told of this very pod (its uid).
    // The watch has shown it with other labels or rules than it was asked about
    // with: the question was ahead of the watch or behind it, or forged.
    bool disputed = false;
    // While the index has the pod as it was asked about: what the watch has
    // shown under its name, if that is another uid or disputed.
    std::shared_ptr<const Pod> shown;
    bool nominated = false;  // The watch has shown it nominated for `node`.
    // The scheduler has asked before with the very same version of the pod: the
    // first failure that the watch shows may be that of the earlier attempt.
    bool asked_again = false;
    // The failure that is known: as the question showed it, or since.
    std::uint64_t failure = 0;
    std::string group;  // As Ask was told.

    // Whether the index has the pod on `node`.
    bool placed() const { return state >= State::kAssumed; }
    // Whether nobody knows where it will go.
    bool unplaced() const {
      return state == State::kAsked || state == State::kOfferedSeveral;
    }
    // Whether the watch shows the pod as it was asked about.
    bool confirmed() const { return watched && !disputed; }
    // Whether the answer allows a binding to that node.
    bool MayBind(const std::string& target) const;
  };

  // How the writing of a binding ended.
  enum class BindOutcome { kWritten, kRefused };

  struct Deadlines {
    // How long the outcome of an answer is waited for.
    Duration outcome = std::chrono::seconds(60);
    // The same for a pod that the watch has not told of, or tells otherwise of:
    // there may be no such pod.
    Duration unseen = std::chrono::seconds(2);
  };

  explicit InFlightLedger(const Deadlines& deadlines) : deadlines_(deadlines) {}

  // Null if no pod of that name is known. Good until the next change.
  const AssumedPod* Find(const ObjectKey& key) const;
  // The pods in flight: all but the refused ones.
  std::size_t size() const { return pods_.size() - refused_; }
  // The nodes that the index has pods in flight on, without those that it does
  // not know. Not those of the answers about pods of `group`: the scheduler
  // knows these while it asks about another one of them, and may have taken
  // pods away in thought to make room. Cost: O(pods in flight), with a group
  // O(pods).
  std::vector<NodeId> NodeIds(const ClusterState& cluster,
                              const std::string& group = "") const;
  // The pods whose latest answer was that nothing fits. Cost: O(pods).
  std::vector<std::shared_ptr<const PodInfo>> Refused() const;

  // Forgets a pod, if it is known, and takes it off its node.
  void Forget(const ObjectKey& key, ClusterState& cluster);

  // The scheduler asks about the pods of a group one after the other, and may
  // then give all of them up without a word. When it asks about one of them for
  // the second time, it begins anew: forgets those of the group that have been
  // answered and are not being bound, takes them off their nodes, and returns
  // them. Which pods it has asked about since the last time is remembered as
  // long as any pod of the group is known: the watch may end the flights of
  // some of them in between. Does nothing if `key` is not among them.
  // Cost: O(pods).
  std::vector<AssumedPod> ForgetGroupOf(const ObjectKey& key,
                                        const std::string& group,
                                        ClusterState& cluster);

  // A question begins; it takes the place of an earlier question about the same
  // pod. The pod must not be placed (see Forget). `group`: the pods with which
  // it is scheduled together, "" for none. `asked_again`: see AssumedPod.
  Ticket Ask(std::shared_ptr<const PodInfo> pod, const ClusterState& cluster,
             std::string group = "", bool asked_again = false);

  // A pod that was asked about before the question `ticket`, whose place is not
  // known and matters to the question; null if there is none.
  // Cost: O(pods whose place is not known × terms), nothing without such pods.
  const AssumedPod* BlockerOf(Ticket ticket, const ClusterState& cluster) const;
  // Whether a call of BlockerOf can be spared.
  bool CanBlock(Ticket ticket) const {
    return !unplaced_.empty() && unplaced_.begin()->first < ticket;
  }

  // Whether the question has not been overtaken by a later one.
  bool IsCurrent(Ticket ticket) const { return unplaced_.contains(ticket); }

  // What a current question was answered: no node; several nodes; one node,
  // which the index gets at once; or nothing, since there was an error.
  void OfferNone(Ticket ticket, TimePoint now);
  void OfferSeveral(Ticket ticket, std::vector<std::string> nodes,
                    TimePoint now);
  void Assume(Ticket ticket, const std::string& node, TimePoint now,
              ClusterState& cluster);
  void Withdraw(Ticket ticket);

  // The binding of a pod, which MayBind to `node`, begins to be written; from
  // now on it is there.
  Ticket StartBind(const ObjectKey& key, const std::string& node,
                   ClusterState& cluster);
  // Does nothing if the watch has told the outcome meanwhile.
  void EndBind(const ObjectKey& key, Ticket ticket, BindOutcome outcome,
               ClusterState& cluster);

  // What the watch has told about a pod.
  struct Observation {
    // What the index is to hold; absent: what it has.
    std::optional<Pod> put;
    // A failed attempt has ended this placement.
    std::optional<AssumedPod> ended;
  };
  Observation Observe(Pod pod, TimePoint now);
  // The watch says that a pod was deleted. Whether the index is to lose the pod
  // of that name. An empty uid: it is not known.
  bool ObserveDeleted(const ObjectKey& key, const std::string& uid);
  // A new list does not have a pod that the index has. Whether the index is to
  // lose it: a pod that was assumed before the watch told of it may be newer
  // than the list; it then has until the deadline to appear.
  bool ObserveUnlisted(const ObjectKey& key, TimePoint now);

  // Forgets the pods whose deadline has passed, and returns those that were in
  // flight. A placement that the pod's nomination confirms gets another
  // deadline instead: the scheduler prepares what takes long, such as volumes.
  // Cost: O(1) as long as the first has not passed, else O(pods).
  std::vector<AssumedPod> Expire(TimePoint now, ClusterState& cluster);
  // No deadline passes before; may be too early.
  TimePoint first_expiry() const { return first_expiry_; }

 private:
  using Pods = std::map<ObjectKey, AssumedPod>;

  struct Group {
    std::size_t pods = 0;       // That are known.
    std::set<ObjectKey> asked;  // Since the scheduler began anew.
  };

  // Changes the state and what follows from it.
  void Move(AssumedPod& pod, State state);
  void SetExpiry(AssumedPod& pod, TimePoint expires);
  // As an answer given at `now`.
  void Answer(AssumedPod& pod, State state, TimePoint now);
  void Place(AssumedPod& pod, const std::string& node, ClusterState& cluster);
  void SetNode(AssumedPod& pod, const std::string& node);
  void Erase(Pods::iterator pod);
  AssumedPod& Current(Ticket ticket);

  const Deadlines deadlines_;
  Ticket last_ticket_ = 0;
  Pods pods_;
  std::multiset<std::string> nodes_;  // AssumedPod::node of all that have one.
  std::size_t refused_ = 0;           // How many of them are.
  std::map<std::string, Group> groups_;     // Those with known pods.
  std::map<Ticket, AssumedPod*> unplaced_;  // Those that are.
  TimePoint first_expiry_ = TimePoint::max();
};

}  // namespace vicinal

#endif  // VICINAL_CORE_ENGINE_IN_FLIGHT_LEDGER_H_
