// Where pods are, with those between a question and their binding: what the
// watch tells and what vicinal itself has answered come together here.
#ifndef VICINAL_SERVER_STATE_IN_FLIGHT_PODS_H_
#define VICINAL_SERVER_STATE_IN_FLIGHT_PODS_H_

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/engine/in_flight_ledger.h"
#include "core/index/cluster_state.h"
#include "core/index/node_id.h"
#include "core/index/pod_info.h"
#include "core/model/pod.h"
#include "core/sync/mutex.h"
#include "server/metrics/metrics.h"
#include "server/state/cluster_store.h"

namespace vicinal {

// The ledger of pods in flight, with its lock, its waiting questions, and a
// thread for its deadlines. Changes of pods must come through here, all others
// go to the store.
//
// One decision per pod: a question ends what an earlier one about the pod led
// to, and a binding must be of the latest answer.
//
// Pods without a uid never went through an API server: questions about them are
// hypothetical, and leave nothing behind.
//
// Thread-safe. The mutex here is taken before the store's lock, so nothing here
// may be called from within ClusterStore::Read or Write.
class InFlightPods {
 public:
  using Clock = std::chrono::steady_clock;

  struct Options {
    // False: as if nothing were ever in flight.
    bool enabled = true;
    // How long a question waits for pods whose place is not known yet.
    std::chrono::milliseconds max_wait{3000};
    // How long the outcome of an answer is waited for.
    std::chrono::milliseconds deadline{60'000};
    // The same while the watch has not shown the pod: it may not exist.
    std::chrono::milliseconds unseen_deadline{2000};
    // For tests: another clock for the deadlines, which then pass only when
    // something is asked or CheckDeadlines is called.
    std::function<Clock::time_point()> now = nullptr;
  };

  // A placement that came to nothing: `ended` is not on its node any more. The
  // pods `refused` were told that nothing fits, and may wait for that place.
  // Called on a thread of its own, one call at a time.
  using OnPlacementEnded = std::function<void(
      const InFlightLedger::AssumedPod& ended,
      const std::vector<std::shared_ptr<const PodInfo>>& refused)>;

  // The store and the metrics must outlive it.
  InFlightPods(ClusterStore& store, Metrics& metrics, Options options,
               OnPlacementEnded on_placement_ended = nullptr);
  ~InFlightPods();

  // A question that is being answered. Withdrawn when it is destroyed without
  // having been answered.
  class Question {
   public:
    Question(Question&& other) noexcept
        : pods_(std::exchange(other.pods_, nullptr)), ticket_(other.ticket_) {}
    Question& operator=(Question&&) = delete;
    ~Question();

    // The answer has no node; several; or one, where the pod is from now on.
    // Error (Aborted): what happened to the pod meanwhile has made the question
    // void, and the answer must not be given.
    absl::Status OfferNone();
    absl::Status OfferSeveral(std::vector<std::string> nodes);
    absl::Status Assume(const std::string& node);

    // Whether the pod may go to the node.
    using Check = std::function<absl::Status(const ClusterState&)>;
    // As Assume, if the check says so while nothing can change; else withdraws
    // the question and returns what the check has said.
    absl::Status AssumeIf(const std::string& node, const Check& check);

   private:
    friend class InFlightPods;
    Question(InFlightPods* pods, InFlightLedger::Ticket ticket)
        : pods_(pods), ticket_(ticket) {}

    InFlightPods* pods_;  // Null: nothing is to be done any more.
    InFlightLedger::Ticket ticket_;
  };

  // Begins to answer a question about a pod; what an earlier answer about it
  // had led to is taken back. Waits until the place is known of every pod that
  // matters to the answer. Errors: DeadlineExceeded, with the pod it waited
  // for; FailedPrecondition, if the pod is bound, or being bound, or another
  // pod of that name is; Aborted, as above; Unimplemented, if another pod of
  // its group that matters to the answer was offered several nodes, which no
  // wait would change. `group`: the pods with which it is scheduled together,
  // "" for none; the second question about one of them ends what all of them
  // led to.
  absl::StatusOr<Question> Ask(std::shared_ptr<const PodInfo> pod,
                               const std::string& group = "");
  // As Ask, but an error at once where Ask waits.
  absl::StatusOr<Question> AskAtOnce(std::shared_ptr<const PodInfo> pod);

