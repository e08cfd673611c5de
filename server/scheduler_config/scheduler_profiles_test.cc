#include "server/scheduler_config/scheduler_profiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/model/kubernetes_release.h"

namespace vicinal {
namespace {

using ::testing::HasSubstr;

// The profile as manifests/overlays/kubeadm-decide has it.
constexpr char kTakenOver[] = R"(
profiles:
- schedulerName: default-scheduler
  plugins:
    multiPoint:
      disabled: [{name: PodTopologySpread}, {name: InterPodAffinity}]
)";

absl::StatusOr<SchedulerProfiles> Make(const std::string& text,
                                       bool advise_only = false) {
  const absl::StatusOr<SchedulerConfig> config = ReadSchedulerConfig(
      "apiVersion: kubescheduler.config.k8s.io/v1\n"
      "kind: KubeSchedulerConfiguration\n" +
      text);
  EXPECT_TRUE(config.ok()) << config.status();
  return SchedulerProfiles::FromConfig(*config, advise_only);
}

std::string ErrorOf(const std::string& text, bool advise_only = false) {
  const absl::StatusOr<SchedulerProfiles> profiles = Make(text, advise_only);
  return profiles.ok() ? "no error" : std::string(profiles.status().message());
}

// The weights that decide for the pods of the default scheduler.
std::map<std::string, std::int64_t> Weights(const std::string& text) {
  const absl::StatusOr<SchedulerProfiles> profiles = Make(text);
  EXPECT_TRUE(profiles.ok()) << profiles.status();
  std::map<std::string, std::int64_t> weights;
  if (!profiles.ok()) return weights;
  for (const auto& [plugin, weight] : profiles->Find("")->decide.scores) {
    weights[std::string(plugin->Name())] = weight;
  }
  return weights;
}

const std::map<std::string, std::int64_t> kDefault = {
    {"TaintToleration", 3},  {"NodeAffinity", 2},
    {"NodeResourcesFit", 1}, {"PodTopologySpread", 2},
    {"InterPodAffinity", 2}, {"NodeResourcesBalancedAllocation", 1},
    {"ImageLocality", 1}};

TEST(SchedulerProfilesTest, WithoutAConfigurationItIsTheDefaultProfile) {
  const SchedulerProfiles profiles;
  std::map<std::string, std::int64_t> weights;
  for (const auto& [plugin, weight] : profiles.Find("any")->decide.scores) {
    weights[std::string(plugin->Name())] = weight;
  }
  EXPECT_EQ(weights, kDefault);
  EXPECT_EQ(profiles.Find("any")->decide.filters.size(), 2u);
}

TEST(SchedulerProfilesTest, PluginsTakenOverHaveTheirDefaultWeight) {
  EXPECT_EQ(Weights(kTakenOver), kDefault);
  EXPECT_EQ(Weights(""), kDefault);
}

// The score plugins that a pod of the default scheduler is explained by.
std::map<std::string, std::int64_t> ExplainedBy(const std::string& text,
                                                bool advise_only = false) {
  const absl::StatusOr<SchedulerProfiles> profiles = Make(text, advise_only);
  EXPECT_TRUE(profiles.ok()) << profiles.status();
  std::map<std::string, std::int64_t> weights;
  if (!profiles.ok()) return weights;
  for (const auto& [plugin, weight] : profiles->Find("")->explain.scores) {
    weights[std::string(plugin->Name())] = weight;
  }
  return weights;
}

TEST(SchedulerProfilesTest, APodIsNotExplainedByPluginsThatNobodyRuns) {
  std::map<std::string, std::int64_t> others = kDefault;
  others.erase("PodTopologySpread");
  others.erase("InterPodAffinity");
  for (const bool advise_only : {false, true}) {
    EXPECT_EQ(ExplainedBy(kTakenOver, advise_only), others);
    EXPECT_EQ(ExplainedBy(std::string(kTakenOver) +
                              "extenders: [{urlPrefix: \"http://v\", "
                              "filterVerb: filter}]",
                          advise_only),
              kDefault);
    EXPECT_EQ(ExplainedBy("profiles: [{plugins: {score: {disabled: [{name: "
                          "ImageLocality}]}}}]",
                          advise_only)
                  .count("ImageLocality"),
              0u);
  }
}

TEST(SchedulerProfilesTest, WithoutAConfigurationTheReleaseIsKnown) {
  const KubernetesRelease release = *KubernetesReleaseOf("1.35");
  EXPECT_EQ(SchedulerProfiles(release).Find("")->plugin_config.release.name,
            release.name);
}

TEST(SchedulerProfilesTest, PluginsThatStayHaveTheConfiguredWeight) {
  const auto weights = Weights(R"(
profiles:
- plugins:
    filter: {disabled: [{name: PodTopologySpread}, {name: InterPodAffinity}]}
    score: {enabled: [{name: PodTopologySpread, weight: 7}]}
)");
  EXPECT_EQ(weights.at("PodTopologySpread"), 7);
  EXPECT_EQ(weights.at("InterPodAffinity"), 2);
}

constexpr char kTenfold[] = R"(
profiles:
- plugins:
    multiPoint:
      disabled: [{name: PodTopologySpread}, {name: InterPodAffinity}]
      enabled:
      - {name: TaintToleration, weight: 30}
      - {name: NodeAffinity, weight: 20}
      - {name: NodeResourcesFit, weight: 10}
      - {name: VolumeBinding, weight: 10}
      - {name: DynamicResources, weight: 20}
      - {name: NodeResourcesBalancedAllocation, weight: 10}
      - {name: ImageLocality, weight: 10}
extenders:
- {urlPrefix: "http://v", filterVerb: filter, prioritizeVerb: prioritize, weight: 1}
)";

