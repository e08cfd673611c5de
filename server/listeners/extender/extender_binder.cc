#include "server/listeners/extender/extender_binder.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "core/engine/in_flight_ledger.h"
#include "core/engine/run_plugins.h"
#include "core/index/node_info.h"
#include "core/index/stored_pod.h"
#include "core/model/pod_rules.h"
#include "server/listeners/extender/candidates.h"
#include "server/listeners/extender/no_profile.h"

namespace vicinal {
namespace {

using Start = InFlightPods::BindStart;

// What the metrics call the outcome of a written binding.
const char* NameOf(BindResult::Outcome outcome) {
  switch (outcome) {
    case BindResult::Outcome::kWritten:
      return "written";
    case BindResult::Outcome::kRefused:
      return "refused";
    case BindResult::Outcome::kForbidden:
      return "forbidden";
    case BindResult::Outcome::kLate:
      return "late";
    case BindResult::Outcome::kUnknown:
      return "unknown";
  }
  return "";
}

absl::Status Fits(const Profile& profile, const ClusterState& cluster,
                  const PodInfo& pod, const NodeInfo& node) {
  const Status status = FilterOneNode(profile, cluster, pod, node);
  return status.ok() ? absl::OkStatus()
                     : absl::FailedPreconditionError(status.Message());
}

ObjectKey KeyOf(const BindingArgs& args) {
  return {args.pod_namespace, args.pod_name};
}

}  // namespace

ExtenderBinder::ExtenderBinder(ClusterStore& store, InFlightPods& in_flight,
                               const Freshness& freshness, Metrics& metrics,
                               const SchedulerProfiles& profiles,
                               BindingWriter write,
                               std::chrono::milliseconds timeout, PodAsker ask)
    : store_(store),
      in_flight_(in_flight),
      freshness_(freshness),
      metrics_(metrics),
      profiles_(profiles),
      write_(std::move(write)),
      timeout_(timeout),
      ask_(std::move(ask)) {}

bool ExtenderBinder::Handle(const HttpRequest& request,
                            const HttpCaller& caller,
                            const HttpAnswer& answer) const {
  if (request.path != "/bind" || request.method != "POST") return false;
  const auto counted = [this, start = caller.asked,
                        answer](HttpResponse response) {
    const std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    metrics_.CountRequest("bind", response.status, elapsed.count());
    answer(std::move(response));
  };
  const absl::StatusOr<BindingArgs> args = ReadBindingArgs(request.body);
  if (!args.ok()) {
    counted(ErrorResponse(400, std::string(args.status().message())));
    return true;
  }
  Bind(*args, caller.asked, caller.is_gone,
       [counted](const std::string& error) {
         HttpResponse response;
         response.body = BindingResultJson(error);
         counted(std::move(response));
       });
  return true;
}

void ExtenderBinder::Bind(const BindingArgs& args,
                          std::chrono::steady_clock::time_point asked,
                          std::function<bool()> is_gone,
                          std::function<void(std::string)> done) const {
  Start start = StartBinding(args);
  if (start.kind != Start::Kind::kNotShown) {
    return Finish(args, start, asked, std::move(is_gone), std::move(done));
  }
  ask_(KeyOf(args),
       [this, args, answer = start.ticket, asked, is_gone = std::move(is_gone),
        done = std::move(done)](absl::StatusOr<Pod> pod) {
         Start shown{Start::Kind::kRefused, 0, ""};
         if (!pod.ok()) {
           shown.message =
               "the pod is not known to vicinal yet, and the API server "
               "says: " +
               std::string(pod.status().message());
         } else if (pod->meta.uid != args.pod_uid) {
           shown.message = "the pod of that name has the uid " + pod->meta.uid;
         } else {
           in_flight_.Show(*std::move(pod));
           shown = StartBinding(args);
         }
         // The scheduler gives this attempt up, and may never ask about the pod
         // again: it may be gone.
         if (shown.kind == Start::Kind::kRefused) {
           in_flight_.EndBind(KeyOf(args), answer,
                              InFlightLedger::BindOutcome::kRefused);
         }
         Finish(args, shown, asked, is_gone, done);
       });
}

void ExtenderBinder::Finish(const BindingArgs& args, const Start& start,
                            Clock::time_point asked,
                            std::function<bool()> is_gone,
                            std::function<void(std::string)> done) const {
  if (start.kind != Start::Kind::kStarted) {
    const bool bound = start.kind == Start::Kind::kAlreadyBound;
    metrics_.CountBinding(bound ? "already_bound" : "rejected");
    return done(start.message);
  }
  metrics_.bindings_in_flight().Increment();
  write_({args.pod_namespace, args.pod_name, args.pod_uid, args.node},
         {asked + timeout_, std::move(is_gone)},
         [this, key = KeyOf(args), ticket = start.ticket,
          done = std::move(done)](BindResult result) {
           using Outcome = InFlightLedger::BindOutcome;
           const bool written = result.outcome == BindResult::Outcome::kWritten;
           in_flight_.EndBind(key, ticket,
                              written ? Outcome::kWritten : Outcome::kRefused);
           metrics_.CountBinding(NameOf(result.outcome));
           metrics_.bindings_in_flight().Decrement();
           done(std::move(result.message));
         });
}

Start ExtenderBinder::StartBinding(const BindingArgs& args) const {
  const auto refused = [](std::string why) {
    return Start{Start::Kind::kRefused, 0, std::move(why)};
  };
  if (write_ == nullptr) {
    return refused(
        "vicinal watches no API server that it could write a binding to");
  }
  Start start = in_flight_.StartBind(
      KeyOf(args), args.pod_uid, args.node,
      [&](const ClusterState& cluster, const PodInfo& pod) {
        return CheckRoom(cluster, pod, args.node);
      },
      ask_ != nullptr);
  if (start.kind != Start::Kind::kNoAnswer) return start;
  const absl::Status assumed = AssumeIfItFits(args);
  if (!assumed.ok()) return refused(std::string(assumed.message()));
  start = in_flight_.StartBind(KeyOf(args), args.pod_uid, args.node);
  if (start.kind != Start::Kind::kNoAnswer) return start;
  return refused("the pod was asked about again while it was being bound");
}

absl::Status ExtenderBinder::CheckRoom(const ClusterState& cluster,
                                       const PodInfo& pod,
                                       const std::string& node) const {
  const NodeInfo* const known = cluster.FindNode(node);
  const SchedulerProfile* const profile =
      profiles_.Find(pod.pod.spec.scheduler_name);
  if (known == nullptr || profile == nullptr) return absl::OkStatus();
  return Fits(profile->resources, cluster, pod, *known);
}

absl::Status ExtenderBinder::AssumeIfItFits(const BindingArgs& args) const {
  const absl::Status fresh = freshness_.Check(Freshness::Clock::now());
  if (!fresh.ok()) return fresh;
  const auto pod =
      store_.Read([&](const ClusterState& cluster) -> std::shared_ptr<PodInfo> {
        const StoredPod* known = cluster.FindPod(KeyOf(args));
        if (known == nullptr || known->uid() != args.pod_uid) {
          return nullptr;
        }
        Pod found = known->ToPod();
        found.spec.node_name.clear();  // Where another answer has put it.
        return std::make_shared<PodInfo>(std::move(found));
      });
  if (pod == nullptr) {
    return absl::NotFoundError("the pod is not known to vicinal yet");
  }
  const SchedulerProfile* profile =
      profiles_.Find(pod->pod.spec.scheduler_name);
  if (profile == nullptr) return NoProfile(pod->pod);
  if (absl::Status size = CheckRules(pod->pod); !size.ok()) return size;
  absl::StatusOr<InFlightPods::Question> question = in_flight_.AskAtOnce(pod);
  if (!question.ok()) return question.status();
  return question->AssumeIf(args.node, [&](const ClusterState& cluster) {
    const NodeInfo* const node = cluster.FindNode(args.node);
    if (node == nullptr) return absl::NotFoundError(kReasonUnknownNode);
    return Fits(profile->all, cluster, *pod, *node);
  });
}

}  // namespace vicinal
