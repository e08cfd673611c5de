#include "server/extender/extender_service.h"

#include <glog/logging.h>

#include <chrono>
#include <utility>
#include <vector>

#include "core/engine/run_plugins.h"
#include "core/index/pod_info.h"
#include "server/extender/extender_result.h"

namespace vicinal {
namespace {

constexpr std::string_view kFilter = "filter";
constexpr std::string_view kPrioritize = "prioritize";

// The scheduler may know a node before its event has come here.
constexpr char kReasonUnknownNode[] = "node(s) not known to vicinal yet";

// The nodes of a question, in its order.
struct Candidates {
  std::vector<std::string_view> names;  // Of the nodes.
  std::vector<const NodeInfo*> nodes;
  std::vector<std::string_view> unknown;
};

Candidates Find(const ClusterState& cluster,
                const std::vector<std::string>& names) {
  Candidates candidates;
  candidates.names.reserve(names.size());
  candidates.nodes.reserve(names.size());
  for (const std::string& name : names) {
    if (const NodeInfo* node = cluster.FindNode(name)) {
      candidates.names.push_back(name);
      candidates.nodes.push_back(node);
    } else {
      candidates.unknown.push_back(name);
    }
  }
  return candidates;
}

// The verb of a path, "" if it is none of ours: metric labels are bounded.
std::string_view VerbOf(std::string_view path) {
  if (!path.starts_with('/')) return "";
  path.remove_prefix(1);
  return path == kFilter || path == kPrioritize ? path : "";
}

}  // namespace

ExtenderService::ExtenderService(const ClusterStore& store,
                                 const Freshness& freshness, Metrics& metrics,
                                 Profile profile, ScoreScale score_scale)
    : store_(store),
      freshness_(freshness),
      metrics_(metrics),
      profile_(std::move(profile)),
      score_scale_(score_scale) {}

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
  const absl::Status fresh = freshness_.Check(Freshness::Clock::now());
  if (!fresh.ok()) {
    return ErrorResponse(503, std::string(fresh.message()));
  }
  const absl::StatusOr<ExtenderArgs> args = ReadExtenderArgs(request.body);
  if (!args.ok()) {
    return ErrorResponse(400, std::string(args.status().message()));
  }
  return verb == kFilter ? Filter(*args) : Prioritize(*args);
}

HttpResponse ExtenderService::Filter(const ExtenderArgs& args) const {
  const PodInfo pod(args.pod);
  ExtenderFilterResult result;
  store_.Read([&](const ClusterState& cluster) {
    const Candidates candidates = Find(cluster, args.node_names);
    const FilterOutcome outcome =
        RunFilterPlugins(profile_, cluster, pod, candidates.nodes);
    for (std::size_t i = 0; i < outcome.statuses.size(); ++i) {
      const Status& status = outcome.statuses[i];
      const std::string_view name = candidates.names[i];
      switch (status.code()) {
        case Code::kSuccess:
          result.node_names.push_back(name);
          break;
        case Code::kUnschedulable:
          result.failed_nodes.push_back({name, status.Message()});
          break;
        case Code::kUnschedulableAndUnresolvable:
          result.failed_and_unresolvable_nodes.push_back(
              {name, status.Message()});
          break;
        default:
          result.error = status.Message();
      }
    }
    for (const std::string_view name : candidates.unknown) {
      result.failed_nodes.push_back({name, kReasonUnknownNode});
    }
    if (outcome.pre_filter.code() == Code::kError) {
      result.error = outcome.pre_filter.Message();
    }
  });
  HttpResponse response;
  response.body = ToJson(result);
  return response;
}

HttpResponse ExtenderService::Prioritize(const ExtenderArgs& args) const {
  const PodInfo pod(args.pod);
  std::vector<HostPriority> priorities;
  priorities.reserve(args.node_names.size());
  const Status status = store_.Read([&](const ClusterState& cluster) {
    const Candidates candidates = Find(cluster, args.node_names);
    const ScoreOutcome outcome =
        RunScorePlugins(profile_, cluster, pod, candidates.nodes);
    if (!outcome.status.ok()) {
      return Status::Error(outcome.status.Message());
    }
    const std::int64_t divisor = score_scale_ == ScoreScale::kExact ? 1 : 40;
    for (std::size_t i = 0; i < candidates.nodes.size(); ++i) {
      priorities.push_back({candidates.names[i], outcome.totals[i] / divisor});
    }
    for (const std::string_view name : candidates.unknown) {
      priorities.push_back({name, 0});
    }
    return Status();
  });
  if (!status.ok()) return ErrorResponse(500, status.Message());
  HttpResponse response;
  response.body = ToJson(priorities);
  return response;
}

}  // namespace vicinal
