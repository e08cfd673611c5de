// The answers over gRPC are those over HTTP and, for Explain, those of
// `vicinal explain -o json`; and what is fed over gRPC is what the same
// manifests say.
//
// Each case of test/conformance goes two ways: its objects are read from JSON,
// and its question is asked over HTTP; its objects are fed over gRPC, and its
// question is asked there, of filter in both forms: with names, and with
// numbers of nodes that were named before. The objects themselves are compared
// as well.
//
// The named cases are always run; with VICINAL_CASES=<file of
// test/conformance/cmd/cases> those too.
#include <glob.h>
#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/index/stored_pod.h"
#include "core/model/json.h"
#include "core/model/object_list.h"
#include "core/model/yaml.h"
#include "server/commands/explain/live_explainer.h"
#include "server/commands/explain/run_explain.h"
#include "server/listeners/extender/extender_binder.h"
#include "server/listeners/extender/extender_service.h"
#include "server/listeners/grpc/feed_events.h"
#include "server/listeners/grpc/from_proto.h"
#include "server/listeners/grpc/grpc_cluster_state.h"
#include "server/listeners/grpc/grpc_extender.h"
#include "server/listeners/grpc/grpc_server.h"
#include "server/listeners/grpc/testing/grpc_client.h"
#include "server/listeners/grpc/to_proto.h"
#include "server/listeners/http/http_server.h"
#include "server/listeners/http/testing/raw_client.h"
#include "test/grpc/named_filter_client.h"
#include "vicinal/v1/extender.grpc.pb.h"

namespace vicinal {
namespace {

using google::protobuf::util::MessageDifferencer;
using nlohmann::json;

// The JSON form of a message has quantities as text only.
void WriteQuantitiesAsText(json& value) {
  if (value.is_array()) {
    for (json& element : value) WriteQuantitiesAsText(element);
  } else if (value.is_object()) {
    for (auto& [key, field] : value.items()) {
      const bool quantities = key == "requests" || key == "allocatable" ||
                              key == "overhead" || key == "allocatedResources";
      if (quantities && field.is_object()) {
        for (json& amount : field) {
          if (amount.is_number()) amount = amount.dump();
        }
      } else {
        WriteQuantitiesAsText(field);
      }
    }
  }
}

v1::Object ToMessage(const json& object) {
  const std::string text = object.dump();
  const std::string kind = object.at("kind");
  v1::Object message;
  if (kind == "Node") *message.mutable_node() = FromJson<v1::Node>(text);
  if (kind == "Pod") *message.mutable_pod() = FromJson<v1::Pod>(text);
  if (kind == "Namespace") {
    *message.mutable_namespace_() = FromJson<v1::Namespace>(text);
  }
  if (kind == "Service") {
    *message.mutable_service() = FromJson<v1::Service>(text);
  }
  if (kind == "ReplicationController") {
    *message.mutable_replication_controller() =
        FromJson<v1::ReplicationController>(text);
  }
  if (kind == "ReplicaSet") {
    *message.mutable_replica_set() = FromJson<v1::ReplicaSet>(text);
  }
  if (kind == "StatefulSet") {
    *message.mutable_stateful_set() = FromJson<v1::StatefulSet>(text);
  }
  return message;
}

void RemoveAll(ClusterState& cluster) {
  for (const ObjectKey& key : cluster.Keys<Node>()) cluster.Remove<Node>(key);
  for (const ObjectKey& key : cluster.Keys<Pod>()) cluster.Remove<Pod>(key);
  const auto remove = [&cluster]<typename Kind>(Kind*) {
    for (const ObjectKey& key : cluster.Keys<Kind>()) cluster.Remove<Kind>(key);
  };
  remove(static_cast<Namespace*>(nullptr));
  remove(static_cast<Service*>(nullptr));
  remove(static_cast<ReplicationController*>(nullptr));
  remove(static_cast<ReplicaSet*>(nullptr));
  remove(static_cast<StatefulSet*>(nullptr));
}

// Takes out lists of resources that are there and empty: a map of a protobuf
// message cannot tell that from absent.
void DropEmptyResourceLists(json& value) {
  if (!value.is_structured()) return;
  for (const char* name : {"requests", "allocatedResources", "overhead"}) {
    if (value.is_object() && value.contains(name) && value[name].empty()) {
      value.erase(name);
    }
  }
  for (json& part : value) DropEmptyResourceLists(part);
}

void DropLimits(json& value) {
  if (!value.is_structured()) return;
  if (value.is_object()) value.erase("limits");
  for (json& part : value) DropLimits(part);
}

// A message's JSON writes 64-bit numbers as text, and leaves out what is null,
// empty, false or 0.
json Comparable(const json& value) {
  if (value.is_number()) return value.dump();
  if (!value.is_structured()) return value;
  json result = value.is_array() ? json::array() : json::object();
  for (const auto& [key, field] : value.items()) {
    json one = Comparable(field);
    if (value.is_array()) {
      result.push_back(std::move(one));
    } else if (!one.is_null() && one != false && one != "0" && one != "" &&
               !(one.is_structured() && one.empty())) {
      result[key] = std::move(one);
    }
  }
  return result;
}

json ToJson(const google::protobuf::Message& message) {
  std::string text;
  EXPECT_TRUE(google::protobuf::util::MessageToJsonString(message, &text).ok());
  return json::parse(text);
}

class IdentityTest : public ::testing::Test {
 protected:
  IdentityTest() {
    HttpServer::Options http_options;
    http_options.address = "127.0.0.1:0";
    http_ = *HttpServer::Start(http_options, [this](const HttpRequest& r) {
      return http_extender_.Handle(r);
    });
    http_client_ = std::make_unique<RawClient>(http_->address());
    GrpcServer::Options grpc_options;
    grpc_options.address = "127.0.0.1:0";
    grpc_ = *GrpcServer::Start(grpc_options, fed_freshness_,
                               {{"extender", &grpc_extender_},
                                {"cluster state", &grpc_cluster_state_}});
    const auto channel = ConnectTo(grpc_->address());
    extender_ = v1::Extender::NewStub(channel);
    cluster_state_ = v1::ClusterState::NewStub(channel);
    named_ =
        std::make_unique<NamedFilterClient>(v1::Extender::NewStub(channel));
  }

