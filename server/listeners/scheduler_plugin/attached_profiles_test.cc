#include "server/listeners/scheduler_plugin/attached_profiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/listeners/scheduler_plugin/testing/messages.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string ErrorOf(const v1::Hello& hello, const std::string& config = "") {
  const SchedulerConfig read = MakeSchedulerConfig(config);
  const auto profiles = AttachProfiles(hello, read);
  if (profiles.ok()) return "no error";
  EXPECT_EQ(profiles.status().code(), absl::StatusCode::kFailedPrecondition);
  return std::string(profiles.status().message());
}

v1::Hello Hello() { return MakeHello().hello(); }

AttachedProfile Attached(const v1::Hello& hello,
                         const std::string& config = "") {
  const SchedulerConfig read = MakeSchedulerConfig(config);
  auto profiles = AttachProfiles(hello, read);
  EXPECT_TRUE(profiles.ok()) << profiles.status();
  if (!profiles.ok()) return {};
  return std::move(profiles->at("default-scheduler"));
}

std::vector<std::string> FiltersOf(const AttachedProfile& profile) {
  std::vector<std::string> names;
  for (const auto& filter : profile.all.filters) {
    names.emplace_back(filter->Name());
  }
  return names;
}

TEST(AttachedProfilesTest, TheDefaultProfileHasAllPlugins) {
  const AttachedProfile profile = Attached(Hello());
  EXPECT_THAT(FiltersOf(profile),
              ElementsAre("NodeName", "NodeUnschedulable", "TaintToleration",
                          "NodeAffinity", "NodeResourcesFit",
                          "PodTopologySpread", "InterPodAffinity"));
  EXPECT_EQ(profile.all.scores.size(), 7u);
  EXPECT_THAT(profile.declined, IsEmpty());
}

TEST(AttachedProfilesTest, FiltersThatTheSchedulerDoesNotRunDoNotRun) {
  v1::Hello hello = Hello();
  hello.mutable_profiles(0)->clear_filters();
  hello.mutable_profiles(0)->add_filters("NodeAffinity");
  EXPECT_THAT(
      FiltersOf(Attached(hello)),
      ElementsAre("NodeAffinity", "PodTopologySpread", "InterPodAffinity"));
}

TEST(AttachedProfilesTest, APluginThatVicinalDoesNotHaveDeclines) {
  v1::Hello hello = Hello();
  hello.mutable_profiles(0)->add_filters("Custom");
  EXPECT_EQ(Attached(hello).declined,
            "vicinal does not have the filter plugin Custom");

  hello = Hello();
  (*hello.mutable_profiles(0)->mutable_score_weights())["Custom"] = 5;
  EXPECT_EQ(Attached(hello, R"(
profiles:
- plugins: {score: {enabled: [{name: Custom, weight: 5}]}}
)")
                .declined,
            "vicinal does not have the score plugin Custom, which has the "
            "weight 5");
}

TEST(AttachedProfilesTest, TheNamesOfTheGoPluginsStandForTheInTreeOnes) {
  v1::Hello hello = Hello();
  auto& weights = *hello.mutable_profiles(0)->mutable_score_weights();
  weights["PodTopologySpread"] = 4;
  weights["InterPodAffinity"] = 1;  // A plugin that is not in-tree has that.
  const AttachedProfile profile = Attached(hello, R"(
profiles:
- plugins:
    multiPoint:
      disabled: [{name: PodTopologySpread}, {name: InterPodAffinity}]
      enabled:
      - {name: VicinalPodTopologySpread, weight: 4}
      - {name: VicinalInterPodAffinity}
)");
  EXPECT_THAT(profile.declined, IsEmpty());
  EXPECT_EQ(profile.all.scores.size(), 7u);
}

TEST(AttachedProfilesTest, AnotherReleaseIsRefused) {
  v1::Hello hello = Hello();
  hello.set_kubernetes_version("v1.36.3");
  EXPECT_EQ(
      ErrorOf(hello),
      "hello.kubernetes_version: \"v1.36.3\": vicinal gives the answers of "
      "1.37 (--kubernetes-release)");
  const SchedulerConfig config =
      MakeSchedulerConfig("", *KubernetesReleaseOf("1.36"));
  EXPECT_TRUE(AttachProfiles(hello, config).ok());
  EXPECT_FALSE(AttachProfiles(Hello(), config).ok());
}

TEST(AttachedProfilesTest, DynamicResourcesNeedNotScore) {
  v1::Hello hello = Hello();
  hello.mutable_profiles(0)->mutable_score_weights()->erase("DynamicResources");
  const AttachedProfile profile = Attached(hello);
  EXPECT_THAT(profile.declined, IsEmpty());
  EXPECT_EQ(profile.all.scores.size(), 7u);
}

TEST(AttachedProfilesTest, OtherProfilesAreRefused) {
  v1::Hello hello = Hello();
  *hello.add_profiles() = hello.profiles(0);
  EXPECT_EQ(ErrorOf(hello), "hello.profiles[default-scheduler]: told twice");
  hello.mutable_profiles(1)->set_scheduler_name("other");
  EXPECT_EQ(ErrorOf(hello),
            "hello.profiles[other]: vicinal's --scheduler-config has no such "
            "profile");
  EXPECT_EQ(ErrorOf(Hello(),
                    "profiles: [{schedulerName: default-scheduler}, "
                    "{schedulerName: other}]"),
            "hello.profiles[other]: not told; vicinal's --scheduler-config has "
            "it");
}

TEST(AttachedProfilesTest, OtherWeightsAreRefused) {
  v1::Hello hello = Hello();
  auto& weights = *hello.mutable_profiles(0)->mutable_score_weights();
  weights["ImageLocality"] = 7;
  EXPECT_EQ(ErrorOf(hello),
            "hello.profiles[default-scheduler]: score_weights[ImageLocality]: "
            "7; vicinal's --scheduler-config has 1");
  weights.erase("ImageLocality");
  EXPECT_EQ(ErrorOf(hello),
            "hello.profiles[default-scheduler]: score_weights[ImageLocality]: "
            "not told; vicinal's --scheduler-config has the weight 1");
  weights["ImageLocality"] = 1;
  weights["Custom"] = 2;
  EXPECT_EQ(ErrorOf(hello),
            "hello.profiles[default-scheduler]: score_weights[Custom]: 2; in "
            "vicinal's --scheduler-config the plugin does not score");
}

}  // namespace
}  // namespace vicinal
