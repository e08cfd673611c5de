#include "core/model/resource_name.h"

#include <string>

#include "gtest/gtest.h"

namespace vicinal {
namespace {

TEST(ResourceNameTest, ExtendedResourcesAreQualifiedNamesOfOthers) {
  EXPECT_TRUE(IsExtendedResourceName("example.com/gpu"));
  EXPECT_FALSE(IsExtendedResourceName("cpu"));
  EXPECT_FALSE(IsExtendedResourceName("kubernetes.io/gpu"));
  EXPECT_FALSE(IsExtendedResourceName("sub.kubernetes.io/gpu"));
  EXPECT_FALSE(IsExtendedResourceName("requests.example.com/gpu"));
  EXPECT_FALSE(IsExtendedResourceName("example.com/a/b"));
  EXPECT_FALSE(IsExtendedResourceName("Example.com/gpu"));
  EXPECT_FALSE(IsExtendedResourceName("example.com/-gpu"));
  // With "requests." in front the prefix must not exceed 253 characters.
  const std::string label(50, 'a');
  std::string prefix = label;
  for (int i = 0; i < 3; ++i) prefix += "." + label;
  prefix += "." + std::string(40, 'a');
  ASSERT_EQ(prefix.size(), 244u);
  EXPECT_TRUE(IsExtendedResourceName(prefix + "/gpu"));
  EXPECT_FALSE(IsExtendedResourceName(prefix + "a/gpu"));
}

TEST(ResourceNameTest, ScalarResourcesAreThoseCountedByName) {
  EXPECT_TRUE(IsScalarResourceName("example.com/gpu"));
  EXPECT_TRUE(IsScalarResourceName("hugepages-2Mi"));
  EXPECT_TRUE(IsScalarResourceName("attachable-volumes-csi-x"));
  EXPECT_TRUE(IsScalarResourceName("kubernetes.io/batch-cpu"));
  EXPECT_FALSE(IsScalarResourceName("cpu"));
  EXPECT_FALSE(IsScalarResourceName("pods"));
  EXPECT_FALSE(IsScalarResourceName("storage"));
  EXPECT_FALSE(IsScalarResourceName("requests.example.com/gpu"));
}

TEST(ResourceNameTest, PodLevelResources) {
  EXPECT_TRUE(IsSupportedPodLevelResource("cpu"));
  EXPECT_TRUE(IsSupportedPodLevelResource("memory"));
  EXPECT_TRUE(IsSupportedPodLevelResource("hugepages-1Gi"));
  EXPECT_FALSE(IsSupportedPodLevelResource("ephemeral-storage"));
  EXPECT_FALSE(IsSupportedPodLevelResource("example.com/gpu"));
}

}  // namespace
}  // namespace vicinal
