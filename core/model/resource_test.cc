#include "core/model/resource.h"

#include <limits>
#include <string>

#include "gtest/gtest.h"

namespace vicinal {
namespace {

ResourceList List(
    std::initializer_list<std::pair<const char*, const char*>> amounts) {
  ResourceList list;
  for (const auto& [name, amount] : amounts) {
    list[name] = Quantity::Parse(amount).value();
  }
  return list;
}

TEST(ResourceTest, AddsInTheSchedulersUnits) {
  Resource resource;
  resource.Add(List({{"cpu", "1.0001"},
                     {"memory", "1.5"},
                     {"ephemeral-storage", "1Ki"},
                     {"pods", "110"},
                     {"hugepages-2Mi", "4Mi"},
                     {"example.com/gpu", "1500m"},
                     {"storage", "7"}}));
  EXPECT_EQ(resource.milli_cpu, 1001);
  EXPECT_EQ(resource.memory, 2);
  EXPECT_EQ(resource.ephemeral_storage, 1024);
  EXPECT_EQ(resource.allowed_pod_number, 110);
  using Scalars = decltype(resource.scalar_resources);
  EXPECT_EQ(resource.scalar_resources,
            (Scalars{{"example.com/gpu", 2}, {"hugepages-2Mi", 4194304}}));
}

TEST(ResourceTest, AddsUp) {
  Resource sum;
  Resource more;
  more.Add(List({{"cpu", "1"}, {"memory", "2"}, {"a.com/x", "3"}}));
  sum.Add(more);
  sum.Add(more);
  sum.Add(List({{"a.com/x", "1"}, {"a.com/w", "0"}, {"pods", "2"}}));
  EXPECT_EQ(sum.milli_cpu, 2000);
  EXPECT_EQ(sum.memory, 4);
  EXPECT_EQ(sum.allowed_pod_number, 2);
  EXPECT_EQ(sum.Scalar("a.com/x"), 7);
  ASSERT_NE(sum.FindScalar("a.com/w"), nullptr);
  EXPECT_EQ(*sum.FindScalar("a.com/w"), 0);
  EXPECT_EQ(sum.FindScalar("a.com/v"), nullptr);
  EXPECT_EQ(sum.Scalar("a.com/v"), 0);
}

TEST(ResourceTest, SumsWrapAroundAsInGo) {
  Resource sum;
  sum.Add(List({{"memory", "9223372036854775807"}}));
  sum.Add(List({{"memory", "1"}}));
  EXPECT_EQ(sum.memory, std::numeric_limits<std::int64_t>::min());
}

TEST(ResourceTest, SetMaxKeepsTheLargerAmount) {
  Resource resource;
  resource.SetMaxResource(List({{"cpu", "1"},
                                {"memory", "5"},
                                {"ephemeral-storage", "-1"},
                                {"a.com/x", "3"},
                                {"pods", "4"}}));
  resource.SetMaxResource(
      List({{"cpu", "2"}, {"memory", "4"}, {"a.com/x", "2"}}));
  EXPECT_EQ(resource.milli_cpu, 2000);
  EXPECT_EQ(resource.memory, 5);
  EXPECT_EQ(resource.ephemeral_storage, 0);
  EXPECT_EQ(resource.Scalar("a.com/x"), 3);
  EXPECT_EQ(resource.allowed_pod_number, 0);
}

}  // namespace
}  // namespace vicinal
