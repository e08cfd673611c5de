#include "server/scheduler_config/plugin_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::map<std::string, std::int64_t> Resolve(const PluginSet& multi_point,
                                            const PluginSet& score) {
  std::map<std::string, std::int64_t> weights;
  for (const auto& [name, weight] : ResolveScorePlugins(multi_point, score)) {
    EXPECT_TRUE(weights.emplace(name, weight).second) << name;
  }
  return weights;
}

TEST(PluginSetsTest, TheDefaultsScoreWithTheirWeights) {
  EXPECT_THAT(Resolve({}, {}),
              UnorderedElementsAre(
                  Pair("TaintToleration", 3), Pair("NodeAffinity", 2),
                  Pair("NodeResourcesFit", 1), Pair("VolumeBinding", 1),
                  Pair("DynamicResources", 2), Pair("PodTopologySpread", 2),
                  Pair("InterPodAffinity", 2),
                  Pair("NodeResourcesBalancedAllocation", 1),
                  Pair("ImageLocality", 1)));
}

TEST(PluginSetsTest, PluginsAreDisabledByNameOrAllAtOnce) {
  EXPECT_FALSE(Resolve({{}, {"ImageLocality"}}, {}).contains("ImageLocality"));
  EXPECT_FALSE(Resolve({}, {{}, {"ImageLocality"}}).contains("ImageLocality"));
  EXPECT_THAT(Resolve({{{"ImageLocality", 4}}, {"*"}}, {}),
              ElementsAre(Pair("ImageLocality", 4)));
  EXPECT_THAT(Resolve({}, {{{"NodeAffinity", 4}}, {"*"}}),
              ElementsAre(Pair("NodeAffinity", 4)));
}

TEST(PluginSetsTest, AWeightAtMultiPointReplacesTheDefault) {
  EXPECT_EQ(Resolve({{{"NodeAffinity", 20}}, {}}, {})["NodeAffinity"], 20);
  // Given without a weight, it counts once, whatever the default.
  EXPECT_EQ(Resolve({{{"NodeAffinity", 0}}, {}}, {})["NodeAffinity"], 1);
}

TEST(PluginSetsTest, AWeightAtScoreWinsOverMultiPoint) {
  EXPECT_EQ(Resolve({{{"NodeAffinity", 20}}, {}},
                    {{{"NodeAffinity", 5}}, {}})["NodeAffinity"],
            5);
}

TEST(PluginSetsTest, APluginOfOthersAtMultiPointMayScore) {
  EXPECT_EQ(Resolve({{{"Custom", 0}}, {}}, {})["Custom"], 1);
  EXPECT_FALSE(
      Resolve({{{"Custom", 0}}, {}}, {{}, {"Custom"}}).contains("Custom"));
  // The scheduler's own that do not score do not count.
  EXPECT_FALSE(Resolve({{{"NodePorts", 3}}, {}}, {}).contains("NodePorts"));
}

TEST(PluginSetsTest, DefaultWeights) {
  EXPECT_EQ(DefaultScoreWeight("TaintToleration"), 3);
  EXPECT_EQ(DefaultScoreWeight("VolumeBinding"), 1);
  EXPECT_EQ(DefaultScoreWeight("NodePorts"), 0);
  EXPECT_EQ(DefaultScoreWeight("Custom"), 0);
}

TEST(PluginSetsTest, FiltersAreDisabledByNameOrAllAtOnce) {
  using ::testing::Contains;
  using ::testing::Not;
  EXPECT_THAT(ResolveFilterPlugins({}, {}), Contains("NodePorts"));
  EXPECT_THAT(ResolveFilterPlugins({{}, {"NodePorts"}}, {}),
              Not(Contains("NodePorts")));
  EXPECT_THAT(ResolveFilterPlugins({}, {{}, {"NodePorts"}}),
              Not(Contains("NodePorts")));
  EXPECT_THAT(ResolveFilterPlugins({}, {{{"NodePorts", 0}}, {"*"}}),
              ElementsAre("NodePorts"));
  EXPECT_THAT(ResolveFilterPlugins({{{"Mine", 0}}, {"*"}}, {}),
              ElementsAre("Mine"));
}

}  // namespace
}  // namespace vicinal