  // The writing of a binding.
  struct BindStart {
    enum class Kind {
      kStarted,
      kAlreadyBound,  // To that node: nothing is to be written.
      // No answer is on record, or one about another pod than the watch shows:
      // the node must be asked about first.
      kNoAnswer,
      // The watch has not shown the pod yet: see Show; if it cannot be shown,
      // EndBind.
      kNotShown,
      kRefused,
    };

    Kind kind = Kind::kStarted;
    // For EndBind, if started or not shown.
    InFlightLedger::Ticket ticket = 0;
    std::string message;  // Why it is refused.
  };

  // Whether a node has room for the pod beside those that are there.
  using HasRoom =
      std::function<absl::Status(const ClusterState&, const PodInfo&)>;

  // From now on the pod is on the node, until EndBind. Refused if the latest
  // answer about the pod was another one, if another binding of it is being
  // written, or if it was offered several nodes and this one is full by now
  // (`has_room`; null: not looked at): such a pod counts nowhere until here.
  // With `must_be_shown` the watch, or Show, must have shown the pod.
  BindStart StartBind(const ObjectKey& key, const std::string& uid,
                      const std::string& node,
                      const HasRoom& has_room = nullptr,
                      bool must_be_shown = false);
  // The API server was asked about a pod that is not shown yet, and this is it.
  // Does nothing if the watch has told of the pod meanwhile.
  void Show(Pod pod);
  // The outcome of the binding, or, where the pod was not shown, of the answer
  // about it: refused, since such a pod is not bound. Does nothing if the pod
  // was asked about, or the watch has told of its binding, since the ticket.
  void EndBind(const ObjectKey& key, InFlightLedger::Ticket ticket,
               InFlightLedger::BindOutcome outcome);

  // Whether pods in flight are kept account of: there is an API server.
  bool enabled() const { return options_.enabled; }

  // The nodes with pods in flight, those that the index knows, without the
  // answers about pods of this group. Good until a node goes: then an id may be
  // of another node.
  std::vector<NodeId> NodeIds(const std::string& group = "") const;

  // What the watch tells. An empty uid: it is not known.
  void Upsert(Pod pod);
  void Remove(const ObjectKey& key, const std::string& uid);
  // Removes all pods that are not in `listed`.
  void KeepListed(const std::set<ObjectKey>& listed);

  // Ends what has passed its deadline; a thread does so by itself.
  void CheckDeadlines();

 private:
  absl::StatusOr<Question> AskUntil(std::shared_ptr<const PodInfo> pod,
                                    const std::string& group,
                                    Clock::time_point limit);
  // The body of the thread: deadlines, and placements that have ended.
  void Run();

  // Not OK if the pod is on a node for good, or is being bound.
  absl::Status CheckFree(const ObjectKey& key, const std::string& uid)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The node that another pod of that name is on, or was bound to; "": none.
  std::string NodeOfAnother(const ObjectKey& key, const std::string& uid) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Blocks until the watch has told that an earlier pod of that name has gone:
  // two of one name are never there.
  absl::Status WaitForEarlier(const ObjectKey& key, const std::string& uid,
                              Clock::time_point limit)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Blocks until nothing that matters to the question is unknown.
  absl::Status WaitForBlockers(InFlightLedger::Ticket ticket,
                               const std::string& group,
                               Clock::time_point limit)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Changed() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What the API server has told of a pod.
  void Observe(Pod pod) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A placement came to nothing.
  void Ended(InFlightLedger::AssumedPod pod)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Forgets what has passed its deadline.
  void Expire() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Clock::time_point Now() const;

  ClusterStore& store_;
  Metrics& metrics_;
  const Options options_;
  const OnPlacementEnded on_placement_ended_;
  mutable Mutex mutex_;
  CondVar changed_;  // With mutex_.
  InFlightLedger ledger_ ABSL_GUARDED_BY(mutex_);
  int waiting_ ABSL_GUARDED_BY(mutex_) = 0;  // Questions that wait.
  // What expired while they did.
  std::set<InFlightLedger::Ticket> expired_ ABSL_GUARDED_BY(mutex_);

  CondVar work_;  // With mutex_: something for the thread.
  // When the thread looks next by itself.
  Clock::time_point wakes_ ABSL_GUARDED_BY(mutex_) = Clock::time_point::max();
  std::vector<InFlightLedger::AssumedPod> ended_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_IN_FLIGHT_PODS_H_