  // The answer's status and body.
  std::pair<int, json> AskHttp(const std::string& path,
                               const std::string& question) {
    EXPECT_TRUE(http_client_->Send(Post(path, question)));
    const RawResponse response =
        http_client_->Receive().value_or(RawResponse());
    return {response.status, json::parse(response.body)};
  }

  // False if JSON has an object that cannot be read.
  bool Load(const std::vector<json>& objects) {
    std::vector<v1::Object> messages;
    std::vector<Object> values;
    JsonReader reader;
    for (const json& object : objects) {
      const simdjson::padded_string text(object.dump());
      absl::StatusOr<std::optional<Object>> value = ReadObject(reader, text);
      if (!value.ok()) return false;
      if (!*value) continue;
      messages.push_back(ToMessage(object));
      Object decoded;
      const absl::Status status = Decode(messages.back(), JsonPath(), &decoded);
      EXPECT_TRUE(status.ok()) << status << " in " << object;
      const v1::Object wanted = Encode(**value);
      EXPECT_TRUE(MessageDifferencer::Equals(Encode(decoded), wanted))
          << object
          << "\n read over gRPC: " << Encode(decoded).ShortDebugString();
      values.push_back(**std::move(value));
      const Pod* const pod = std::get_if<Pod>(&values.back());
      if (pod != nullptr && pod->meta.uid.empty()) continue;
      Object again;
      EXPECT_TRUE(Decode(wanted, JsonPath(), &again).ok()) << object;
      EXPECT_TRUE(MessageDifferencer::Equals(Encode(again), wanted)) << object;
    }
    listed_store_.Write([&values](ClusterState& cluster) {
      RemoveAll(cluster);
      for (Object& value : values) cluster.Upsert(std::move(value));
    });
    // Emptied first: where nodes give an image different sizes, that of the
    // node counts which had it first, also before this case.
    for (const auto& state : {std::vector<v1::Object>(), messages}) {
      const FeedResult fed = Feed(*cluster_state_, WholeState(state));
      EXPECT_TRUE(fed.status.ok()) << fed.status.error_message();
    }
    return true;
  }

