// The expected answers come from running k8s.io/component-helpers v0.37.1.
#include "core/model/node_selector.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace vicinal {
namespace {

struct TestNode {
  std::string name;
  Labels labels;
};

const TestNode kNodes[] = {
    {"n1", {{"zone", "a"}, {"num", "5"}, {"empty", ""}}},
    {"n2", {{"zone", "b"}, {"num", "x"}}},
    {"n3", {{"num", "+7"}}},
};

// The numbers of the nodes that match, such as "13".
template <typename Matcher>
std::string Matching(const Matcher& matcher) {
  std::string numbers;
  for (const TestNode& node : kNodes) {
    if (matcher.Matches(node.labels, node.name)) numbers += node.name[1];
  }
  return numbers;
}

std::string Matching(const NodeSelector& terms) {
  return Matching(LenientNodeSelector(terms));
}

NodeSelectorTerm Label(const char* key, const char* op,
                       std::vector<std::string> values = {}) {
  return {.match_expressions = {{key, op, std::move(values)}},
          .match_fields = {}};
}

NodeSelectorTerm Field(const char* key, const char* op,
                       std::vector<std::string> values = {}) {
  return {.match_expressions = {},
          .match_fields = {{key, op, std::move(values)}}};
}

TEST(NodeSelectorTest, Operators) {
  EXPECT_EQ(Matching({Label("zone", "In", {"a", "c"})}), "1");
  EXPECT_EQ(Matching({Label("zone", "NotIn", {"a"})}), "23");
  EXPECT_EQ(Matching({Label("zone", "Exists")}), "12");
  EXPECT_EQ(Matching({Label("zone", "DoesNotExist")}), "3");
  EXPECT_EQ(Matching({Label("num", "Gt", {"4"})}), "13");
  EXPECT_EQ(Matching({Label("num", "Gt", {"5"})}), "3");
  EXPECT_EQ(Matching({Label("num", "Lt", {"6"})}), "1");
  EXPECT_EQ(Matching({Label("absent", "Lt", {"6"})}), "");
  EXPECT_EQ(Matching({Label("empty", "In", {""})}), "1");
}

TEST(NodeSelectorTest, TermsAreOredAndRequirementsAnded) {
  NodeSelectorTerm both = Label("zone", "Exists");
  both.match_expressions.push_back({"num", "In", {"x"}});
  EXPECT_EQ(Matching({both}), "2");
  EXPECT_EQ(Matching({both, Label("zone", "DoesNotExist")}), "23");
  NodeSelectorTerm label_and_field = Label("zone", "In", {"a"});
  label_and_field.match_fields.push_back({"metadata.name", "In", {"n2"}});
  EXPECT_EQ(Matching({label_and_field}), "");
}

TEST(NodeSelectorTest, NothingMatchesAnEmptyListOrTerm) {
  EXPECT_EQ(Matching(NodeSelector{}), "");
  EXPECT_EQ(Matching({NodeSelectorTerm{}}), "");
  EXPECT_EQ(Matching({NodeSelectorTerm{}, Label("zone", "Exists")}), "12");
}

TEST(NodeSelectorTest, Fields) {
  EXPECT_EQ(Matching({Field("metadata.name", "In", {"n2"})}), "2");
  EXPECT_EQ(Matching({Field("metadata.name", "NotIn", {"n2"})}), "13");
  // Fields that do not exist are empty.
  EXPECT_EQ(Matching({Field("metadata.namespace", "In", {"n2"})}), "");
  EXPECT_EQ(Matching({Field("metadata.namespace", "In", {""})}), "123");
  EXPECT_EQ(Matching({Field("metadata.namespace", "NotIn", {"x"})}), "123");
}

TEST(NodeSelectorTest, FieldsOfANodeWithoutNameAreNotAsked) {
  const LenientNodeSelector selector({Field("metadata.name", "In", {"n2"})});
  EXPECT_TRUE(selector.Matches({}, ""));
  EXPECT_FALSE(selector.Matches({}, "n1"));
}

TEST(NodeSelectorTest, TermsThatDoNotParseMatchNothing) {
  EXPECT_EQ(Matching({Label("num", "Lt", {"-1"})}), "");
  EXPECT_EQ(Matching({Label("zone", "Near", {"a"})}), "");
  EXPECT_EQ(Matching({Label("zone", "gt", {"1"})}), "");
  EXPECT_EQ(Matching({Label("zone", "In")}), "");
  EXPECT_EQ(Matching({Label("zone", "Exists", {"a"})}), "");
  EXPECT_EQ(Matching({Label("num", "Gt", {"1", "2"})}), "");
  EXPECT_EQ(Matching({Field("metadata.name", "In", {"n1", "n2"})}), "");
  EXPECT_EQ(Matching({Field("metadata.name", "Exists")}), "");
  // The other terms still count.
  EXPECT_EQ(Matching({Label("zone", "In"), Label("zone", "In", {"a"})}), "1");
}

TEST(NodeSelectorTest, ErrorsAreUpstreamsTexts) {
  const auto error = [](const NodeSelectorTerm& term) {
    return std::string(
        ParsedNodeSelectorTerm::Parse(term, "p").status().message());
  };
  EXPECT_EQ(error(Label("zone", "In")),
            "p.matchExpressions[0].values: Invalid value: null: for 'in', "
            "'notin' operators, values set can't be empty");
  EXPECT_EQ(
      error(Label("zone", "Near", {"a"})),
      "p.matchExpressions[0].operator: Unsupported value: \"Near\": "
      "supported values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", "
      "\"Gt\", \"Lt\"");
  EXPECT_EQ(error(Field("metadata.name", "Exists")),
            "p.matchFields[0].operator: Unsupported value: \"Exists\": "
            "supported values: \"In\", \"NotIn\"");
  EXPECT_EQ(
      error(Field("metadata.name", "In", {"n1", "n2"})),
      "p.matchFields[0].values: Invalid value: [\"n1\",\"n2\"]: must have "
      "one element");
  EXPECT_EQ(error(Label("num", "Gt", {"x"})),
            "p.matchExpressions[0].values[0]: Invalid value: \"x\": for 'Gt', "
            "'Lt' operators, the value must be an integer");
}

TEST(RequiredNodeAffinityTest, NodeSelectorAndAffinityMustBothMatch) {
  const Labels zone_a = {{"zone", "a"}};
  NodeAffinity affinity;
  affinity.required = NodeSelector{Label("num", "Exists")};
  EXPECT_EQ(Matching(RequiredNodeAffinity(std::nullopt, std::nullopt)), "123");
  EXPECT_EQ(Matching(RequiredNodeAffinity(zone_a, std::nullopt)), "1");
  EXPECT_EQ(Matching(RequiredNodeAffinity(Labels(), affinity)), "123");
  EXPECT_EQ(Matching(RequiredNodeAffinity(zone_a, affinity)), "1");
  affinity.required = NodeSelector{Label("zone", "In", {"b"})};
  EXPECT_EQ(Matching(RequiredNodeAffinity(zone_a, affinity)), "");
  // A required selector without terms matches nothing, an absent one all.
  affinity.required = NodeSelector{};
  EXPECT_EQ(Matching(RequiredNodeAffinity(std::nullopt, affinity)), "");
  affinity.required.reset();
  EXPECT_EQ(Matching(RequiredNodeAffinity(std::nullopt, affinity)), "123");
}

TEST(RequiredNodeAffinityTest, NodeSelectorsAreNotValidated) {
  const RequiredNodeAffinity affinity(Labels{{"bad key", "b b"}}, std::nullopt);
  EXPECT_TRUE(affinity.Matches({{"bad key", "b b"}}, "n"));
  EXPECT_FALSE(affinity.Matches({}, "n"));
}

TEST(PreferredSchedulingTermsTest, ScoreIsTheSumOfTheMatchingWeights) {
  const auto terms = PreferredSchedulingTerms::Parse(
      {{1, Label("zone", "Exists")},
       {20, Label("num", "In", {"x"})},
       {300, Field("metadata.name", "NotIn", {"n1"})},
       {4000, NodeSelectorTerm{}},
       {0, Label("bad key", "Near")}});
  ASSERT_TRUE(terms.ok()) << terms.status();
  EXPECT_EQ(terms->Score(kNodes[0].labels, "n1"), 1);
  EXPECT_EQ(terms->Score(kNodes[1].labels, "n2"), 321);
  EXPECT_EQ(terms->Score(kNodes[2].labels, "n3"), 300);
}

TEST(PreferredSchedulingTermsTest, AllErrorsAreReportedInOneList) {
  NodeSelectorTerm two = Label("z", "Near");
  two.match_fields.push_back({"metadata.name", "In", {"x", "y"}});
  NodeSelectorTerm three = Label("num", "Gt", {"x", "y"});
  const auto terms = PreferredSchedulingTerms::Parse({{1, two}, {1, three}});
  ASSERT_FALSE(terms.ok());
  EXPECT_EQ(
      std::string(terms.status().message()),
      "[[0].matchExpressions[0].operator: Unsupported value: \"Near\": "
      "supported values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", "
      "\"Gt\", \"Lt\", "
      "[0].matchFields[0].values: Invalid value: [\"x\",\"y\"]: must have one "
      "element, "
      "[1].matchExpressions[0].values: Invalid value: [\"x\",\"y\"]: for 'Gt', "
      "'Lt' operators, exactly one value is required, "
      "[1].matchExpressions[0].values[0]: Invalid value: \"x\": for 'Gt', 'Lt' "
      "operators, the value must be an integer, "
      "[1].matchExpressions[0].values[1]: Invalid value: \"y\": for 'Gt', 'Lt' "
      "operators, the value must be an integer]");
}

}  // namespace
}  // namespace vicinal
