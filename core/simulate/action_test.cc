#include "core/simulate/action.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_split.h"

namespace vicinal {
namespace {

std::vector<std::string> Words(const std::string& text) {
  return absl::StrSplit(text, ' ');
}

Action Parsed(const std::string& text) {
  const std::vector<std::string> words = Words(text);
  std::size_t used = 0;
  absl::StatusOr<Action> action = ParseAction(words, "default", &used);
  EXPECT_TRUE(action.ok()) << action.status();
  EXPECT_EQ(used, words.size()) << text;
  return action.ok() ? *action : Action();
}

std::string Error(const std::string& text) {
  const std::vector<std::string> words = Words(text);
  std::size_t used = 0;
  return std::string(ParseAction(words, "default", &used).status().message());
}

TEST(ActionTest, NodesAreNamedOrChosenByLabels) {
  const Action drain = Parsed("drain -l zone=a,disk=ssd");
  EXPECT_TRUE(drain.nodes.empty());
  EXPECT_EQ(drain.node_labels, (Labels{{"zone", "a"}, {"disk", "ssd"}}));
  const Action add = Parsed("add-nodes 10 --like w3");
  EXPECT_EQ(add.count, 10);
  EXPECT_EQ(add.nodes, std::vector<std::string>{"w3"});
  EXPECT_FALSE(Parsed("add-nodes as-needed --like w3").count);
  EXPECT_EQ(Error("add-nodes some --like w3"),
            "add-nodes some: must be a number from 0 to 1000000, got "
            "\"some\"");
  EXPECT_EQ(Parsed("fill deployment/web").target.name, "web");
  EXPECT_EQ(Error("fill web"), "fill web: must be KIND/NAME, got \"web\"");
}

TEST(ActionTest, ItsTextSaysInWhichNamespaceItIs) {
  const auto text = [](const std::string& words) {
    const std::vector<std::string> split = Words(words);
    std::size_t used = 0;
    return ParseAction(split, "shop", &used)->text;
  };
  EXPECT_EQ(text("scale deployment/web=1"), "scale deployment/web=1 -n shop");
  EXPECT_EQ(text("apply a.yaml"), "apply a.yaml -n shop");
  EXPECT_EQ(text("apply a.yaml -n mail"), "apply a.yaml -n mail");
  EXPECT_EQ(text("drain w1"), "drain w1");
}

TEST(ActionTest, ActionsAreReadAsTheyAreWrittenForKubectl) {
  EXPECT_EQ(Parsed("apply a.yaml").files, std::vector<std::string>{"a.yaml"});
  const Action scale = Parsed("scale deployment/web=12 -n shop");
  EXPECT_EQ(scale.verb, Verb::kScale);
  EXPECT_EQ(scale.target.kind, "deployment");
  EXPECT_EQ(scale.target.name, "web");
  EXPECT_EQ(scale.target.namespace_name, "shop");
  EXPECT_EQ(scale.count, 12);
  EXPECT_EQ(Parsed("drain w1").nodes, std::vector<std::string>{"w1"});
  EXPECT_EQ(Parsed("rollout restart sts/db").target.name, "db");
  EXPECT_EQ(Parsed("rollout sts/db").target.name, "db");
  EXPECT_EQ(Parsed("reschedule all").target.kind, "all");
  EXPECT_EQ(Parsed("deschedule").verb, Verb::kDeschedule);
  EXPECT_EQ(Parsed("deschedule policy.yaml").files,
            std::vector<std::string>{"policy.yaml"});
  const Action label = Parsed("label node w1 zone=a disk-");
  ASSERT_EQ(label.labels.size(), 2u);
  EXPECT_EQ(label.labels[0].value, "a");
  EXPECT_EQ(label.labels[1].key, "disk");
  EXPECT_FALSE(label.labels[1].value);
  const Action taint = Parsed("taint nodes w1 a=b:NoSchedule c:NoExecute- d-");
  ASSERT_EQ(taint.taints.size(), 3u);
  EXPECT_EQ(taint.taints[0].taint, (Taint{"a", "b", "NoSchedule"}));
  EXPECT_TRUE(taint.taints[1].remove);
  EXPECT_EQ(taint.taints[2].taint, (Taint{"d", "", ""}));
  EXPECT_EQ(Parsed("add-node w1=3").count, 3);
  EXPECT_EQ(Parsed("add-node new.yaml").files.size(), 1u);
  const Action pods = Parsed("delete pods -l app=web,tier=db on w2");
  EXPECT_EQ(pods.target.labels, (Labels{{"app", "web"}, {"tier", "db"}}));
  EXPECT_EQ(pods.target.node, "w2");
}

TEST(ActionTest, AnActionTakesItsOwnWordsOnly) {
  const std::vector<std::string> words = Words("label node w1 zone=a drain w2");
  std::size_t used = 0;
  EXPECT_TRUE(ParseAction(words, "default", &used).ok());
  EXPECT_EQ(used, 4u);
  EXPECT_TRUE(ParseAction(Words("deschedule drain w2"), "default", &used).ok());
  EXPECT_EQ(used, 1u);
}

TEST(ActionTest, ErrorsNameTheWord) {
  EXPECT_EQ(Error("dain w1"),
            "must be an action or a script ending in .yaml, got \"dain\"");
  EXPECT_EQ(Error("drain"), "drain: the node's name is missing");
  EXPECT_EQ(Error("scale web=3"),
            "scale web=3: must be KIND/NAME=N, got \"web=3\"");
  EXPECT_EQ(Error("scale deployment/web"),
            "scale deployment/web: must be KIND/NAME=N, got "
            "\"deployment/web\"");
  EXPECT_EQ(Error("scale deployment/web=-1"),
            "scale deployment/web=-1: must be a number from 0 to 1000000, got "
            "\"-1\"");
  EXPECT_EQ(Error("taint node w1 a:Never"),
            "taint node w1 a:Never: a taint must be KEY[=VALUE]:EFFECT or "
            "KEY[:EFFECT]-, the effect NoSchedule, PreferNoSchedule or "
            "NoExecute, got \"a:Never\"");
  EXPECT_EQ(Error("label node w1"),
            "label node w1: KEY=VALUE or KEY- is missing");
  EXPECT_EQ(Error("delete pods"),
            "delete pods: must be KIND/NAME or `pods -l KEY=VALUE`, got "
            "\"pods\"");
}

}  // namespace
}  // namespace vicinal
