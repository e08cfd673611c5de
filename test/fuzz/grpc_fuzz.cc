// Messages over gRPC: reading them, and what becomes of what was read.
//
// The first line names the type; what follows is the message in protobuf's text
// form, or, if the line ends with `!`, as bytes. After `Feed` each line is a
// FeedRequest.
#include <glog/logging.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/model/json.h"
#include "core/testing/objects.h"
#include "server/commands/explain/live_explainer.h"
#include "server/listeners/grpc/decode_requests.h"
#include "server/listeners/grpc/encode_explanation.h"
#include "server/listeners/grpc/feed_events.h"
#include "server/listeners/grpc/from_proto.h"
#include "server/listeners/grpc/named_questions.h"
#include "server/listeners/grpc/node_lists.h"
#include "server/listeners/grpc/to_proto.h"
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

// What has been read can be told to others, who can read it.
void CheckEncoding(const v1::Object& message) {
  Object object;
  if (!Decode(message, JsonPath(), &object).ok()) return;
  const v1::Object encoded = Encode(object);
  Object again;
  const absl::Status status = Decode(encoded, JsonPath(), &again);
  CHECK(status.ok()) << status << "\n" << encoded.DebugString();
}

template <typename Kind>
void RemoveAll(ClusterState& cluster) {
  for (const ObjectKey& key : cluster.Keys<Kind>()) cluster.Remove<Kind>(key);
}

// A stream, and that nothing is left of it once all objects are gone.
void Feed(const std::vector<v1::FeedRequest>& stream) {
  ClusterStore store;
  store.Write([](ClusterState& cluster) { AddObjects(cluster, kCluster); });
  Freshness freshness({FeedEvents::kResource}, std::chrono::seconds(0));
  FeedEvents events(store, freshness);
  for (const v1::FeedRequest& event : stream) {
    if (event.has_upsert()) CheckEncoding(event.upsert());
    if (!events.Apply(event).ok()) break;
  }
  store.Write([](ClusterState& cluster) {
    RemoveAll<Node>(cluster);
    RemoveAll<Pod>(cluster);
    CHECK(cluster.topology().IsEmpty());
  });
}

void FeedLines(std::string_view text) {
  std::vector<v1::FeedRequest> stream;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    auto event = Parse<v1::FeedRequest>(text.substr(0, end), false);
    if (event) stream.push_back(*std::move(event));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  Feed(stream);
}

template <typename Request>
void Candidates(const Request& message) {
  ExtenderArgs args;
  if (!Decode(message, &args).ok()) return;
  CHECK_EQ(args.node_names.empty(), message.all_nodes());
  static_cast<void>(PodInfo(std::move(args.pod)));
}

// The nodes that are named have numbers and are found by them.
void NameNodes(const v1::NameNodesRequest& message) {
  const auto list = NodeList::Read(message);
  if (!list.ok()) return;
  const std::vector<std::string_view>& names = (*list)->names();
  CHECK_EQ(names.size(), static_cast<std::size_t>(message.names_size()));
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK_EQ(names[i], message.names(static_cast<int>(i)));
    CHECK_EQ(NodeList::NumberOf(names[i]), i);
  }
  NodeLists lists;
  lists.Add(*list);
  CHECK(lists.Find((*list)->id()) == *list);
}

// Whatever of the list is asked about, the answer has each candidate once.
void FilterNamed(const v1::FilterNamedRequest& message) {
  static const std::shared_ptr<const NodeList> list = [] {
    v1::NameNodesRequest names;
    for (const char* name :
         {"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9", "n10"}) {
      names.add_names(name);
    }
    return *NodeList::Read(names);
  }();
  if (!CheckExtent(message, *list).ok()) return;
  for (const v1::NamedQuestion& question : message.questions()) {
    ExtenderArgs args;
    if (!Decode(question, *list, JsonPath(), &args).ok()) continue;
    CHECK(!args.node_names.empty());
    CHECK_LE(args.node_names.size(), list->names().size());
    static_cast<void>(PodInfo(std::move(args.pod)));
    ExtenderFilterResult result;
    for (const std::string_view name : args.node_names) {
      if (result.node_names.size() < args.node_names.size() / 2) {
        result.node_names.push_back(name);
      } else {
        result.failed_nodes.push_back({name, name});
      }
    }
    v1::NamedAnswer answer;
    Encode(result, &answer);
    CHECK_EQ(static_cast<std::size_t>(answer.refused_size()),
             result.failed_nodes.size());
    CHECK_LE(answer.fitting().size(), 2u);
  }
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

void Explain(const v1::ExplainRequest& message) {
  static Explained explained;
  std::variant<Pod, ObjectKey> question;
  if (!Decode(message, &question).ok()) return;
  Pod* const pod = std::get_if<Pod>(&question);
  const auto result =
      pod != nullptr
          ? explained.explainer.Explain(std::move(*pod))
          : explained.explainer.ExplainKnown(std::get<ObjectKey>(question));
  if (absl::IsNotFound(result.status())) return;
  CHECK(result.ok()) << result.status();
  v1::Explanation explanation;
  Encode(result->answer, &explanation);
  CHECK_EQ(explanation.nodes_size(), 3);
  explained.store.Read(
      [](const ClusterState& cluster) { CHECK_EQ(cluster.pod_count(), 2u); });
}

void Preempt(const v1::PreemptRequest& message) {
  ExtenderPreemptionArgs args;
  if (!Decode(message, &args).ok()) return;
  CHECK_EQ(args.candidates.size(), message.node_name_to_meta_victims().size());
  for (const NodeVictims& node : args.candidates) {
    for (const std::string& uid : node.pod_uids) CHECK(!uid.empty());
  }
  static_cast<void>(PodInfo(std::move(args.pod)));
}

// What is read becomes part of a URL's path.
void Bind(const v1::BindRequest& message) {
  BindingArgs args;
  if (!Decode(message, &args).ok()) return;
  for (const std::string* name :
       {&args.pod_name, &args.pod_namespace, &args.node}) {
    CHECK(!name->empty());
    CHECK_EQ(name->find_first_of("/?#%\\ \n"), std::string::npos) << *name;
  }
  CHECK(!args.pod_uid.empty());
}

// Reads a message and calls `use(const Message&)`.
template <typename Message, typename Use>
void With(std::string_view text, bool is_binary, Use use) {
  const auto message = Parse<Message>(text, is_binary);
  if (message) use(*message);
}

void Run(std::string_view type, std::string_view text, bool is_binary) {
  if (type == "Feed") {
    FeedLines(text);
  } else if (type == "FeedRequest") {
    With<v1::FeedRequest>(text, is_binary,
                          [](const auto& message) { Feed({message}); });
  } else if (type == "FilterRequest") {
    With<v1::FilterRequest>(text, is_binary, &Candidates<v1::FilterRequest>);
  } else if (type == "NameNodesRequest") {
    With<v1::NameNodesRequest>(text, is_binary, &NameNodes);
  } else if (type == "FilterNamedRequest") {
    With<v1::FilterNamedRequest>(text, is_binary, &FilterNamed);
  } else if (type == "PrioritizeRequest") {
    With<v1::PrioritizeRequest>(text, is_binary,
                                &Candidates<v1::PrioritizeRequest>);
  } else if (type == "ExplainRequest") {
    With<v1::ExplainRequest>(text, is_binary, &Explain);
  } else if (type == "PreemptRequest") {
    With<v1::PreemptRequest>(text, is_binary, &Preempt);
  } else if (type == "BindRequest") {
    With<v1::BindRequest>(text, is_binary, &Bind);
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