TEST(SchedulerProfilesTest, WithPrioritizeWeightsAreTenfold) {
  std::map<std::string, std::int64_t> tenfold = kDefault;
  for (auto& [name, weight] : tenfold) weight *= 10;
  EXPECT_EQ(Weights(kTenfold), tenfold);
}

TEST(SchedulerProfilesTest, UnknownScorePluginsAreRefusedByName) {
  const std::string custom =
      "profiles: [{plugins: {score: {enabled: [{name: Custom}]}}}]";
  EXPECT_EQ(ErrorOf(custom),
            "profile \"default-scheduler\": vicinal does not have the plugin "
            "Custom, which scores or may score; use --mode=advise");
  EXPECT_THAT(
      ErrorOf("profiles: [{plugins: {multiPoint: {enabled: [{name: C}]}}}]"),
      HasSubstr("plugin C,"));
  EXPECT_EQ(ErrorOf(custom, true), "no error");
}

TEST(SchedulerProfilesTest, VolumesAndClaimsPassAtTheirDefaultWeight) {
  EXPECT_EQ(ErrorOf(kTakenOver), "no error");
  EXPECT_EQ(
      ErrorOf("profiles: [{plugins: {score: {enabled: [{name: VolumeBinding, "
              "weight: 5}]}}}]"),
      "profile \"default-scheduler\": vicinal does not have the plugin "
      "VolumeBinding, which was given the weight 5; use --mode=advise");
}

TEST(SchedulerProfilesTest, OtherExtendersMustComeFirstAndNotScore) {
  EXPECT_EQ(ErrorOf(R"(
extenders:
- {urlPrefix: "http://a", filterVerb: f}
- {urlPrefix: "http://v", filterVerb: filter}
)"),
            "no error");
  const std::string scores = R"(
extenders:
- {urlPrefix: "http://a", filterVerb: f, prioritizeVerb: p, weight: 1}
- {urlPrefix: "http://v", filterVerb: filter}
)";
  EXPECT_THAT(ErrorOf(scores), HasSubstr("extenders[0].prioritizeVerb: "
                                         "http://a adds scores"));
  EXPECT_EQ(ErrorOf(scores, true), "no error");
  EXPECT_THAT(ErrorOf(R"(extenders: [{urlPrefix: "http://b", bindVerb: b}])"),
              HasSubstr("extenders[0].filterVerb: required"));
}

TEST(SchedulerProfilesTest, AProfileIsFoundByTheNameOfItsScheduler) {
  const auto profiles =
      Make("profiles: [{schedulerName: a}, {schedulerName: b}]");
  ASSERT_TRUE(profiles.ok());
  EXPECT_NE(profiles->Find("a"), nullptr);
  EXPECT_NE(profiles->Find("a"), profiles->Find("b"));
  EXPECT_EQ(profiles->Find(""), nullptr);
  EXPECT_EQ(profiles->Find("c"), nullptr);
  EXPECT_THAT(profiles->Describe(), HasSubstr("profile a: TaintToleration=3 "));
}

}  // namespace
}  // namespace vicinal