  // By number the answer is that by name, for all nodes of a list and for every
  // other one.
  void CompareNamed(const v1::Pod& pod, const std::vector<std::string>& nodes,
                    const grpc::Status& status,
                    const v1::FilterResponse& response) {
    if (nodes.empty()) return;  // Nothing to name.
    using Reasons = std::map<std::string, std::string>;
    std::vector<std::string> names;
    NamedFilterClient::Question some{pod, {}};
    for (const std::string& node : nodes) {
      names.push_back("other-" + node);
      some.candidates.push_back(static_cast<std::uint32_t>(names.size()));
      names.push_back(node);
    }
    std::vector<NamedFilterClient::Answer> answers;
    named_->SetNodes(nodes);
    ASSERT_TRUE(named_->Ask({{pod, {}}}, &answers).ok());
    ASSERT_EQ(answers.size(), 1u);
    named_->SetNodes(names);
    std::vector<NamedFilterClient::Answer> of_two;
    ASSERT_TRUE(named_->Ask({some, some}, &of_two).ok());
    ASSERT_EQ(of_two.size(), 2u);
    answers.insert(answers.end(), of_two.begin(), of_two.end());
    for (const NamedFilterClient::Answer& answer : answers) {
      EXPECT_EQ(answer.status.error_code(), status.error_code());
      EXPECT_EQ(answer.status.error_message(), status.error_message());
      EXPECT_EQ(answer.fitting,
                std::vector<std::string>(response.node_names().begin(),
                                         response.node_names().end()));
      EXPECT_EQ(answer.refused, Reasons(response.failed_nodes().begin(),
                                        response.failed_nodes().end()));
      EXPECT_EQ(answer.refused_whatever_is_evicted,
                Reasons(response.failed_and_unresolvable_nodes().begin(),
                        response.failed_and_unresolvable_nodes().end()));
      ++named_answers_;
    }
  }

  // Both ways; returns the nodes that fit.
  std::vector<std::string> Filter(const json& pod, const v1::Pod& message,
                                  const std::vector<std::string>& nodes,
                                  bool all_nodes) {
    const auto [code, answer] =
        AskHttp("/filter", json{{"Pod", pod}, {"NodeNames", nodes}}.dump());
    EXPECT_EQ(code, 200) << answer;
    v1::FilterRequest request;
    *request.mutable_pod() = message;
    if (all_nodes) {
      request.set_all_nodes(true);
    } else {
      request.mutable_node_names()->Assign(nodes.begin(), nodes.end());
    }
    v1::FilterResponse response;
    grpc::ClientContext context;
    const grpc::Status status = extender_->Filter(&context, request, &response);
    const std::string error = answer.at("Error");
    CompareNamed(message, nodes, status, response);
    if (!error.empty() || !status.ok()) {
      EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL) << error;
      EXPECT_EQ(status.error_message(), error);
      ++errors_;
      return {};
    }
    std::vector<std::string> fitting(response.node_names().begin(),
                                     response.node_names().end());
    EXPECT_EQ(json(fitting), answer.at("NodeNames"));
    using Reasons = std::map<std::string, std::string>;
    // Over HTTP every refusal but that of the pod's nominated node is
    // unresolvable: see quiet_refusals.h.
    Reasons refused(response.failed_and_unresolvable_nodes().begin(),
                    response.failed_and_unresolvable_nodes().end());
    refused.insert(response.failed_nodes().begin(),
                   response.failed_nodes().end());
    Reasons refused_over_http =
        answer.at("FailedAndUnresolvableNodes").get<Reasons>();
    refused_over_http.merge(answer.at("FailedNodes").get<Reasons>());
    EXPECT_EQ(refused, refused_over_http);
    return fitting;
  }

  void Prioritize(const json& pod, const v1::Pod& message,
                  const std::vector<std::string>& nodes) {
    const auto [code, answer] =
        AskHttp("/prioritize", json{{"Pod", pod}, {"NodeNames", nodes}}.dump());
    v1::PrioritizeRequest request;
    *request.mutable_pod() = message;
    request.mutable_node_names()->Assign(nodes.begin(), nodes.end());
    v1::PrioritizeResponse response;
    grpc::ClientContext context;
    const grpc::Status status =
        extender_->Prioritize(&context, request, &response);
    if (code != 200 || !status.ok()) {
      EXPECT_EQ(code, 500) << answer;
      EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL);
      EXPECT_EQ(status.error_message(), answer.value("error", ""));
      ++errors_;
      return;
    }
    json priorities = json::array();
    for (const v1::HostPriority& priority : response.host_priorities()) {
      priorities.push_back(
          {{"Host", priority.host()}, {"Score", priority.score()}});
    }
    EXPECT_EQ(priorities, answer);
    scored_ += nodes.size();
  }

