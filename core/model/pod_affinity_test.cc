#include "core/model/pod_affinity.h"

#include <gtest/gtest.h>

namespace vicinal {
namespace {

const Labels kPodLabels = {{"app", "web"}, {"hash", "1a2b"}, {"empty", ""}};

using Expressions = std::vector<LabelSelectorRequirement>;

PodAffinityTerm Term(std::vector<std::string> match,
                     std::vector<std::string> mismatch) {
  PodAffinityTerm term;
  term.label_selector = LabelSelector{{{"app", "web"}}, {}};
  term.match_label_keys = std::move(match);
  term.mismatch_label_keys = std::move(mismatch);
  return term;
}

TEST(MergeLabelKeysTest, MatchLabelKeysBecomeInAndMismatchKeysNotIn) {
  PodAffinity affinity;
  affinity.required = {Term({"hash"}, {"app"})};
  MergeLabelKeys(kPodLabels, affinity);
  EXPECT_EQ(affinity.required[0].label_selector->match_expressions,
            (Expressions{{"hash", "In", {"1a2b"}}, {"app", "NotIn", {"web"}}}));
  EXPECT_EQ(affinity.required[0].label_selector->match_labels,
            (Labels{{"app", "web"}}));
}

TEST(MergeLabelKeysTest, PreferredTermsAreMergedToo) {
  PodAffinity affinity;
  affinity.preferred = {{5, Term({"hash"}, {})}};
  MergeLabelKeys(kPodLabels, affinity);
  EXPECT_EQ(affinity.preferred[0].term.label_selector->match_expressions,
            (Expressions{{"hash", "In", {"1a2b"}}}));
}

TEST(MergeLabelKeysTest, KeysThatThePodLacksAreLeftOut) {
  PodAffinity affinity;
  affinity.required = {Term({"absent", "hash"}, {"gone"})};
  MergeLabelKeys(kPodLabels, affinity);
  EXPECT_EQ(affinity.required[0].label_selector->match_expressions,
            (Expressions{{"hash", "In", {"1a2b"}}}));
}

TEST(MergeLabelKeysTest, ALabelWithoutValueIsMerged) {
  PodAffinity affinity;
  affinity.required = {Term({"empty"}, {})};
  MergeLabelKeys(kPodLabels, affinity);
  EXPECT_EQ(affinity.required[0].label_selector->match_expressions,
            (Expressions{{"empty", "In", {""}}}));
}

TEST(MergeLabelKeysTest, ATermWithoutSelectorStaysWithout) {
  PodAffinity affinity;
  affinity.required = {Term({"hash"}, {"app"})};
  affinity.required[0].label_selector.reset();
  MergeLabelKeys(kPodLabels, affinity);
  EXPECT_FALSE(affinity.required[0].label_selector.has_value());
}

TEST(MergeLabelKeysTest, AnEmptySelectorIsNarrowed) {
  PodAffinity affinity;
  affinity.required = {Term({"hash"}, {})};
  affinity.required[0].label_selector.emplace();
  MergeLabelKeys(kPodLabels, affinity);
  EXPECT_EQ(affinity.required[0].label_selector->match_expressions,
            (Expressions{{"hash", "In", {"1a2b"}}}));
}

TEST(MergeLabelKeysTest, WrittenExpressionsComeFirst) {
  PodAffinity affinity;
  affinity.required = {Term({"hash"}, {})};
  affinity.required[0].label_selector->match_expressions = {
      {"tier", "Exists", {}}};
  MergeLabelKeys(kPodLabels, affinity);
  EXPECT_EQ(affinity.required[0].label_selector->match_expressions,
            (Expressions{{"tier", "Exists", {}}, {"hash", "In", {"1a2b"}}}));
}

}  // namespace
}  // namespace vicinal
