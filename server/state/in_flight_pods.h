// Where pods are, with those between a question and their binding: what the
// watch tells and what vicinal itself has answered come together here.
#ifndef VICINAL_SERVER_STATE_IN_FLIGHT_PODS_H_
#define VICINAL_SERVER_STATE_IN_FLIGHT_PODS_H_

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/engine/in_flight_ledger.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/model/pod.h"
#include "core/sync/mutex.h"
#include "server/metrics/metrics.h"
#include "server/state/cluster_store.h"

namespace vicinal {

// The ledger of pods in flight, with its lock and its waiting questions.
// Changes of pods must come through here, all others go to the store.
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
  };

  // The store and the metrics must outlive it.
  InFlightPods(ClusterStore& store, Metrics& metrics, Options options);

  // A question that is being answered. Withdrawn when it is destroyed without
  // having been answered.
  class Question {
   public:
    Question(Question&& other) noexcept
        : pods_(std::exchange(other.pods_, nullptr)), ticket_(other.ticket_) {}
    Question& operator=(Question&&) = delete;
    ~Question();

    // The answer has several nodes, or one, where the pod is from now on. Error
    // (Aborted): what happened to the pod meanwhile has made the question void,
    // and the answer must not be given.
    absl::Status Open();
    absl::Status Assume(const std::string& node);

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
  // for; FailedPrecondition, if the pod is bound; Aborted, as above.
  absl::StatusOr<Question> Ask(std::shared_ptr<const PodInfo> pod);

  // The writing of a binding.
  struct BindStart {
    enum class Kind {
      kStarted,
      kAlreadyBound,  // To that node: nothing is to be written.
      kUnexpected,  // No answer led there: the node must be asked about first.
      kRefused,
    };

    Kind kind = Kind::kStarted;
    InFlightLedger::Ticket ticket = 0;  // For EndBind, if started.
    std::string message;                // Why it is refused.
  };

  // From now on the pod is on the node. Waits while another binding of the pod
  // is being written.
  BindStart StartBind(const ObjectKey& key, const std::string& uid,
                      const std::string& node);
  void EndBind(const ObjectKey& key, InFlightLedger::Ticket ticket,
               InFlightLedger::BindOutcome outcome);

  // What the watch tells. An empty uid: it is not known.
  void Upsert(Pod pod);
  void Remove(const ObjectKey& key, const std::string& uid);
  // Removes all pods that are not in `listed`.
  void KeepListed(const std::set<ObjectKey>& listed);

 private:
  // Not OK if the pod is on a node for good.
  absl::Status CheckNotBound(const ObjectKey& key, const std::string& uid)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether a binding of the pod with that uid is being written.
  bool IsBinding(const ObjectKey& key, const std::string& uid) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Blocks until none is, or until `limit`; whether none is.
  bool AwaitBinding(const ObjectKey& key, const std::string& uid,
                    Clock::time_point limit)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Blocks until nothing that matters to the question is unknown.
  absl::Status WaitForBlockers(InFlightLedger::Ticket ticket,
                               Clock::time_point limit)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Changed() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Forgets what has passed its deadline; returns whether `key` was among it.
  bool Expire(const ObjectKey& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  ClusterStore& store_;
  Metrics& metrics_;
  const Options options_;
  mutable Mutex mutex_;
  CondVar changed_;  // With mutex_.
  InFlightLedger ledger_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_IN_FLIGHT_PODS_H_
