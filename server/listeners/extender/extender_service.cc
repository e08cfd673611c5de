#include "server/listeners/extender/extender_service.h"

#include <glog/logging.h>

#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/engine/decide.h"
#include "core/engine/run_plugins.h"
#include "core/index/node_id.h"
#include "core/index/stored_pod.h"
#include "core/model/json.h"
#include "core/model/pod_rules.h"
#include "server/listeners/extender/no_profile.h"
#include "server/listeners/extender/preemption_args.h"
#include "server/listeners/extender/process_preemption.h"
#include "server/listeners/extender/quiet_refusals.h"
#include "server/listeners/extender/record_decision.h"

namespace vicinal {
namespace {

constexpr std::string_view kFilter = "filter";
constexpr std::string_view kPrioritize = "prioritize";
constexpr std::string_view kPreempt = "preempt";
constexpr std::string_view kBind = "bind";  // See extender_binder.h.

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

// Tells of the nodes that were refused, or are not known.
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
  for (const auto& [name, reason] : candidates.full) {
    result.failed_nodes.push_back({name, result.reasons.emplace_back(reason)});
  }
  for (const std::string_view name : candidates.unknown) {
    result.failed_nodes.push_back({name, kReasonUnknownNode});
  }
}

// Fills in all nodes that fit.
void Advise(const SchedulerProfile& profile, const ClusterState& cluster,
            const PodInfo& pod, const Candidates& candidates,
            ExtenderFilterResult& result, DecisionRecord& record) {
  const FilterOutcome outcome =
      RunFilterPlugins(profile.topology, cluster, pod, candidates.known());
  for (std::size_t i = 0; i < outcome.statuses.size(); ++i) {
    if (outcome.statuses.ok(i)) {
      result.node_names.push_back(candidates.names[i]);
    }
  }
  AddFailures(candidates, outcome.statuses, result);
  record.fitting = result.node_names.size();
  if (record.fitting == 0) record.reason = WhyNone(outcome, candidates);
  if (outcome.pre_filter.code() == Code::kError) {
    result.error = outcome.pre_filter.Message();
  }
}

// Has the question answered with these nodes.
absl::Status Record(const std::vector<std::string_view>& nodes,
                    InFlightPods::Question& question) {
  if (nodes.empty()) return question.OfferNone();
  if (nodes.size() == 1) return question.Assume(std::string(nodes[0]));
  return question.OfferSeveral({nodes.begin(), nodes.end()});
}

std::chrono::microseconds Since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - start);
}

// Waits until `holds()`, for `limit` at most, and says whether it does.
template <typename Condition>
bool Await(std::chrono::milliseconds limit, Condition&& holds) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace

ExtenderService::ExtenderService(ClusterStore& store, InFlightPods& in_flight,
                                 const Freshness& freshness, Metrics& metrics,
                                 const SchedulerProfiles& profiles,
                                 const ExtenderOptions& options,
                                 QueuedFor queued, Rescuer* rescuer,
                                 SecondLooks* second_looks,
                                 DecisionRing* decisions)
    : store_(store),
      in_flight_(in_flight),
      freshness_(freshness),
      metrics_(metrics),
      profiles_(profiles),
      options_(options),
      queued_(std::move(queued)),
      rescuer_(rescuer),
      second_looks_(second_looks),
      decisions_(decisions),
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
  CHECK(verb != kBind) << "is for ExtenderBinder";
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
  const auto start = std::chrono::steady_clock::now();
  DecisionRecord record;
  absl::StatusOr<ExtenderFilterResult> result = FilterFor(args, record);
  if (decisions_ != nullptr && !args.pod.meta.uid.empty()) {
    RecordAnswer(args, result, record);
    record.took = Since(start);
    decisions_->Add(std::move(record));
  }
  return result;
}

