#include "core/index/canonical_key.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace vicinal {
namespace {

template <typename Value>
std::string KeyOf(const Value& value) {
  std::string key;
  AppendKey(value, key);
  return key;
}

// Caches take values with equal keys for equal.
template <typename Value>
void ExpectAllDiffer(const std::vector<Value>& values) {
  std::set<std::string> keys;
  for (const Value& value : values) {
    EXPECT_EQ(KeyOf(value), KeyOf(Value(value)));
    keys.insert(KeyOf(value));
  }
  EXPECT_EQ(keys.size(), values.size());
}

TEST(CanonicalKeyTest, TextsDoNotRunTogether) {
  ExpectAllDiffer<std::vector<std::string>>({{},
                                             {""},
                                             {"", ""},
                                             {"a", "b"},
                                             {"ab"},
                                             {"ab", ""},
                                             {"", "ab"},
                                             {"1;a"},
                                             {"1;a1;b"}});
}

TEST(CanonicalKeyTest, EveryPartOfLabelsCounts) {
  ExpectAllDiffer<Labels>(
      {{}, {{"a", "b"}}, {{"a", ""}}, {{"b", "a"}}, {{"a", "b"}, {"c", "d"}}});
}

TEST(CanonicalKeyTest, NothingIsNotEverything) {
  ExpectAllDiffer<Selector>({Selector::Nothing(), Selector::Everything(),
                             Selector::FromSet({{"a", "b"}}),
                             Selector::FromSet({{"a", "c"}})});
}

TEST(CanonicalKeyTest, EveryPartOfANodeSelectorCounts) {
  using Requirements = std::vector<NodeSelectorRequirement>;
  const Requirements in = {{"a", "In", {"b"}}};
  const Requirements others[] = {{{"c", "In", {"b"}}},
                                 {{"a", "NotIn", {"b"}}},
                                 {{"a", "In", {"c"}}},
                                 {{"a", "In", {"b", "c"}}}};
  std::vector<NodeSelector> selectors = {
      {}, {{}}, {{in, {}}}, {{{}, in}}, {{in, in}}, {{in, {}}, {in, {}}}};
  for (const Requirements& other : others) {
    selectors.push_back({{other, {}}});
    selectors.push_back({{{}, other}});
  }
  ExpectAllDiffer(selectors);
}

TEST(CanonicalKeyTest, EveryFieldOfATolerationCounts) {
  const Toleration one = {"a", "Equal", "b", "NoSchedule"};
  ExpectAllDiffer<std::vector<Toleration>>(
      {{},
       {one},
       {one, one},
       {{"c", "Equal", "b", "NoSchedule"}},
       {{"a", "Exists", "b", "NoSchedule"}},
       {{"a", "Equal", "c", "NoSchedule"}},
       {{"a", "Equal", "b", "NoExecute"}},
       {{"a", "Equal", "b", ""}}});
}

}  // namespace
}  // namespace vicinal