  // What the command says of a pod in a manifest.
  json ExplainByCommand(const json& pod, const std::vector<json>& objects) {
    const std::string folder = ::testing::TempDir();
    json manifest = pod;
    // A manifest's limits become requests, as in an API server; messages have
    // none.
    DropLimits(manifest);
    manifest["apiVersion"] = "v1";
    manifest["kind"] = "Pod";
    ExplainOptions options;
    options.cluster_file = folder + "/identity-cluster.json";
    options.manifest = folder + "/identity-pod.json";
    options.output = "json";
    std::ofstream(options.cluster_file)
        << json{{"apiVersion", "v1"}, {"kind", "List"}, {"items", objects}};
    std::ofstream(options.manifest) << manifest;
    std::ostringstream out;
    std::ostringstream warnings;
    bool fits = false;
    const absl::Status status = RunExplain(options, out, warnings, &fits);
    EXPECT_TRUE(status.ok()) << status;
    return json::parse(out.str(), nullptr, false);
  }

  void Explain(const json& pod, const v1::Pod& message,
               const std::vector<json>& objects) {
    const json answer = ExplainByCommand(pod, objects);
    v1::ExplainRequest request;
    *request.mutable_pod() = message;
    v1::ExplainResponse response;
    grpc::ClientContext context;
    const grpc::Status status =
        extender_->Explain(&context, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    ASSERT_EQ(answer.at("explanations").size(), 1u);
    // The command reads more of the pod than the service is told.
    json over_grpc = ToJson(response.explanation());
    json by_command = answer["explanations"][0];
    EXPECT_FALSE(over_grpc["notChecked"].empty());
    for (const char* field : {"checked", "notChecked"}) {
      over_grpc.erase(field);
      by_command.erase(field);
    }
    EXPECT_EQ(Comparable(over_grpc), Comparable(by_command));
    EXPECT_EQ(json(std::vector<std::string>(response.warnings().begin(),
                                            response.warnings().end())),
              answer.at("warnings"));
    ++explained_;
  }

  // Of all pods on each node the scheduler would evict the first.
  void Preempt(const json& pod, const v1::Pod& message) {
    std::map<std::string, std::vector<std::string>> uids;
    listed_store_.Read([&uids](const ClusterState& cluster) {
      for (const NodeInfo* node : cluster.Nodes()) {
        std::vector<std::string>& victims = uids[node->Name()];
        for (const StoredPod* one : node->pods) {
          if (victims.empty() && !one->uid().empty()) {
            victims.emplace_back(one->uid());
          }
        }
      }
    });
    uids["n-unknown"] = {"u"};
    json candidates = json::object();
    v1::PreemptRequest request;
    *request.mutable_pod() = message;
    for (const auto& [node, pods] : uids) {
      json victims = {{"Pods", json::array()}, {"NumPDBViolations", 1}};
      v1::MetaVictims& meta =
          (*request.mutable_node_name_to_meta_victims())[node];
      meta.set_num_pdb_violations(1);
      for (const std::string& uid : pods) {
        victims["Pods"].push_back({{"UID", uid}});
        meta.add_pods()->set_uid(uid);
      }
      candidates[node] = std::move(victims);
    }
    const auto [code, answer] = AskHttp(
        "/preempt",
        json{{"Pod", pod}, {"NodeNameToMetaVictims", candidates}}.dump());
    ASSERT_EQ(code, 200) << answer;
    v1::PreemptResponse response;
    grpc::ClientContext context;
    const grpc::Status status =
        extender_->Preempt(&context, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    json remaining = json::object();
    for (const auto& [node, victims] : response.node_name_to_meta_victims()) {
      remaining[node] = {{"Pods", json::array()},
                         {"NumPDBViolations", victims.num_pdb_violations()}};
      for (const v1::MetaPod& victim : victims.pods()) {
        remaining[node]["Pods"].push_back({{"UID", victim.uid()}});
      }
    }
    EXPECT_EQ(remaining, answer.at("NodeNameToMetaVictims"));
    dropped_ += uids.size() - remaining.size();
    remaining_ += remaining.size();
  }

  void Run(json question) {
    WriteQuantitiesAsText(question);
    if (!question.contains("objects") || !question.at("objects").is_array() ||
        !Load(question.at("objects"))) {
      ++unreadable_;
      return;
    }
    const json pod = question.value("pod", json());
    const json args = {{"Pod", pod}, {"NodeNames", json::array()}};
    if (AskHttp("/filter", args.dump()).first == 400) {
      ++unreadable_;
      return;
    }
    const v1::Pod message = FromJson<v1::Pod>(pod.dump());
    const std::vector<std::string> nodes =
        listed_store_.Read([](const ClusterState& cluster) {
          std::vector<std::string> names;
          for (const NodeInfo* node : cluster.Nodes()) {
            names.push_back(node->Name());
          }
          return names;
        });
    const std::vector<std::string> fitting = Filter(pod, message, nodes, true);
    std::vector<std::string> some = {"n-unknown"};
    some.insert(some.end(), nodes.rbegin(), nodes.rend());
    Filter(pod, message, some, false);
    if (!fitting.empty()) Prioritize(pod, message, fitting);
    Preempt(pod, message);
    // What the command refuses: a cluster without nodes, a pod without a name.
    if (!nodes.empty() && !message.metadata().name().empty()) {
      Explain(pod, message, question.at("objects"));
    }
    ++cases_;
  }

  ClusterStore listed_store_;
  ClusterStore fed_store_;
  Freshness always_fresh_{{}, std::chrono::seconds(0)};
  Freshness fed_freshness_{{FeedEvents::kResource}, std::chrono::seconds(0)};
  Metrics metrics_;
  InFlightPods listed_in_flight_{listed_store_, metrics_, {.enabled = false}};
  InFlightPods fed_in_flight_{fed_store_, metrics_, {.enabled = false}};
  const ExtenderOptions advise_{.mode = ExtenderMode::kAdvise};
  const SchedulerProfiles default_profiles_;
  ExtenderService http_extender_{listed_store_,     listed_in_flight_,
                                 always_fresh_,     metrics_,
                                 default_profiles_, advise_};
  ExtenderService fed_extender_{fed_store_, fed_in_flight_,    fed_freshness_,
                                metrics_,   default_profiles_, advise_};
  const ExtenderBinder fed_binder_{
      fed_store_,        fed_in_flight_, fed_freshness_,          metrics_,
      default_profiles_, nullptr,        std::chrono::seconds(60)};
  const LiveExplainer explainer_{fed_store_, fed_freshness_, default_profiles_};
  const GrpcRoles roles_ = GrpcRoles::Everything();
  GrpcExtender grpc_extender_{fed_extender_, fed_binder_, explainer_,
                              fed_store_,    metrics_,    roles_};
  GrpcClusterState grpc_cluster_state_{fed_store_, &fed_freshness_, roles_};
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<RawClient> http_client_;
  std::unique_ptr<GrpcServer> grpc_;
  std::unique_ptr<v1::Extender::Stub> extender_;
  std::unique_ptr<v1::ClusterState::Stub> cluster_state_;
  std::unique_ptr<NamedFilterClient> named_;
  std::size_t named_answers_ = 0;
  std::size_t cases_ = 0;
  std::size_t unreadable_ = 0;
  std::size_t errors_ = 0;
  std::size_t scored_ = 0;
  std::size_t explained_ = 0;
  std::size_t dropped_ = 0;    // By preempt,
  std::size_t remaining_ = 0;  // and not.
};

TEST_F(IdentityTest, NamedCases) {
  glob_t found;
  ASSERT_EQ(glob("test/conformance/testdata/named/*.yaml", 0, nullptr, &found),
            0);
  for (std::size_t i = 0; i < found.gl_pathc; ++i) {
    const std::string path = found.gl_pathv[i];
    SCOPED_TRACE(path);
    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const absl::StatusOr<std::vector<std::string>> documents = YamlToJson(text);
    ASSERT_TRUE(documents.ok()) << documents.status();
    json question = json::parse(documents->front()).at("case");
    DropEmptyResourceLists(question);
    Run(question);
  }
  globfree(&found);
  EXPECT_GE(cases_, 200u);
  EXPECT_EQ(unreadable_, 0u);
  EXPECT_GE(named_answers_, 1000u);
  EXPECT_GE(errors_, 3u);
  EXPECT_GE(scored_, 300u);
  EXPECT_GE(explained_, 200u);
  EXPECT_GE(dropped_, 300u);
  EXPECT_GE(remaining_, 300u);
}

TEST_F(IdentityTest, GeneratedCases) {
  const char* const path = std::getenv("VICINAL_CASES");
  if (path == nullptr) GTEST_SKIP() << "VICINAL_CASES is not set";
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    // Some are broken on purpose.
    json question = json::parse(line, nullptr, false);
    if (!question.is_object()) {
      ++unreadable_;
      continue;
    }
    DropEmptyResourceLists(question);
    SCOPED_TRACE(line.substr(0, 40));
    Run(question);
  }
  EXPECT_GE(cases_, 10 * unreadable_);
  EXPECT_GE(cases_, 100u);
  std::cout << cases_ << " cases, " << unreadable_ << " unreadable, " << errors_
            << " errors, " << scored_ << " scored nodes, " << explained_
            << " explained, " << dropped_ << " dropped and " << remaining_
            << " kept by preempt" << std::endl;
}

}  // namespace
}  // namespace vicinal