absl::StatusOr<ExtenderFilterResult> ExtenderService::FilterFor(
    const ExtenderArgs& args, DecisionRecord& record) const {
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
  if (profile == nullptr)
    return fail(std::string(NoProfile(args.pod).message()));
  if (absl::Status size = CheckSize(args.pod); !size.ok()) {
    return fail(std::string(size.message()));
  }
  const auto pod = std::make_shared<const PodInfo>(args.pod);
  const auto start = std::chrono::steady_clock::now();
  if (absl::Status held = HoldBack(); !held.ok()) {
    record.waited = Since(start);
    return held;
  }
  absl::StatusOr<InFlightPods::Question> question =
      in_flight_.Ask(pod, args.pod_group);
  record.waited = Since(start);
  if (absl::IsUnimplemented(question.status())) {
    // No error: the scheduler would try it again after each backoff.
    const std::string_view reason =
        result.reasons.emplace_back(question.status().message());
    for (const std::string_view name : args.node_names) {
      result.failed_and_unresolvable_nodes.push_back({name, reason});
    }
    return result;
  }
  if (!question.ok()) return fail(std::string(question.status().message()));
  const std::uint64_t generation = store_.generation();
  record.generation = generation;
  const std::vector<NodeId> in_flight_on = in_flight_.NodeIds(args.pod_group);
  store_.Read([&](const ClusterState& cluster) {
    Candidates candidates = FindCandidates(cluster, args.node_names);
    LeaveOutFull(profile->resources, cluster, *pod, in_flight_on, candidates);
    if (options_.mode == ExtenderMode::kDecide) {
      Decide(*profile, cluster, *pod, candidates, result, record);
    } else {
      Advise(*profile, cluster, *pod, candidates, result, record);
    }
  });
  if (result.error.empty()) {
    const absl::Status answered = Record(result.node_names, *question);
    if (!answered.ok()) return fail(std::string(answered.message()));
  }
  if (result.error.empty() && result.node_names.empty()) {
    // A pod without a uid is a hypothetical one.
    if (!args.pod.meta.uid.empty()) {
      refused_pods_.Count(args.pod.meta.uid, RefusedPods::Clock::now());
      if (second_looks_ != nullptr) second_looks_->OnRefused(pod, generation);
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
                             const ClusterState& cluster, const PodInfo& pod,
                             const Candidates& candidates,
                             ExtenderFilterResult& result,
                             DecisionRecord& record) const {
  const Decision decision =
      vicinal::Decide(profile.decide, cluster, pod, candidates.known());
  if (!decision.best.empty()) {
    const std::size_t chosen = Choose(decision.best);
    result.node_names.push_back(candidates.names[chosen]);
    RecordChoice(decision, candidates, chosen, record);
    return;
  }
  record.fitting = decision.feasible.size();
  record.reason = WhyNone(decision.filtered, candidates);
  AddFailures(candidates, decision.filtered.statuses, result);
  for (const Status& status :
       {decision.filtered.pre_filter, decision.scored.status}) {
    if (status.code() == Code::kError) result.error = status.Message();
  }
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
  if (in_flight_.enabled()) {
    // Nobody is evicted for another pod than the API server has.
    absl::StatusOr<Pod> pending = PendingPod(args.pod.meta);
    if (!pending.ok()) return pending.status();
    return PreemptFor({*std::move(pending), args.candidates});
  }
  return PreemptFor(args);
}

absl::Status ExtenderService::CheckSize(const Pod& pod) const {
  absl::Status size = CheckRules(pod);
  if (!size.ok()) metrics_.oversized_pods().Increment();
  return size;
}

absl::StatusOr<Pod> ExtenderService::PendingPod(const ObjectMeta& meta) const {
  std::optional<Pod> pending;
  const auto is_known = [&] {
    return store_.Read([&](const ClusterState& cluster) {
      const StoredPod* const known = cluster.FindPod(KeyOf(meta));
      if (known == nullptr || known->uid() != meta.uid) return false;
      if (known->node() == nullptr) pending = known->ToPod();
      return true;
    });
  };
  if (!Await(options_.max_watch_lag, is_known) || !pending) {
    return absl::UnavailableError(
        "the API server has told of no pending pod of that name and uid");
  }
  return *std::move(pending);
}

absl::StatusOr<std::vector<NodeVictims>> ExtenderService::PreemptFor(
    const ExtenderPreemptionArgs& args) const {
  const SchedulerProfile* profile =
      profiles_.Find(args.pod.spec.scheduler_name);
  if (profile == nullptr) {
    return NoProfile(args.pod);
  }
  if (absl::Status size = CheckSize(args.pod); !size.ok()) return size;
  if (rescuer_ != nullptr && rescuer_->OnPreemption(args.pod)) {
    return std::vector<NodeVictims>();
  }
  return ProcessPreemption(profile->topology, profile->resources, store_, args);
}

absl::StatusOr<std::vector<HostPriority>> ExtenderService::Prioritize(
    const ExtenderArgs& args) const {
  const absl::Status fresh = freshness_.Check(Freshness::Clock::now());
  if (!fresh.ok()) return fresh;
  const SchedulerProfile* profile =
      profiles_.Find(args.pod.spec.scheduler_name);
  if (profile == nullptr) {
    return NoProfile(args.pod);
  }
  if (absl::Status size = CheckSize(args.pod); !size.ok()) return size;
  const PodInfo pod(args.pod);
  std::vector<HostPriority> priorities;
  priorities.reserve(args.node_names.size());
  const Status status = store_.Read([&](const ClusterState& cluster) {
    const Candidates candidates = FindCandidates(cluster, args.node_names);
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

absl::Status ExtenderService::HoldBack() const {
  if (queued_ == nullptr) return absl::OkStatus();
  const std::chrono::duration<double> queued = queued_();
  metrics_.binding_queue_seconds().Set(queued.count());
  if (queued <= options_.max_queued) return absl::OkStatus();
  metrics_.held_back().Increment();
  if (!Await(options_.max_hold,
             [this] { return queued_() <= options_.max_queued; })) {
    return absl::UnavailableError(
        "bindings queue: the API server takes longer to write them than "
        "pods come");
  }
  return absl::OkStatus();
}

}  // namespace vicinal
