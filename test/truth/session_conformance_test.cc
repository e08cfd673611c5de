// Tells every named case of test/conformance to a session of the scheduler's
// plugin, and compares its verdicts and scores with what the stock code
// answers.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/decode.h"
#include "core/model/json.h"
#include "core/model/pod_admission.h"
#include "core/model/yaml.h"
#include "core/simulate/append_json.h"
#include "server/listeners/scheduler_plugin/session.h"
#include "server/listeners/scheduler_plugin/testing/messages.h"

namespace vicinal {
namespace {

using Json = nlohmann::json;

constexpr char kFolder[] = "test/conformance/testdata/named";
constexpr char kAsker[] = "the-asker";
constexpr int kSkip = 5;

std::string TextAt(const Json& object, const char* pointer) {
  const Json::json_pointer where(pointer);
  return object.contains(where) && object[where].is_string()
             ? object[where].get<std::string>()
             : "";
}

// As the scheduler has it: what the API server does to a pod is done.
std::string AsStored(Json pod, const std::string& uid) {
  if (pod.contains("spec")) pod["spec"].erase("schedulerName");
  if (TextAt(pod, "/metadata/uid").empty()) {
    absl::StatusOr<Pod> read = JsonReader().ReadCopy<Pod>(pod.dump());
    if (read.ok()) {
      AdmitPod(*read);
      read->meta.uid = uid;
      std::string json;
      AppendJson(*read, json);
      return json;
    }
  }
  pod["metadata"]["uid"] = uid;
  if (TextAt(pod, "/metadata/namespace").empty()) {
    pod["metadata"]["namespace"] = "default";
  }
  return pod.dump();
}

class Case {
 public:
  explicit Case(const Json& one)
      : config_(MakeSchedulerConfig(one.contains("pluginConfig")
                                        ? "profiles: [{pluginConfig: " +
                                              one["pluginConfig"].dump() + "}]"
                                        : "")) {
    Send(MakeHello());
    // Of two of one kind and name the later counts.
    std::map<std::string, Json> objects;
    for (const Json& object : one.at("objects")) {
      const std::string kind = TextAt(object, "/kind");
      objects[kind + "/" + TextAt(object, "/metadata/namespace") + "/" +
              TextAt(object, "/metadata/name")] = object;
    }
    for (const auto& [key, object] : objects) {
      if (TextAt(object, "/kind") == "Node") TellNode(object);
    }
    for (const auto& [key, object] : objects) {
      const std::string kind = TextAt(object, "/kind");
      if (kind == "Pod") {
        TellPod(object);
      } else if (kind != "Node") {
        v1::Change change;
        change.set_object(object.dump());
        Send(MessageWith(change));
      }
    }
    v1::Change asker;
    asker.mutable_pod()->set_json(AsStored(one.at("pod"), kAsker));
    Send(MessageWith(asker));
    Send(SyncedMessage());
  }

  const std::map<std::string, std::uint32_t>& numbers() const {
    return numbers_;
  }

  v1::VerdictsAnswer Verdicts() {
    v1::SchedulerMessage message;
    message.mutable_question()->set_uid(kAsker);
    message.mutable_question()->mutable_verdicts();
    return Send(message).verdicts();
  }
  v1::ScoresAnswer Scores(const std::vector<std::string>& nodes) {
    v1::SchedulerMessage message;
    message.mutable_question()->set_uid(kAsker);
    for (const std::string& node : nodes) {
      message.mutable_question()->mutable_scores()->add_nodes(
          numbers_.at(node));
    }
    return Send(message).scores();
  }

 private:
  v1::Answer Send(v1::SchedulerMessage message) {
    message.set_position(++position_);
    const auto answer = session_.Handle(message);
    EXPECT_TRUE(answer.ok()) << answer.status();
    return answer.ok() && *answer ? (*answer)->answer() : v1::Answer();
  }

  void TellNode(const Json& node) {
    const auto number = static_cast<std::uint32_t>(numbers_.size());
    numbers_[TextAt(node, "/metadata/name")] = number;
    v1::Change change;
    change.mutable_node()->set_number(number);
    change.mutable_node()->set_json(node.dump());
    Send(MessageWith(change));
  }

