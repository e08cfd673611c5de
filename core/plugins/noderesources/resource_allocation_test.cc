#include "core/plugins/noderesources/resource_allocation.h"

#include <ostream>
#include <string>
#include <vector>

#include "core/plugins/testing/parsed.h"
#include "gtest/gtest.h"

namespace vicinal {
namespace {

const std::vector<ResourceSpec>& AllKinds() {
  static const std::vector<ResourceSpec> resources = {{"cpu", 1},
                                                      {"memory", 1},
                                                      {"ephemeral-storage", 1},
                                                      {"a.com/asked", 1},
                                                      {"a.com/not-asked", 1},
                                                      {"a.com/not-there", 1},
                                                      {"hugepages-2Mi", 1},
                                                      {"pods", 1},
                                                      {"unknown", 1}};
  return resources;
}

// "requested/allocated/allocatable" of each resource.
std::string Rendered(const std::vector<Allocation>& allocations) {
  std::string text;
  for (const Allocation& a : allocations) {
    text += std::to_string(a.requested) + "/" + std::to_string(a.allocated) +
            "/" + std::to_string(a.allocatable) + " ";
  }
  return text;
}

class AllocationsOnTest : public testing::Test {
 protected:
  AllocationsOnTest() {
    cluster_.Upsert(Parsed<Node>(
        R"({"metadata":{"name":"n"},"status":{"allocatable":{"cpu":"4",)"
        R"("memory":"1000Mi","ephemeral-storage":"500","a.com/asked":"8",)"
        R"("a.com/not-asked":"8","hugepages-2Mi":"64","pods":"110"}}})"));
    cluster_.Upsert(Parsed<Pod>(
        R"({"metadata":{"name":"a"},"spec":{"nodeName":"n","containers":)"
        R"([{"name":"c","resources":{"requests":{"cpu":"1","a.com/asked":"2",)"
        R"("a.com/not-asked":"3","ephemeral-storage":"7"}}}]}})"));
    cluster_.Upsert(Parsed<Pod>(
        R"({"metadata":{"name":"b"},"spec":{"nodeName":"n","containers":)"
        R"([{"name":"c","resources":{"requests":{"memory":"1Mi"}}}]}})"));
  }

  std::string AllocationsWith(const char* requests, bool use_requested) {
    return Rendered(
        AllocationsOn(*cluster_.FindNode("n"),
                      RequestList(Parsed<ResourceList>(requests), AllKinds()),
                      use_requested));
  }

  ClusterState cluster_;
};

TEST_F(AllocationsOnTest, AddsThePodToWhatIsOnTheNode) {
  EXPECT_EQ(AllocationsWith(R"({"cpu":"0.5","memory":"2","a.com/asked":"1",)"
                            R"("a.com/not-there":"1","hugepages-2Mi":"2",)"
                            R"("ephemeral-storage":"3","pods":"4"})",
                            /*use_requested=*/true),
            "1500/1000/4000 1048578/1048576/1048576000 10/7/500 3/2/8 "
            "0/0/0 0/0/0 2/0/64 0/0/0 0/0/0 ");
}

TEST_F(AllocationsOnTest, ScalarResourcesThatThePodDoesNotRequestDoNotCount) {
  EXPECT_EQ(AllocationsWith("{}", /*use_requested=*/true),
            "1000/1000/4000 1048576/1048576/1048576000 7/7/500 0/0/0 "
            "0/0/0 0/0/0 0/0/0 0/0/0 0/0/0 ");
}

TEST_F(AllocationsOnTest, DefaultsCountUnlessRequestedIsUsed) {
  // 200Mi for a's memory and 100m for b's cpu.
  EXPECT_EQ(AllocationsWith("{}", /*use_requested=*/false),
            "1100/1100/4000 210763776/210763776/1048576000 7/7/500 0/0/0 "
            "0/0/0 0/0/0 0/0/0 0/0/0 0/0/0 ");
}

TEST(RequestListTest, CpuIsInThousandths) {
  const std::vector<ResourceRequest> list = RequestList(
      Parsed<ResourceList>(R"({"cpu":"1.5","memory":"1.5","unknown":"7"})"),
      AllKinds());
  ASSERT_EQ(list.size(), AllKinds().size());
  EXPECT_EQ(list[0].amount, 1500);
  EXPECT_EQ(list[1].amount, 2);
  EXPECT_EQ(list[2].amount, 0);
  EXPECT_FALSE(list[2].bypassed);
  EXPECT_TRUE(list[3].bypassed);
  EXPECT_EQ(list[8].amount, 7);
  EXPECT_FALSE(list[8].bypassed);
}

}  // namespace
}  // namespace vicinal
