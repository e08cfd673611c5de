#include "server/commands/replay/replay.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "server/commands/replay/compare.h"
#include "server/commands/terminal/print_rows.h"
#include "server/decisions/decision_log.h"
#include "server/kubernetes/read_file.h"
#include "server/listeners/grpc/grpc_status.h"
#include "vicinal/v1/extender.grpc.pb.h"

namespace vicinal {
namespace {

using Outcome = DecisionRecord::Outcome;

// A copy of a large cluster is made for each question.
constexpr std::chrono::seconds kPatience{60};

struct Choices {
  std::vector<DecisionRecord> of_pods;  // The last of each, the oldest first.
  std::size_t unreadable = 0;
};

// Whether it says where the pod goes, or that it goes nowhere.
bool IsChoice(const DecisionRecord& decision) {
  return (decision.outcome == Outcome::kNode ||
          decision.outcome == Outcome::kNone) &&
         (decision.question.empty() || decision.question == "best");
}

absl::StatusOr<Choices> ReadChoices(const ReplayOptions& options) {
  std::map<std::pair<std::string, std::string>, DecisionRecord> last;
  Choices choices;
  const absl::Status status = ForEachDecision(
      options.decision_log, [&](absl::StatusOr<DecisionRecord> decision) {
        if (!decision.ok()) {
          ++choices.unreadable;
          return;
        }
        if (!IsChoice(*decision)) return;
        DecisionRecord& known =
            last[{decision->namespace_name, decision->name}];
        if (!IsEarlier(*decision, known)) known = *std::move(decision);
      });
  if (!status.ok()) return status;
  for (auto& one : last) choices.of_pods.push_back(std::move(one.second));
  std::ranges::sort(choices.of_pods, IsEarlier);
  if (choices.of_pods.size() > options.most) {
    choices.of_pods.erase(
        choices.of_pods.begin(),
        choices.of_pods.end() - static_cast<std::ptrdiff_t>(options.most));
  }
  return choices;
}

absl::Status ReadPem(const char* flag, const std::string& path,
                     std::string& pem) {
  if (path.empty()) return absl::OkStatus();
  absl::StatusOr<std::string> text = ReadSmallFile(path);
  if (!text.ok()) {
    return absl::Status(text.status().code(),
                        absl::StrCat(flag, " ", path, ": ",
                                     std::string(text.status().message())));
  }
  pem = *std::move(text);
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<grpc::Channel>> ConnectTo(
    const ReplayOptions& options) {
  grpc::SslCredentialsOptions tls;
  absl::Status status =
      ReadPem("--certificate-authority", options.certificate_authority,
              tls.pem_root_certs);
  if (status.ok()) {
    status = ReadPem("--client-certificate", options.client_certificate,
                     tls.pem_cert_chain);
  }
  if (status.ok()) {
    status = ReadPem("--client-key", options.client_key, tls.pem_private_key);
  }
  if (!status.ok()) return status;
  const bool has_tls =
      !tls.pem_root_certs.empty() || !tls.pem_cert_chain.empty();
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);  // Each node is in the answer.
  return grpc::CreateCustomChannel(
      options.server,
      has_tls ? grpc::SslCredentials(tls) : grpc::InsecureChannelCredentials(),
      arguments);
}

// What came of the choices.
struct Replayed {
  struct Difference {
    DecisionRecord recorded;
    Comparison now;
  };

