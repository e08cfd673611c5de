#include "server/kubernetes/pod_path.h"

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace vicinal {
namespace {

TEST(PodPathTest, ItIsThatOfThePod) {
  const auto path = PodPath("kube-system", "web-0.a");
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_EQ(*path, "/api/v1/namespaces/kube-system/pods/web-0.a");
}

TEST(PodPathTest, ANameThatWouldBeAnotherPathIsRefused) {
  for (const char* name : {"", ".", "..", "a/b", "a?b", "a#b", "a%2fb", "a b",
                           "a\nb", "ä", "p/log"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(PodPath("ns", name).status())) << name;
    EXPECT_TRUE(absl::IsInvalidArgument(PodPath(name, "p").status())) << name;
  }
}

}  // namespace
}  // namespace vicinal
