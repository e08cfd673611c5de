#include "server/listeners/extender/extender_service.h"

#include <glog/logging.h>

#include <chrono>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/engine/decide.h"
#include "core/engine/run_plugins.h"
#include "core/index/node_id.h"
#include "core/index/stored_pod.h"
#include "core/plugins/candidate_nodes.h"
#include "server/listeners/extender/preempt.h"
#include "server/listeners/extender/preemption_args.h"
#include "server/listeners/extender/quiet_refusals.h"

namespace vicinal {
namespace {

constexpr std::string_view kFilter = "filter";
constexpr std::string_view kPrioritize = "prioritize";
constexpr std::string_view kPreempt = "preempt";
constexpr std::string_view kBind = "bind";

// The scheduler may know a node before its event has come here.
constexpr char kReasonUnknownNode[] = "node(s) not known to vicinal yet";

// The nodes of a question, in its order.
struct Candidates {
  std::vector<std::string_view> names;  // Of the nodes, as the ids are.
  std::vector<const NodeInfo*> nodes;
  std::vector<NodeId> ids;
  std::vector<std::string_view> unknown;
  // Those where the pod finds no room, with the reason.
  std::vector<std::pair<std::string_view, std::string>> full;

  CandidateNodes known() const { return {nodes, ids}; }
};

Candidates Find(const ClusterState& cluster,
                const std::vector<std::string_view>& names) {
  Candidates candidates;
  candidates.names.reserve(names.size());
  candidates.nodes.reserve(names.size());
  candidates.ids.reserve(names.size());
  const std::vector<NodeId> found = cluster.FindNodeIds(names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (found[i] != kNoNode) {
      candidates.names.push_back(names[i]);
      candidates.nodes.push_back(&cluster.NodeById(found[i]));
      candidates.ids.push_back(found[i]);
    } else {
      candidates.unknown.push_back(names[i]);
    }
  }
  return candidates;
}

// The HTTP answer to a question, or what its error is in HTTP.
template <typename Result>
HttpResponse ToHttp(const absl::StatusOr<Result>& result) {
  if (!result.ok()) {
    unsigned status = 500;
    if (result.status().code() == absl::StatusCode::kUnavailable) status = 503;
    if (result.status().code() == absl::StatusCode::kInvalidArgument) {
      status = 400;
    }
    return ErrorResponse(status, std::string(result.status().message()));
  }
  HttpResponse response;
  response.body = ToJson(*result);
  return response;
}

// The verb of a path, "" if it is none of ours: metric labels are bounded.
std::string_view VerbOf(std::string_view path) {
  if (!path.starts_with('/')) return "";
  path.remove_prefix(1);
  const bool ours = path == kFilter || path == kPrioritize ||
                    path == kPreempt || path == kBind;
  return ours ? path : "";
}

// Tells of the nodes that were refused.
void AddFailures(const Candidates& candidates, const NodeStatuses& statuses,
                 ExtenderFilterResult& result) {
  std::vector<std::string_view> reasons;  // By id of the status.
  for (const Status& status : statuses.distinct()) {
    reasons.push_back(result.reasons.emplace_back(status.Message()));
  }
  for (std::size_t i = 0; i < candidates.names.size(); ++i) {
    const ExtenderFilterResult::FailedNode failed = {candidates.names[i],
                                                     reasons[statuses.id(i)]};
    switch (statuses[i].code()) {
      case Code::kSuccess:
        break;
      case Code::kUnschedulable:
        result.failed_nodes.push_back(failed);
        break;
      case Code::kUnschedulableAndUnresolvable:
        result.failed_and_unresolvable_nodes.push_back(failed);
        break;
      default:
        result.error = failed.reason;
    }
  }
}

// Takes the candidates out that have pods in flight and no room for this one:
// the scheduler may have forgotten a pod whose binding is still being written.
void LeaveOutFull(const SchedulerProfile& profile, const ClusterState& cluster,
                  const PodInfo& pod, const std::set<std::string>& in_flight_on,
                  Candidates& candidates) {
  if (in_flight_on.empty()) return;
  Candidates rest;
  rest.unknown = std::move(candidates.unknown);
  for (std::size_t i = 0; i < candidates.nodes.size(); ++i) {
    const NodeInfo* const node = candidates.nodes[i];
    if (in_flight_on.contains(node->Name())) {
      const FilterOutcome room = RunFilterPlugins(profile.resources, cluster,
                                                  pod, std::span(&node, 1));
      if (!room.statuses.ok(0)) {
        rest.full.emplace_back(candidates.names[i], room.statuses[0].Message());
        continue;
      }
    }
    rest.names.push_back(candidates.names[i]);
    rest.nodes.push_back(node);
    rest.ids.push_back(candidates.ids[i]);
  }
  candidates = std::move(rest);
}

void AddUnknown(const Candidates& candidates, ExtenderFilterResult& result) {
  for (const auto& [name, reason] : candidates.full) {
    result.failed_nodes.push_back({name, result.reasons.emplace_back(reason)});
  }
  for (const std::string_view name : candidates.unknown) {
    result.failed_nodes.push_back({name, kReasonUnknownNode});
  }
}

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

std::string NoProfile(const Pod& pod) {
  return absl::StrCat(
      "spec.schedulerName: the configuration of the scheduler has no profile "
      "\"",
      pod.spec.scheduler_name, "\"");
}

// Has the question answered with these nodes.
absl::Status Record(const std::vector<std::string_view>& nodes,
                    InFlightPods::Question& question) {
  if (nodes.empty()) return question.OfferNone();
  if (nodes.size() == 1) return question.Assume(std::string(nodes[0]));
  return question.OfferSeveral({nodes.begin(), nodes.end()});
}

HttpResponse Json(std::string body) {
  HttpResponse response;
  response.body = std::move(body);
  return response;
}

}  // namespace

ExtenderService::ExtenderService(ClusterStore& store, InFlightPods& in_flight,
                                 const Freshness& freshness, Metrics& metrics,
                                 const SchedulerProfiles& profiles,
                                 const ExtenderOptions& options,
                                 BindingWriter writer, Rescuer* rescuer)
    : store_(store),
      in_flight_(in_flight),
      freshness_(freshness),
      metrics_(metrics),
      profiles_(profiles),
      options_(options),
      writer_(std::move(writer)),
      rescuer_(rescuer),
      refused_pods_(metrics),
      random_(options.seed.value_or(std::random_device()())) {}

HttpResponse ExtenderService::Handle(const HttpRequest& request) const {
  const auto start = std::chrono::steady_clock::now();
  const std::string_view verb = VerbOf(request.path);
  HttpResponse response = Route(request, verb);
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  metrics_.CountRequest(std::string(verb.empty() ? "other" : verb),
                        response.status, elapsed.count());
  if (response.status != 200) {
    // The scheduler swallows prioritize's errors at its default log level.
    LOG_EVERY_N(WARNING, 100)
        << request.path << ": " << response.status << " " << response.body
        << " (" << google::COUNTER << " so far; each 100th is logged)";
  }
  return response;
}

HttpResponse ExtenderService::Route(const HttpRequest& request,
                                    std::string_view verb) const {
  if (verb.empty()) return ErrorResponse(404, "unknown verb");
  if (request.method != "POST") {
    HttpResponse response = ErrorResponse(405, "method must be POST");
    response.allow = "POST";
    return response;
  }
  CHECK(verb != kBind) << "is for HandleBind";
  const absl::Status fresh = freshness_.Check(Freshness::Clock::now());
  if (!fresh.ok()) {
    return ErrorResponse(503, std::string(fresh.message()));
  }
  if (verb == kPreempt) {
    const absl::StatusOr<ExtenderPreemptionArgs> args =
        ReadExtenderPreemptionArgs(request.body);
    if (!args.ok()) {
      return ErrorResponse(400, std::string(args.status().message()));
    }
    return ToHttp(Preempt(*args));
  }
  // One for each thread, so that its memory is there for the next question; an
  // unusually large one gets its own.
  constexpr std::size_t kUsualBytes = 4 << 20;
  thread_local JsonReader usual_reader;
  std::optional<JsonReader> own_reader;
  if (request.body.size() > kUsualBytes) own_reader.emplace();
  JsonReader& reader = own_reader ? *own_reader : usual_reader;
  const absl::StatusOr<ExtenderArgs> args =
      ReadExtenderArgs(request.body, reader);
  if (!args.ok()) {
    return ErrorResponse(400, std::string(args.status().message()));
  }
  if (verb == kPrioritize) return ToHttp(Prioritize(*args));
  absl::StatusOr<ExtenderFilterResult> result = Filter(*args);
  if (result.ok()) MakeQuiet(args->pod.status.nominated_node_name, *result);
  return ToHttp(result);
}

absl::StatusOr<ExtenderFilterResult> ExtenderService::Filter(
    const ExtenderArgs& args) const {
  const absl::Status fresh = freshness_.Check(Freshness::Clock::now());
  if (!fresh.ok()) return fresh;
  ExtenderFilterResult result;
  const auto fail = [&result](std::string error) {
    result = ExtenderFilterResult();
    result.error = std::move(error);
    return result;
  };
  const SchedulerProfile* profile =
      profiles_.Find(args.pod.spec.scheduler_name);
  if (profile == nullptr) return fail(NoProfile(args.pod));
  if (absl::Status held = HoldBack(); !held.ok()) return held;
  const auto pod = std::make_shared<const PodInfo>(args.pod);
  absl::StatusOr<InFlightPods::Question> question = in_flight_.Ask(pod);
  if (!question.ok()) return fail(std::string(question.status().message()));
  if (options_.mode == ExtenderMode::kDecide) {
    Decide(*profile, args, *pod, result);
  } else {
    Advise(*profile, args, *pod, result);
  }
  if (result.error.empty()) {
    const absl::Status answered = Record(result.node_names, *question);
    if (!answered.ok()) return fail(std::string(answered.message()));
  }
  if (result.error.empty() && result.node_names.empty()) {
    // A pod without a uid is a hypothetical one.
    if (!args.pod.meta.uid.empty()) {
      refused_pods_.Count(args.pod.meta.uid, RefusedPods::Clock::now());
    }
    if (rescuer_ != nullptr) {
      const absl::Status rescue =
          rescuer_->OnNothingFits(args.pod, args.node_names.size());
      if (!rescue.ok()) return fail(std::string(rescue.message()));
    }
  }
  return result;
}

void ExtenderService::Decide(const SchedulerProfile& profile,
                             const ExtenderArgs& args, const PodInfo& pod,
                             ExtenderFilterResult& result) const {
  const std::set<std::string> in_flight_on = in_flight_.Nodes();
  store_.Read([&](const ClusterState& cluster) {
    Candidates candidates = Find(cluster, args.node_names);
    LeaveOutFull(profile, cluster, pod, in_flight_on, candidates);
    const Decision decision =
        vicinal::Decide(profile.decide, cluster, pod, candidates.known());
    if (!decision.best.empty()) {
      result.node_names.push_back(candidates.names[Choose(decision.best)]);
      return;
    }
    AddFailures(candidates, decision.filtered.statuses, result);
    AddUnknown(candidates, result);
    for (const Status& status :
         {decision.filtered.pre_filter, decision.score_status}) {
      if (status.code() == Code::kError) result.error = status.Message();
    }
  });
}

void ExtenderService::Advise(const SchedulerProfile& profile,
                             const ExtenderArgs& args, const PodInfo& pod,
                             ExtenderFilterResult& result) const {
  const std::set<std::string> in_flight_on = in_flight_.Nodes();
  store_.Read([&](const ClusterState& cluster) {
    Candidates candidates = Find(cluster, args.node_names);
    LeaveOutFull(profile, cluster, pod, in_flight_on, candidates);
    const FilterOutcome outcome =
        RunFilterPlugins(profile.topology, cluster, pod, candidates.known());
    for (std::size_t i = 0; i < outcome.statuses.size(); ++i) {
      if (outcome.statuses.ok(i)) {
        result.node_names.push_back(candidates.names[i]);
      }
    }
    AddFailures(candidates, outcome.statuses, result);
    AddUnknown(candidates, result);
    if (outcome.pre_filter.code() == Code::kError) {
      result.error = outcome.pre_filter.Message();
    }
  });
}

std::size_t ExtenderService::Choose(
    const std::vector<std::size_t>& best) const {
  const MutexLock lock(random_mutex_);
  return ChooseOne(best, random_);
}

absl::StatusOr<std::vector<NodeVictims>> ExtenderService::Preempt(
    const ExtenderPreemptionArgs& args) const {
  const absl::Status fresh = freshness_.Check(Freshness::Clock::now());
  if (!fresh.ok()) return fresh;
  const SchedulerProfile* profile =
      profiles_.Find(args.pod.spec.scheduler_name);
  if (profile == nullptr) {
    return absl::InvalidArgumentError(NoProfile(args.pod));
  }
  if (rescuer_ != nullptr && rescuer_->OnPreemption(args.pod)) {
    return std::vector<NodeVictims>();
  }
  return ProcessPreemption(profile->topology, store_, args);
}

absl::StatusOr<std::vector<HostPriority>> ExtenderService::Prioritize(
    const ExtenderArgs& args) const {
  const absl::Status fresh = freshness_.Check(Freshness::Clock::now());
  if (!fresh.ok()) return fresh;
  const SchedulerProfile* profile =
      profiles_.Find(args.pod.spec.scheduler_name);
  if (profile == nullptr) {
    return absl::InvalidArgumentError(NoProfile(args.pod));
  }
  const PodInfo pod(args.pod);
  std::vector<HostPriority> priorities;
  priorities.reserve(args.node_names.size());
  const Status status = store_.Read([&](const ClusterState& cluster) {
    const Candidates candidates = Find(cluster, args.node_names);
    const ScoreOutcome outcome =
        RunScorePlugins(profile->topology, cluster, pod, candidates.known());
    if (!outcome.status.ok()) {
      return Status::Error(outcome.status.Message());
    }
    const std::int64_t divisor =
        options_.score_scale == ScoreScale::kExact ? 1 : 40;
    for (std::size_t i = 0; i < candidates.nodes.size(); ++i) {
      priorities.push_back({candidates.names[i], outcome.totals[i] / divisor});
    }
    for (const std::string_view name : candidates.unknown) {
      priorities.push_back({name, 0});
    }
    return Status();
  });
  if (!status.ok()) return absl::InternalError(status.Message());
  return priorities;
}

bool ExtenderService::HandleBind(const HttpRequest& request,
                                 const HttpCaller& caller,
                                 const HttpAnswer& answer) const {
  if (VerbOf(request.path) != kBind || request.method != "POST") return false;
  const auto counted = [this, start = caller.asked,
                        answer](HttpResponse response) {
    const std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    metrics_.CountRequest(std::string(kBind), response.status, elapsed.count());
    answer(std::move(response));
  };
  const absl::StatusOr<BindingArgs> args = ReadBindingArgs(request.body);
  if (!args.ok()) {
    counted(ErrorResponse(400, std::string(args.status().message())));
    return true;
  }
  Bind(*args, {caller.asked + options_.bind_timeout, caller.is_gone},
       [counted](const std::string& error) {
         counted(Json(BindingResultJson(error)));
       });
  return true;
}

void ExtenderService::Bind(const BindingArgs& args, BindCaller caller,
                           std::function<void(std::string)> done) const {
  using Kind = InFlightPods::BindStart::Kind;
  const auto end = [&](const char* outcome, std::string error) {
    metrics_.CountBinding(outcome);
    done(std::move(error));
  };
  if (writer_.write == nullptr) {
    return end("rejected",
               "vicinal watches no API server that it could write a binding "
               "to");
  }
  const ObjectKey key{args.pod_namespace, args.pod_name};
  InFlightPods::BindStart start = in_flight_.StartBind(
      key, args.pod_uid, args.node,
      [&](const ClusterState& cluster, const PodInfo& pod) {
        return CheckRoom(cluster, pod, args.node);
      });
  if (start.kind == Kind::kNoAnswer) {
    const absl::Status assumed = AssumeIfItFits(args);
    if (!assumed.ok()) return end("rejected", std::string(assumed.message()));
    start = in_flight_.StartBind(key, args.pod_uid, args.node);
  }
  switch (start.kind) {
    case Kind::kStarted:
      break;
    case Kind::kAlreadyBound:
      return end("already_bound", "");
    case Kind::kNoAnswer:
      return end("rejected",
                 "the pod was asked about again while it was being bound");
    case Kind::kRefused:
      return end("rejected", start.message);
  }
  metrics_.bindings_in_flight().Increment();
  writer_.write(
      {args.pod_namespace, args.pod_name, args.pod_uid, args.node},
      std::move(caller),
      [this, key, ticket = start.ticket,
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

absl::Status ExtenderService::CheckRoom(const ClusterState& cluster,
                                        const PodInfo& pod,
                                        const std::string& name) const {
  const NodeInfo* const node = cluster.FindNode(name);
  const SchedulerProfile* const profile =
      profiles_.Find(pod.pod.spec.scheduler_name);
  if (node == nullptr || profile == nullptr) return absl::OkStatus();
  const Status room =
      RunFilterPlugins(profile->resources, cluster, pod, std::span(&node, 1))
          .statuses[0];
  return room.ok() ? absl::OkStatus()
                   : absl::FailedPreconditionError(room.Message());
}

absl::Status ExtenderService::AssumeIfItFits(const BindingArgs& args) const {
  const absl::Status fresh = freshness_.Check(Freshness::Clock::now());
  if (!fresh.ok()) return fresh;
  const ObjectKey key{args.pod_namespace, args.pod_name};
  const auto pod =
      store_.Read([&](const ClusterState& cluster) -> std::shared_ptr<PodInfo> {
        const StoredPod* known = cluster.FindPod(key);
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
  if (profile == nullptr) {
    return absl::InvalidArgumentError(NoProfile(pod->pod));
  }
  absl::StatusOr<InFlightPods::Question> question = in_flight_.AskAtOnce(pod);
  if (!question.ok()) return question.status();
  return question->AssumeIf(args.node, [&](const ClusterState& cluster) {
    const NodeInfo* const node = cluster.FindNode(args.node);
    if (node == nullptr) return absl::NotFoundError(kReasonUnknownNode);
    const Status fits =
        RunFilterPlugins(profile->all, cluster, *pod, std::span(&node, 1))
            .statuses[0];
    return fits.ok() ? absl::OkStatus()
                     : absl::FailedPreconditionError(fits.Message());
  });
}

absl::Status ExtenderService::HoldBack() const {
  if (writer_.queued == nullptr) return absl::OkStatus();
  const std::chrono::duration<double> queued = writer_.queued();
  metrics_.binding_queue_seconds().Set(queued.count());
  if (queued <= options_.max_queued) return absl::OkStatus();
  const auto start = std::chrono::steady_clock::now();
  metrics_.held_back().Increment();
  while (writer_.queued() > options_.max_queued) {
    if (std::chrono::steady_clock::now() > start + options_.max_hold) {
      return absl::UnavailableError(
          "bindings queue: the API server takes longer to write them than "
          "pods come");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return absl::OkStatus();
}

}  // namespace vicinal
