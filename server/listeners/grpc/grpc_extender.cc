#include "server/listeners/grpc/grpc_extender.h"

#include <glog/logging.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/index/cluster_state.h"
#include "core/model/field_error.h"
#include "server/listeners/grpc/decode_requests.h"
#include "server/listeners/grpc/encode_explanation.h"
#include "server/listeners/grpc/grpc_status.h"
#include "server/listeners/grpc/named_questions.h"

namespace vicinal {
namespace {

std::vector<std::string> NamesOfAllNodes(const ClusterStore& store) {
  return store.Read([](const ClusterState& cluster) {
    std::vector<std::string> names;
    for (const NodeInfo* node : cluster.Nodes()) names.push_back(node->Name());
    return names;
  });
}

absl::StatusOr<LiveExplainer::Result> Explained(
    const v1::ExplainRequest& request, const LiveExplainer& explainer) {
  std::variant<Pod, ObjectKey> question;
  absl::Status status = Decode(request, &question);
  if (!status.ok()) return status;
  if (Pod* const pod = std::get_if<Pod>(&question)) {
    return explainer.Explain(std::move(*pod));
  }
  return explainer.ExplainKnown(std::get<ObjectKey>(question));
}

// The names in `args` refer to the request or to `all_names`.
struct CandidateQuestion {
  ExtenderArgs args;
  std::vector<std::string> all_names;
};

// `Request`: FilterRequest or PrioritizeRequest.
template <typename Request>
absl::StatusOr<CandidateQuestion> ReadQuestion(const Request& request,
                                               const ClusterStore& store) {
  CandidateQuestion question;
  absl::Status status = Decode(request, &question.args);
  if (!status.ok()) return status;
  if (request.all_nodes()) {
    question.all_names = NamesOfAllNodes(store);
    question.args.node_names.assign(question.all_names.begin(),
                                    question.all_names.end());
  }
  return question;
}

// Counts and logs how a call has ended.
void Count(const char* method, Metrics& metrics,
           std::chrono::steady_clock::time_point start,
           const grpc::Status& status) {
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
}

// Calls `answer() -> absl::Status` and counts how it ended.
template <typename Answer>
grpc::Status Counted(const char* method, Metrics& metrics, Answer answer) {
  const auto start = std::chrono::steady_clock::now();
  const grpc::Status status = ToGrpcStatus(answer());
  Count(method, metrics, start, status);
  return status;
}

// The result as what a call ends with: a plugin's error is the call's.
absl::StatusOr<ExtenderFilterResult> WithError(
    absl::StatusOr<ExtenderFilterResult> result) {
  if (result.ok() && !result->error.empty()) {
    return absl::InternalError(result->error);
  }
  return result;
}

// The error of a call about a list that is not there.
absl::Status NoList(const std::string& id) {
  constexpr std::size_t kDigits = 64;  // Of a SHA-256.
  const JsonPath root;
  const JsonPath path = root.Field("list");
  if (id.size() != kDigits) {
    return FieldError(
        path, absl::StrCat("must have ", kDigits, " digits, got ", id.size()));
  }
  return absl::NotFoundError(
      absl::StrCat("list: ", Quoted(id), ": no such list: call NameNodes"));
}

// A call that ends once, by its answer or because the caller is gone. It lives
// until gRPC has done with it and nobody holds it.
class PendingCall : public grpc::ServerUnaryReactor {
 public:
  using OnEnd = std::function<void(const grpc::Status&)>;

  static std::shared_ptr<PendingCall> Begin(OnEnd on_end) {
    std::shared_ptr<PendingCall> call(new PendingCall(std::move(on_end)));
    call->self_ = call;
    return call;
  }

  // Thread-safe, as is_gone.
  void End(const absl::Status& answer) {
    if (ended_.exchange(true)) return;
    const grpc::Status status = ToGrpcStatus(answer);
    on_end_(status);
    Finish(status);
  }

  bool is_gone() const { return gone_; }

 private:
  explicit PendingCall(OnEnd on_end) : on_end_(std::move(on_end)) {}

  void OnCancel() override {
    gone_ = true;
    End(absl::CancelledError("the caller waits no longer"));
  }
  void OnDone() override { self_.reset(); }

