#include "core/model/did_you_mean.h"

#include <gtest/gtest.h>

namespace vicinal {
namespace {

TEST(EditDistanceTest, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("abc", ""), 3u);
  EXPECT_EQ(EditDistance("topologyKey", "topologyKey"), 0u);
  EXPECT_EQ(EditDistance("topolgyKey", "topologyKey"), 1u);
  EXPECT_EQ(EditDistance("topologgyKey", "topologyKey"), 1u);
  EXPECT_EQ(EditDistance("topologykey", "topologyKey"), 1u);
  EXPECT_EQ(EditDistance("tpoologyKey", "topologyKey"), 1u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
}

TEST(DidYouMeanTest, TakesTheNearestCandidate) {
  EXPECT_EQ(DidYouMean("topolgyKey", {"labelSelector", "topologyKey"}),
            "topologyKey");
  EXPECT_EQ(DidYouMean("labelselector", {"labelSelector", "topologyKey"}),
            "labelSelector");
  EXPECT_EQ(DidYouMean("podAntiAfinity",
                       {"nodeAffinity", "podAffinity", "podAntiAffinity"}),
            "podAntiAffinity");
}

TEST(DidYouMeanTest, HasNoGuessForWhatIsTooFarFromEverything) {
  EXPECT_EQ(DidYouMean("replicas", {"labelSelector", "topologyKey"}), "");
  EXPECT_EQ(DidYouMean("x", {"y"}), "");
  EXPECT_EQ(DidYouMean("anything", {}), "");
}

}  // namespace
}  // namespace vicinal