  // Those that the scheduler's snapshot has.
  void TellPod(const Json& pod) {
    const std::string phase = TextAt(pod, "/status/phase");
    const auto node = numbers_.find(TextAt(pod, "/spec/nodeName"));
    if (node == numbers_.end() || phase == "Succeeded" || phase == "Failed") {
      return;
    }
    v1::Change change;
    change.mutable_pod()->set_node(node->second);
    change.mutable_pod()->set_json(
        AsStored(pod, "u" + std::to_string(position_)));
    Send(MessageWith(change));
  }

  const SchedulerConfig config_;
  Session session_{config_, 1};
  std::uint64_t position_ = 0;
  std::map<std::string, std::uint32_t> numbers_;
};

// What a plugin says of a node; "" if the node passes.
std::string ReasonOf(const v1::PluginVerdicts& verdicts, std::uint32_t node) {
  if (verdicts.has_pre_filter()) {
    return verdicts.pre_filter().code() == kSkip
               ? ""
               : verdicts.pre_filter().reasons(0);
  }
  const int id = static_cast<unsigned char>(verdicts.by_node()[node]);
  return id == 0 ? "" : verdicts.statuses(id - 1).reasons(0);
}

// `expected` is "Success", or "Code Plugin: reason" of the first plugin that
// refuses the node. These two are the last ones.
void CheckNode(const v1::VerdictsAnswer& verdicts, std::uint32_t node,
               const std::string& expected) {
  const std::string spread = ReasonOf(verdicts.pod_topology_spread(), node);
  const std::string affinity = ReasonOf(verdicts.inter_pod_affinity(), node);
  if (expected == "Success") {
    EXPECT_EQ(spread, "");
    EXPECT_EQ(affinity, "");
  } else if (expected.find(" PodTopologySpread: ") != std::string::npos) {
    EXPECT_NE(spread, "");
    EXPECT_TRUE(expected.ends_with(spread)) << spread << "\n" << expected;
  } else if (expected.find(" InterPodAffinity: ") != std::string::npos) {
    EXPECT_EQ(spread, "");
    EXPECT_NE(affinity, "");
    EXPECT_TRUE(expected.ends_with(affinity)) << affinity << "\n" << expected;
  }
}

void CheckScores(const v1::PluginScores& scores, const Json& expected,
                 bool skips) {
  EXPECT_EQ(scores.has_pre_score(), skips);
  if (skips) {
    EXPECT_EQ(scores.pre_score().code(), kSkip);
    return;
  }
  std::size_t position = 0;
  for (const auto& [node, score] : expected.items()) {
    EXPECT_EQ(scores.normalized()[position++],
              score.at("normalized").get<int>())
        << node;
  }
}

struct Compared {
  int nodes = 0;
  int scores = 0;
};

void Check(const Json& file, Compared& compared) {
  const Json& expect = file.at("expect");
  Case one(file.at("case"));
  if (expect.contains("nodes")) {
    const v1::VerdictsAnswer verdicts = one.Verdicts();
    for (const auto& [node, expected] : expect["nodes"].items()) {
      SCOPED_TRACE(node);
      CheckNode(verdicts, one.numbers().at(node), expected.get<std::string>());
      ++compared.nodes;
    }
  }
  if (!expect.contains("scores")) return;
  for (const char* plugin : {"PodTopologySpread", "InterPodAffinity"}) {
    if (!expect["scores"].contains(plugin)) continue;
    SCOPED_TRACE(plugin);
    const Json& expected = expect["scores"][plugin];
    std::vector<std::string> nodes;
    for (const auto& [node, score] : expected.items()) nodes.push_back(node);
    const bool skips = nodes.empty();
    for (const auto& [node, number] : one.numbers()) {
      if (skips) nodes.push_back(node);
    }
    const v1::ScoresAnswer scores = one.Scores(nodes);
    CheckScores(std::string(plugin) == "PodTopologySpread"
                    ? scores.pod_topology_spread()
                    : scores.inter_pod_affinity(),
                expected, skips);
    ++compared.scores;
  }
}

TEST(SessionConformanceTest, NamedCasesAreAnsweredAsTheStockCodeDoes) {
  Compared compared;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    SCOPED_TRACE(entry.path().filename().string());
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    // The plugin does not ask about pods that nominated ones matter to.
    if (text.find("nominatedNodeName") != std::string::npos) continue;
    const absl::StatusOr<std::vector<std::string>> documents = YamlToJson(text);
    ASSERT_TRUE(documents.ok()) << documents.status();
    Check(Json::parse(documents->front()), compared);
  }
  EXPECT_GT(compared.nodes, 300);
  EXPECT_GT(compared.scores, 40);
}

}  // namespace
}  // namespace vicinal
