#include "server/scheduler_config/scheduler_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace vicinal {
namespace {

using ::testing::Contains;

constexpr char kHeader[] = R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
)";

SchedulerConfig Read(const std::string& text) {
  absl::StatusOr<SchedulerConfig> config = ReadSchedulerConfig(text);
  EXPECT_TRUE(config.ok()) << config.status();
  return config.ok() ? *std::move(config) : SchedulerConfig();
}

std::string ErrorOf(const std::string& text) {
  const absl::StatusOr<SchedulerConfig> config = ReadSchedulerConfig(text);
  return config.ok() ? "no error" : std::string(config.status().message());
}

TEST(SchedulerConfigTest, WithoutProfilesThereIsTheDefaultOne) {
  const SchedulerConfig config = Read(kHeader);
  ASSERT_EQ(config.profiles.size(), 1u);
  EXPECT_EQ(config.profiles[0].scheduler_name, "default-scheduler");
  EXPECT_THAT(config.profiles[0].score,
              Contains(WeightedPlugin{"TaintToleration", 3}));
  EXPECT_EQ(config.profiles[0].plugin_config, PluginConfig());
}

TEST(SchedulerConfigTest, AProfileHasPluginsAndTheirArguments) {
  const SchedulerConfig config = Read(std::string(kHeader) + R"(
clientConnection: {kubeconfig: /x}
profiles:
- schedulerName: a
  percentageOfNodesToScore: 50
  plugins:
    filter: {disabled: [{name: "*"}]}
    multiPoint:
      disabled: [{name: PodTopologySpread}]
    score:
      enabled: [{name: NodeAffinity, weight: 7}]
  pluginConfig:
  - name: Custom
    args: {anything: [1, 2]}
  - name: InterPodAffinity
    args: {hardPodAffinityWeight: 9}
- schedulerName: b
extenders:
- urlPrefix: http://127.0.0.1:8890
  filterVerb: filter
  prioritizeVerb: prioritize
  weight: 3
)");
  ASSERT_EQ(config.profiles.size(), 2u);
  const SchedulerConfig::Profile& a = config.profiles[0];
  EXPECT_THAT(a.score, Contains(WeightedPlugin{"NodeAffinity", 7}));
  EXPECT_EQ(
      std::ranges::count(a.score, "PodTopologySpread", &WeightedPlugin::name),
      0);
  EXPECT_EQ(a.plugin_config.inter_pod_affinity.hard_pod_affinity_weight, 9);
  EXPECT_EQ(config.profiles[1].plugin_config, PluginConfig());
  ASSERT_EQ(config.extenders.size(), 1u);
  EXPECT_EQ(config.extenders[0].url_prefix, "http://127.0.0.1:8890");
  EXPECT_EQ(config.extenders[0].filter_verb, "filter");
  EXPECT_EQ(config.extenders[0].prioritize_verb, "prioritize");
  EXPECT_EQ(config.extenders[0].weight, 3);
}

TEST(SchedulerConfigTest, AnotherFileIsRefused) {
  EXPECT_EQ(ErrorOf("apiVersion: v1\nkind: Config\n"),
            "apiVersion: must be \"kubescheduler.config.k8s.io/v1\", got "
            "\"v1\"");
  EXPECT_EQ(ErrorOf("apiVersion: kubescheduler.config.k8s.io/v1\nkind: X\n"),
            "kind: must be \"KubeSchedulerConfiguration\", got \"X\"");
  EXPECT_EQ(ErrorOf(""), "must be one document, got 0");
}

TEST(SchedulerConfigTest, ErrorsNameTheField) {
  const auto error = [](const std::string& text) {
    return ErrorOf(kHeader + text);
  };
  EXPECT_EQ(error("profiles: [{schedulerName: a, plugin: {}}]"),
            "profiles[0].plugin: unknown field");
  EXPECT_EQ(error("profiles: [{schedulerName: a}, {}]"),
            "profiles[1].schedulerName: required");
  EXPECT_EQ(error("profiles: [{schedulerName: a}, {schedulerName: a}]"),
            "profiles[1].schedulerName: there is a profile \"a\" already");
  EXPECT_EQ(error("profiles: [{plugins: {score: {enabled: [{weight: big}]}}}]"),
            "profiles[0].plugins.score.enabled[0].weight: must be an integer, "
            "got \"big\"");
  EXPECT_EQ(error("profiles: [{pluginConfig: [{name: InterPodAffinity, args: "
                  "{hardPodAffinityWeight: 101}}]}]")
                .substr(0, 55),
            "profiles[0].pluginConfig[0].args: hardPodAffinityWeight");
}

constexpr char kVicinalPlugins[] = R"(
profiles:
- plugins:
    multiPoint:
      disabled: [{name: PodTopologySpread}, {name: InterPodAffinity}]
      enabled:
      - {name: VicinalPodTopologySpread, weight: 3}
      - {name: VicinalInterPodAffinity}
  pluginConfig:
  - name: VicinalInterPodAffinity
    args: {hardPodAffinityWeight: 9, vicinal: {address: "unix:/x", mode: compare}}
)";

TEST(SchedulerConfigTest, ThePluginsOfTheGoSideStandForTheInTreeOnes) {
  const SchedulerConfig config = Read(std::string(kHeader) + kVicinalPlugins);
  ASSERT_EQ(config.profiles.size(), 1u);
  EXPECT_THAT(config.profiles[0].score,
              Contains(WeightedPlugin{"PodTopologySpread", 3}));
  EXPECT_THAT(config.profiles[0].score,
              Contains(WeightedPlugin{"InterPodAffinity", 1}));
  EXPECT_EQ(config.profiles[0]
                .plugin_config.inter_pod_affinity.hard_pod_affinity_weight,
            9);
}

TEST(SchedulerConfigTest, TheirArgumentsAreReadAsStrictly) {
  EXPECT_NE(ErrorOf(std::string(kHeader) + R"(
profiles:
- pluginConfig:
  - name: VicinalInterPodAffinity
    args: {hardPodAffinityWeigth: 9}
)")
                .find("hardPodAffinityWeigth: unknown field"),
            std::string::npos);
}

TEST(SchedulerConfigTest, APluginAndItsStandInAreNotBothEnabled) {
  EXPECT_EQ(ErrorOf(std::string(kHeader) + R"(
profiles:
- plugins: {multiPoint: {enabled: [{name: VicinalInterPodAffinity}]}}
)"),
            "profiles[0].plugins: InterPodAffinity and "
            "VicinalInterPodAffinity are both enabled");
}

}  // namespace
}  // namespace vicinal
