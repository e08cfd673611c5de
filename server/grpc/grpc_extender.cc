#include "server/grpc/grpc_extender.h"

#include <glog/logging.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/json.h"
#include "server/grpc/decode.h"
#include "server/grpc/grpc_status.h"

namespace vicinal {
namespace {

std::vector<std::string> NamesOfAllNodes(const ClusterStore& store) {
  return store.Read([](const ClusterState& cluster) {
    std::vector<std::string> names;
    for (const NodeInfo* node : cluster.Nodes()) names.push_back(node->Name());
    return names;
  });
}

// The names in `args` refer to the request or to `all_names`.
struct Question {
  ExtenderArgs args;
  std::vector<std::string> all_names;
};

// `Request`: FilterRequest or PrioritizeRequest.
template <typename Request>
absl::StatusOr<Question> ReadQuestion(const Request& request,
                                      const ClusterStore& store) {
  const JsonPath root;
  if (!request.has_pod()) return FieldError(root.Field("pod"), "required");
  Question question;
  if (absl::Status status =
          Decode(request.pod(), root.Field("pod"), &question.args.pod);
      !status.ok()) {
    return status;
  }
  std::vector<std::string_view>& names = question.args.node_names;
  if (!request.all_nodes()) {
    if (request.node_names().empty()) {
      return FieldError(root.Field("nodeNames"),
                        "required, unless allNodes is true");
    }
    names.assign(request.node_names().begin(), request.node_names().end());
    return question;
  }
  if (!request.node_names().empty()) {
    return FieldError(root.Field("nodeNames"),
                      "must be empty if allNodes is true");
  }
  question.all_names = NamesOfAllNodes(store);
  names.assign(question.all_names.begin(), question.all_names.end());
  return question;
}

// Calls `answer() -> absl::Status` and counts and logs how it ended.
template <typename Answer>
grpc::Status Counted(const char* method, Metrics& metrics, Answer answer) {
  const auto start = std::chrono::steady_clock::now();
  const grpc::Status status = ToGrpcStatus(answer());
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  metrics.CountGrpcRequest(method, NameOf(status.error_code()),
                           elapsed.count());
  if (!status.ok()) {
    LOG_EVERY_N(WARNING, 100)
        << method << ": " << NameOf(status.error_code()) << " "
        << status.error_message() << " (" << google::COUNTER
        << " so far; each 100th is logged)";
  }
  return status;
}

}  // namespace

grpc::Status GrpcExtender::Filter(grpc::ServerContext*,
                                  const v1::FilterRequest* request,
                                  v1::FilterResponse* response) {
  return Counted("Extender/Filter", metrics_, [&]() -> absl::Status {
    const absl::StatusOr<Question> question = ReadQuestion(*request, store_);
    if (!question.ok()) return question.status();
    const absl::StatusOr<ExtenderFilterResult> result =
        extender_.Filter(question->args);
    if (!result.ok()) return result.status();
    if (!result->error.empty()) return absl::InternalError(result->error);
    response->mutable_node_names()->Reserve(
        static_cast<int>(result->node_names.size()));
    for (const std::string_view name : result->node_names) {
      response->add_node_names(std::string(name));
    }
    for (const auto& [name, reason] : result->failed_nodes) {
      (*response->mutable_failed_nodes())[std::string(name)] = reason;
    }
    for (const auto& [name, reason] : result->failed_and_unresolvable_nodes) {
      (*response->mutable_failed_and_unresolvable_nodes())[std::string(name)] =
          reason;
    }
    return absl::OkStatus();
  });
}

grpc::Status GrpcExtender::Prioritize(grpc::ServerContext*,
                                      const v1::PrioritizeRequest* request,
                                      v1::PrioritizeResponse* response) {
  return Counted("Extender/Prioritize", metrics_, [&]() -> absl::Status {
    const absl::StatusOr<Question> question = ReadQuestion(*request, store_);
    if (!question.ok()) return question.status();
    const absl::StatusOr<std::vector<HostPriority>> priorities =
        extender_.Prioritize(question->args);
    if (!priorities.ok()) return priorities.status();
    response->mutable_host_priorities()->Reserve(
        static_cast<int>(priorities->size()));
    for (const auto& [host, score] : *priorities) {
      v1::HostPriority* const priority = response->add_host_priorities();
      priority->set_host(std::string(host));
      priority->set_score(score);
    }
    return absl::OkStatus();
  });
}

}  // namespace vicinal
