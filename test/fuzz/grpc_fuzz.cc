// Messages over gRPC: reading them, and what becomes of what was read.
//
// The first line names the type; what follows is the message in protobuf's text
// form, or, if the line ends with `!`, as bytes.
#include <glog/logging.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/index/cluster_state.h"
#include "core/model/json.h"
#include "core/testing/objects.h"
#include "server/explain/live_explainer.h"
#include "server/grpc/decode.h"
#include "server/grpc/decode_requests.h"
#include "server/grpc/encode.h"
#include "server/grpc/encode_explanation.h"
#include "server/scheduler_config/scheduler_profiles.h"
#include "server/state/cluster_store.h"
#include "server/state/freshness.h"
#include "vicinal/v1/cluster_state.pb.h"
#include "vicinal/v1/extender.pb.h"

namespace vicinal {
namespace {

constexpr char kCluster[] = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {zone: z1, a: b}}, status: {allocatable: {cpu: "1", pods: "2"}}}
- {apiVersion: v1, kind: Node, metadata: {name: n2, labels: {zone: z2}}, spec: {unschedulable: true, taints: [{key: t, effect: NoSchedule}]}}
- {apiVersion: v1, kind: Node, metadata: {name: n3}}
- {apiVersion: v1, kind: Pod, metadata: {name: p1, uid: u1, labels: {app: a}}, spec: {nodeName: n1, affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: {matchLabels: {app: b}}}]}}}}
- {apiVersion: v1, kind: Pod, metadata: {name: p2, uid: u2, labels: {app: a}}, spec: {nodeName: n2}}
)";

class Silence : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, google::protobuf::io::ColumnNumber,
                const std::string&) override {}
};

template <typename Message>
std::optional<Message> Parse(std::string_view text, bool is_binary) {
  Message message;
  const std::string copy(text);
  if (is_binary) {
    if (message.ParseFromString(copy)) return message;
    return std::nullopt;
  }
  google::protobuf::TextFormat::Parser parser;
  Silence silence;
  parser.RecordErrorsTo(&silence);
  if (parser.ParseFromString(copy, &message)) return message;
  return std::nullopt;
}

void ApplyAndRemove(const v1::Object& message) {
  Object object;
  if (!Decode(message, JsonPath(), &object).ok()) return;
  const v1::Object encoded = Encode(object);
  Object again;
  const absl::Status status = Decode(encoded, JsonPath(), &again);
  CHECK(status.ok()) << status << "\n" << encoded.DebugString();
  ClusterState cluster;
  AddObjects(cluster, kCluster);
  cluster.Upsert(std::move(object));
  cluster.Upsert(std::move(again));
}

// One cluster for all inputs: explaining must not change it.
struct Explained {
  Explained() {
    store.Write([](ClusterState& cluster) { AddObjects(cluster, kCluster); });
  }

  ClusterStore store;
  const Freshness freshness{{}, std::chrono::seconds(0)};
  const SchedulerProfiles profiles;
  const LiveExplainer explainer{store, freshness, profiles};
};

void Explain(const v1::Pod& message) {
  static Explained explained;
  Pod pod;
  if (!Decode(message, JsonPath(), &pod).ok()) return;
  const auto result = explained.explainer.Explain(std::move(pod));
  CHECK(result.ok()) << result.status();
  v1::Explanation explanation;
  Encode(result->answer, &explanation);
  CHECK_EQ(explanation.nodes_size(), 3);
  explained.store.Read(
      [](const ClusterState& cluster) { CHECK_EQ(cluster.pod_count(), 2u); });
}

void Run(std::string_view type, std::string_view text, bool is_binary) {
  if (type == "Object") {
    const auto message = Parse<v1::Object>(text, is_binary);
    if (message) ApplyAndRemove(*message);
  } else if (type == "ObjectReference") {
    const auto message = Parse<v1::ObjectReference>(text, is_binary);
    if (!message) return;
    ClusterState cluster;
    AddObjects(cluster, kCluster);
    static_cast<void>(Remove(*message, JsonPath(), cluster));
  } else if (type == "Pod") {
    const auto message = Parse<v1::Pod>(text, is_binary);
    if (message) Explain(*message);
  } else if (type == "PreemptRequest") {
    const auto message = Parse<v1::PreemptRequest>(text, is_binary);
    ExtenderPreemptionArgs args;
    if (message) static_cast<void>(Decode(*message, &args));
  } else if (type == "BindRequest") {
    const auto message = Parse<v1::BindRequest>(text, is_binary);
    BindingArgs args;
    if (!message || !Decode(*message, &args).ok()) return;
    CHECK_EQ(args.node.find('/'), std::string::npos) << args.node;
  }
}

}  // namespace
}  // namespace vicinal

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = input.find('\n');
  if (end == std::string_view::npos) return 0;
  std::string_view type = input.substr(0, end);
  const bool is_binary = type.ends_with('!');
  if (is_binary) type.remove_suffix(1);
  vicinal::Run(type, input.substr(end + 1), is_binary);
  return 0;
}