  std::size_t asked = 0;
  std::size_t equal = 0;
  std::size_t unknown = 0;   // Pods that the server does not know.
  std::size_t of_parts = 0;  // Only some of the nodes were offered.
  std::vector<Difference> different;
};

absl::Status Ask(v1::Extender::Stub& stub, DecisionRecord recorded,
                 Replayed& replayed) {
  v1::ExplainRequest request;
  request.mutable_known_pod()->set_namespace_(recorded.namespace_name);
  request.mutable_known_pod()->set_name(recorded.name);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  v1::ExplainResponse response;
  const grpc::Status status = stub.Explain(&context, request, &response);
  if (status.error_code() == grpc::StatusCode::NOT_FOUND) {
    ++replayed.unknown;
    return absl::OkStatus();
  }
  if (!status.ok()) {
    return absl::UnavailableError(absl::StrCat(
        "asking about ", recorded.namespace_name, "/", recorded.name, ": ",
        NameOf(status.error_code()), ": ", status.error_message()));
  }
  ++replayed.asked;
  const v1::Explanation& explanation = response.explanation();
  if (static_cast<std::int64_t>(recorded.candidates) <
      explanation.nodes_total()) {
    ++replayed.of_parts;
  }
  Comparison now = Compare(recorded, explanation);
  if (now.equal) {
    ++replayed.equal;
  } else {
    replayed.different.push_back({std::move(recorded), std::move(now)});
  }
  return absl::OkStatus();
}

std::string OrNone(const std::string& node) {
  return node.empty() ? "none" : node;
}

std::string Total(std::optional<std::int64_t> total) {
  return total ? absl::StrCat(*total) : "-";
}

void Print(const Replayed& replayed, std::ostream& out) {
  out << replayed.equal << " of " << replayed.asked << " choices are equal, "
      << replayed.different.size() << " differ";
  if (replayed.unknown > 0) {
    out << "; " << replayed.unknown << " not known to the server";
  }
  out << "\n";
  if (replayed.of_parts > 0) {
    out << replayed.of_parts
        << " were chosen from a part of the nodes, now from all\n";
  }
  if (replayed.different.empty()) return;
  std::vector<Row> rows = {
      {"POD", "RECORDED", "ITS TOTAL THEN", "NOW", "HERE", "TOTAL", "WHY"}};
  for (const Replayed::Difference& one : replayed.different) {
    const DecisionRecord& recorded = one.recorded;
    rows.push_back({recorded.namespace_name + "/" + recorded.name,
                    OrNone(recorded.node),
                    recorded.best > 0 ? absl::StrCat(recorded.node_total) : "-",
                    Total(one.now.recorded_total), OrNone(one.now.node),
                    one.now.node.empty() ? "-" : absl::StrCat(one.now.total),
                    one.now.why});
  }
  PrintRows(rows, "", out);
}

void PrintJson(const Replayed& replayed, std::ostream& out) {
  nlohmann::ordered_json json = {
      {"asked", replayed.asked},
      {"equal", replayed.equal},
      {"unknown", replayed.unknown},
      {"chosenFromAPartOfTheNodes", replayed.of_parts},
      {"different", nlohmann::ordered_json::array()}};
  for (const Replayed::Difference& one : replayed.different) {
    nlohmann::ordered_json item = {{"namespace", one.recorded.namespace_name},
                                   {"pod", one.recorded.name},
                                   {"recordedNode", one.recorded.node},
                                   {"node", one.now.node},
                                   {"why", one.now.why}};
    if (one.recorded.best > 0) {
      item["recordedTotalThen"] = one.recorded.node_total;
    }
    if (one.now.recorded_total) {
      item["recordedTotalNow"] = *one.now.recorded_total;
    }
    if (!one.now.node.empty()) item["total"] = one.now.total;
    json["different"].push_back(std::move(item));
  }
  out << json.dump(2, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace)
      << "\n";
}

}  // namespace

absl::Status Replay(const ReplayOptions& options, std::ostream& out,
                    std::ostream& err, bool& differs) {
  absl::StatusOr<Choices> choices = ReadChoices(options);
  if (!choices.ok()) return choices.status();
  if (choices->unreadable > 0) {
    err << "vicinal: warning: lines that are no decisions are passed over: "
        << choices->unreadable << "\n";
  }
  if (choices->of_pods.empty()) {
    return absl::NotFoundError(options.decision_log +
                               ": it has no choice of a node");
  }
  const absl::StatusOr<std::shared_ptr<grpc::Channel>> channel =
      ConnectTo(options);
  if (!channel.ok()) return channel.status();
  const auto stub = v1::Extender::NewStub(*channel);
  Replayed replayed;
  for (DecisionRecord& recorded : choices->of_pods) {
    if (absl::Status status = Ask(*stub, std::move(recorded), replayed);
        !status.ok()) {
      return absl::Status(status.code(),
                          absl::StrCat("--server ", options.server, ": ",
                                       std::string(status.message())));
    }
  }
  differs = !replayed.different.empty();
  if (options.output == "json") {
    PrintJson(replayed, out);
  } else {
    Print(replayed, out);
  }
  return absl::OkStatus();
}

}  // namespace vicinal