  const OnEnd on_end_;
  std::shared_ptr<PendingCall> self_;
  std::atomic<bool> gone_ = false;
  std::atomic<bool> ended_ = false;
};

}  // namespace

grpc::Status GrpcExtender::Filter(grpc::ServerContext* context,
                                  const v1::FilterRequest* request,
                                  v1::FilterResponse* response) {
  return Counted("Extender/Filter", metrics_, [&]() -> absl::Status {
    absl::Status may = roles_.Check(*context, GrpcRole::kAsk);
    if (!may.ok()) return may;
    const absl::StatusOr<CandidateQuestion> question =
        ReadQuestion(*request, store_);
    if (!question.ok()) return question.status();
    const absl::StatusOr<ExtenderFilterResult> result =
        WithError(extender_.Filter(question->args));
    if (!result.ok()) return result.status();
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

grpc::Status GrpcExtender::FilterNamed(grpc::ServerContext* context,
                                       const v1::FilterNamedRequest* request,
                                       v1::FilterNamedResponse* response) {
  return Counted("Extender/FilterNamed", metrics_, [&]() -> absl::Status {
    absl::Status may = roles_.Check(*context, GrpcRole::kAsk);
    if (!may.ok()) return may;
    const std::shared_ptr<const NodeList> list =
        node_lists_.Find(request->list());
    if (list == nullptr) return NoList(request->list());
    if (absl::Status extent = CheckExtent(*request, *list); !extent.ok()) {
      return extent;
    }
    const JsonPath root;
    const JsonPath questions = root.Field("questions");
    response->mutable_answers()->Reserve(request->questions_size());
    for (int i = 0; i < request->questions_size(); ++i) {
      if (context->IsCancelled()) {
        return absl::CancelledError("the caller waits no longer");
      }
      Answer(request->questions(i),
             questions.Index(static_cast<std::size_t>(i)), *list,
             response->add_answers());
    }
    return absl::OkStatus();
  });
}

void GrpcExtender::Answer(const v1::NamedQuestion& question,
                          const JsonPath& path, const NodeList& list,
                          v1::NamedAnswer* answer) {
  const auto start = std::chrono::steady_clock::now();
  ExtenderArgs args;
  absl::Status status = Decode(question, list, path, &args);
  if (status.ok()) {
    const absl::StatusOr<ExtenderFilterResult> result =
        WithError(extender_.Filter(args));
    if (result.ok()) return Encode(*result, answer);
    status = result.status();
  }
  answer->mutable_error()->set_code(static_cast<int>(status.code()));
  answer->mutable_error()->set_message(std::string(status.message()));
  // The call itself is well.
  Count("Extender/FilterNamed/question", metrics_, start, ToGrpcStatus(status));
}

grpc::Status GrpcExtender::NameNodes(grpc::ServerContext* context,
                                     const v1::NameNodesRequest* request,
                                     v1::NameNodesResponse* response) {
  return Counted("Extender/NameNodes", metrics_, [&]() -> absl::Status {
    absl::Status may = roles_.Check(*context, GrpcRole::kAsk);
    if (!may.ok()) return may;
    absl::StatusOr<std::shared_ptr<const NodeList>> list =
        NodeList::Read(*request);
    if (!list.ok()) return list.status();
    response->set_list((*list)->id());
    node_lists_.Add(*std::move(list));
    return absl::OkStatus();
  });
}

grpc::Status GrpcExtender::Prioritize(grpc::ServerContext* context,
                                      const v1::PrioritizeRequest* request,
                                      v1::PrioritizeResponse* response) {
  return Counted("Extender/Prioritize", metrics_, [&]() -> absl::Status {
    absl::Status may = roles_.Check(*context, GrpcRole::kAsk);
    if (!may.ok()) return may;
    const absl::StatusOr<CandidateQuestion> question =
        ReadQuestion(*request, store_);
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

grpc::Status GrpcExtender::Preempt(grpc::ServerContext* context,
                                   const v1::PreemptRequest* request,
                                   v1::PreemptResponse* response) {
  return Counted("Extender/Preempt", metrics_, [&]() -> absl::Status {
    absl::Status may = roles_.Check(*context, GrpcRole::kAsk);
    if (!may.ok()) return may;
    ExtenderPreemptionArgs args;
    absl::Status status = Decode(*request, &args);
    if (!status.ok()) return status;
    const absl::StatusOr<std::vector<NodeVictims>> remaining =
        extender_.Preempt(args);
    if (!remaining.ok()) return remaining.status();
    for (const NodeVictims& node : *remaining) {
      v1::MetaVictims& victims =
          (*response->mutable_node_name_to_meta_victims())[node.node_name];
      victims.set_num_pdb_violations(node.num_pdb_violations);
      for (const std::string& uid : node.pod_uids) {
        victims.add_pods()->set_uid(uid);
      }
    }
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* GrpcExtender::Bind(
    grpc::CallbackServerContext* context, const v1::BindRequest* request,
    v1::BindResponse*) {
  const auto start = std::chrono::steady_clock::now();
  const std::shared_ptr<PendingCall> call =
      PendingCall::Begin([this, start](const grpc::Status& status) {
        Count("Extender/Bind", metrics_, start, status);
      });
  BindingArgs args;
  absl::Status status = roles_.Check(*context, GrpcRole::kBind);
  if (status.ok()) status = Decode(*request, &args);
  if (!status.ok()) {
    call->End(status);
    return call.get();
  }
  binder_.Bind(
      args, start, [call] { return call->is_gone(); },
      [call](const std::string& error) {
        call->End(error.empty() ? absl::OkStatus()
                                : absl::FailedPreconditionError(error));
      });
  return call.get();
}

grpc::Status GrpcExtender::Explain(grpc::ServerContext* context,
                                   const v1::ExplainRequest* request,
                                   v1::ExplainResponse* response) {
  return Counted("Extender/Explain", metrics_, [&]() -> absl::Status {
    absl::Status may = roles_.Check(*context, GrpcRole::kAsk);
    if (!may.ok()) return may;
    const absl::StatusOr<LiveExplainer::Result> result =
        Explained(*request, explainer_);
    if (!result.ok()) return result.status();
    response->mutable_warnings()->Assign(result->warnings.begin(),
                                         result->warnings.end());
    Encode(result->answer, response->mutable_explanation());
    return absl::OkStatus();
  });
}

}  // namespace vicinal
