#include "server/commands/serve/confirm_release.h"

#include "gtest/gtest.h"

namespace vicinal {
namespace {

TEST(ConfirmReleaseTest, WithoutAnApiServerNobodyIsAsked) {
  ServeOptions options;
  options.sample = true;
  const auto found = FindRelease(options);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->release, KubernetesRelease());
  EXPECT_TRUE(ConfirmRelease(options, *found, [] {
                ADD_FAILURE() << "asked";
                return true;
              }).ok());
}

TEST(ConfirmReleaseTest, FeatureGatesAreLookedAtBeforeTheStart) {
  ServeOptions options;
  options.sample = true;
  options.release.feature_gates = "PodLevelResources=maybe";
  EXPECT_EQ(FindRelease(options).status().message(),
            "--feature-gates: feature gate \"PodLevelResources=maybe\" is not "
            "of the form Name=true or Name=false");
}

}  // namespace
}  // namespace vicinal
