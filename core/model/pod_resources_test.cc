// The expected amounts come from running k8s.io/kubernetes v1.37.1.
#include "core/model/pod_resources.h"

#include <ostream>
#include <string>

#include "core/model/decode.h"
#include "core/model/json.h"
#include "gtest/gtest.h"

namespace vicinal {
namespace {

struct Case {
  const char* name;
  const char* pod;
  // Milli-cpu, memory, ephemeral storage, scalar resources.
  const char* on_node;
  const char* non_zero;  // Milli-cpu, memory.
  const char* without_status;
  const char* without_pod_level_with_defaults;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::string Rendered(const Resource& resource) {
  std::string text = std::to_string(resource.milli_cpu) + " " +
                     std::to_string(resource.memory) + " " +
                     std::to_string(resource.ephemeral_storage);
  for (const auto& [name, amount] : resource.scalar_resources) {
    text += " " + name + "=" + std::to_string(amount);
  }
  return text;
}

class PodResourcesTest : public testing::TestWithParam<Case> {};

TEST_P(PodResourcesTest, AmountsAreThoseOfUpstream) {
  const Case& c = GetParam();
  const absl::StatusOr<Pod> pod = JsonReader().ReadCopy<Pod>(c.pod);
  ASSERT_TRUE(pod.ok()) << pod.status();
  const PodResource on_node = CalculatePodResource(*pod);
  EXPECT_EQ(Rendered(on_node.resource), c.on_node);
  EXPECT_EQ(std::to_string(on_node.non_zero_milli_cpu) + " " +
                std::to_string(on_node.non_zero_memory),
            c.non_zero);
  Resource without_status;
  without_status.SetMaxResource(PodRequests(*pod, {}));
  EXPECT_EQ(Rendered(without_status), c.without_status);
  Resource with_defaults;
  with_defaults.Add(PodRequests(
      *pod, {.skip_pod_level_resources = true,
             .non_missing_container_requests = DefaultNonZeroRequests()}));
  EXPECT_EQ(Rendered(with_defaults), c.without_pod_level_with_defaults);
}

constexpr Case kCases[] = {
    {"EmptyPod", R"({"spec":{"containers":[{"name":"a"}]}})", "0 0 0",
     "100 209715200", "0 0 0", "100 209715200 0"},
    {"ContainersAddUp",
     R"({"spec":{"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"250m","memory":"64Mi",)"
     R"("example.com/gpu":"1"}}},{"name":"b",)"
     R"("resources":{"requests":{"cpu":"1",)"
     R"("ephemeral-storage":"1Gi"}}}]}})",
     "1250 67108864 1073741824 example.com/gpu=1", "1250 276824064",
     "1250 67108864 1073741824 example.com/gpu=1",
     "1250 276824064 1073741824 example.com/gpu=1"},
    {"ExplicitZeroIsNoDefault",
     R"({"spec":{"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"0","memory":"0"}}},)"
     R"({"name":"b"}]}})",
     "0 0 0", "100 209715200", "0 0 0", "100 209715200 0"},
    {"InitContainersCountByTheirMaximum",
     R"({"spec":{"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"2","memory":"1G"}}},)"
     R"({"name":"b","resources":{"requests":{"cpu":"1",)"
     R"("memory":"1G"}}}],"initContainers":[{"name":"i",)"
     R"("resources":{"requests":{"cpu":"2","memory":"1G"}}},)"
     R"({"name":"j","resources":{"requests":{"cpu":"2",)"
     R"("memory":"3G","example.com/gpu":"2"}}}]}})",
     "3000 3000000000 0 example.com/gpu=2", "3000 3000000000",
     "3000 3000000000 0 example.com/gpu=2",
     "3000 3000000000 0 example.com/gpu=2"},
    {"SidecarsRunBesideLaterInitContainersAndContainers",
     R"({"spec":{"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"1","memory":"100"}}}],)"
     R"("initContainers":[{"name":"i",)"
     R"("resources":{"requests":{"cpu":"4","memory":"10"}}},)"
     R"({"name":"s","restartPolicy":"Always",)"
     R"("resources":{"requests":{"cpu":"500m","memory":"1000"}}},)"
     R"({"name":"j","resources":{"requests":{"cpu":"3900m",)"
     R"("memory":"50"}}},{"name":"t","restartPolicy":"Always",)"
     R"("resources":{"requests":{"cpu":"1","memory":"1"}}}]}})",
     "4400 1101 0", "4400 1101", "4400 1101 0", "4400 1101 0"},
    {"SidecarWithoutRequestsGetsTheDefaults",
     R"({"spec":{"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"1"}}}],)"
     R"("initContainers":[{"name":"s","restartPolicy":"Always"},)"
     R"({"name":"i","resources":{"requests":{"memory":"1Gi"}}}]}})",
     "1000 1073741824 0", "1100 1283457024", "1000 1073741824 0",
     "1100 1283457024 0"},
    {"OtherRestartPoliciesAreNoSidecars",
     R"({"spec":{"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"1"}}}],)"
     R"("initContainers":[{"name":"s","restartPolicy":"OnFailure",)"
     R"("resources":{"requests":{"cpu":"3"}}}]}})",
     "3000 0 0", "3000 209715200", "3000 0 0", "3000 209715200 0"},
    {"OverheadIsAdded",
     R"({"spec":{"overhead":{"cpu":"10m","memory":"20Mi",)"
     R"("example.com/gpu":"1"},"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"250m"}}}]}})",
     "260 20971520 0 example.com/gpu=1", "260 230686720",
     "260 20971520 0 example.com/gpu=1", "260 230686720 0 example.com/gpu=1"},
    {"PodLevelRequestsReplaceTheSum",
     R"({"spec":{"resources":{"requests":{"cpu":"3",)"
     R"("memory":"1Gi"}},"overhead":{"cpu":"10m"},)"
     R"("containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"250m","memory":"64Mi",)"
     R"("ephemeral-storage":"5","example.com/gpu":"1"}}}]}})",
     "3010 1073741824 5 example.com/gpu=1", "3010 1073741824",
     "3010 1073741824 5 example.com/gpu=1", "260 67108864 5 example.com/gpu=1"},
    {"PodLevelRequestsOfOneResourceOnly",
     R"({"spec":{"resources":{"requests":{"cpu":"3"}},)"
     R"("containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"250m"}}},{"name":"b"}]}})",
     "3000 0 0", "3000 419430400", "3000 0 0", "350 419430400 0"},
    {"PodLevelMemoryOnlyDefaultsCpu",
     R"({"spec":{"resources":{"requests":{"memory":"1Gi"}},)"
     R"("containers":[{"name":"a"},{"name":"b"}]}})",
     "0 1073741824 0", "200 1073741824", "0 1073741824 0", "200 419430400 0"},
    {"PodLevelRequestBelowTheSum",
     R"({"spec":{"resources":{"requests":{"cpu":"1m",)"
     R"("hugepages-2Mi":"4Mi"}},"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"250m",)"
     R"("hugepages-2Mi":"8Mi","memory":"1"}}}]}})",
     "1 1 0 hugepages-2Mi=4194304", "1 1", "1 1 0 hugepages-2Mi=4194304",
     "250 1 0 hugepages-2Mi=8388608"},
    {"PodLevelRequestsOfOtherResourcesAreIgnored",
     R"({"spec":{"resources":{"requests":{"ephemeral-storage":"7",)"
     R"("example.com/gpu":"9"}},"containers":[{"name":"a"}]}})",
     "0 0 0", "100 209715200", "0 0 0", "100 209715200 0"},
    {"PodLevelUnsupportedAmongSupported",
     R"({"spec":{"resources":{"requests":{"ephemeral-storage":"7",)"
     R"("memory":"9"}},"containers":[{"name":"a"}]}})",
     "0 9 0", "100 9", "0 9 0", "100 209715200 0"},
    {"AllocatedAndActuatedCountWhenLarger",
     R"({"spec":{"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"1","memory":"100"}}},)"
     R"({"name":"b","resources":{"requests":{"cpu":"1",)"
     R"("memory":"100"}}}]},)"
     R"("status":{"containerStatuses":[{"name":"a",)"
     R"("allocatedResources":{"cpu":"2","memory":"50"}},)"
     R"({"name":"b","allocatedResources":{"cpu":"1500m"},)"
     R"("resources":{"requests":{"cpu":"300m","memory":"700"}}}]}})",
     "3500 750 0", "3500 209715250", "2000 200 0", "2000 200 0"},
    {"ActuatedWithoutRequestsFallsBackToAllocated",
     R"({"spec":{"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"1"}}}]},)"
     R"("status":{"containerStatuses":[{"name":"a",)"
     R"("allocatedResources":{"cpu":"2"},"resources":{}}]}})",
     "2000 0 0", "2000 209715200", "1000 0 0", "1000 209715200 0"},
    {"EmptyActuatedRequestsAreSomething",
     R"({"spec":{"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"1"}}}]},)"
     R"("status":{"conditions":[{"type":"PodResizePending",)"
     R"("reason":"Infeasible"}],"containerStatuses":[{"name":"a",)"
     R"("resources":{"requests":{}}}]}})",
     "0 0 0", "100 209715200", "1000 0 0", "1000 209715200 0"},
    {"InfeasibleResizeDoesNotCountTheSpec",
     R"({"spec":{"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"8","memory":"100"}}},)"
     R"({"name":"b","resources":{"requests":{"cpu":"1"}}}]},)"
     R"("status":{"conditions":[{"type":"Ready"},)"
     R"({"type":"PodResizePending","reason":"Infeasible"}],)"
     R"("containerStatuses":[{"name":"a",)"
     R"("allocatedResources":{"cpu":"2","memory":"50"},)"
     R"("resources":{"requests":{"cpu":"1","memory":"60"}}}]}})",
     "2000 60 0", "2100 209715260", "9000 100 0", "9000 209715300 0"},
    {"DeferredResizeCountsTheSpec",
     R"({"spec":{"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"8","memory":"100"}}}]},)"
     R"("status":{"conditions":[{"type":"PodResizePending",)"
     R"("reason":"Deferred"},{"type":"PodResizePending",)"
     R"("reason":"Infeasible"}],"containerStatuses":[{"name":"a",)"
     R"("allocatedResources":{"cpu":"2","memory":"150"}}]}})",
     "8000 150 0", "8000 150", "8000 100 0", "8000 100 0"},
    {"InitContainerStatusesCountToo",
     R"({"spec":{"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"1"}}}],)"
     R"("initContainers":[{"name":"s","restartPolicy":"Always",)"
     R"("resources":{"requests":{"cpu":"1"}}}]},)"
     R"("status":{"initContainerStatuses":[{"name":"s",)"
     R"("allocatedResources":{"cpu":"3"}}]}})",
     "4000 0 0", "4000 419430400", "2000 0 0", "2000 419430400 0"},
    {"ContainerStatusesComeBeforeInitContainerStatuses",
     R"({"spec":{"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"1"}}}]},)"
     R"("status":{"initContainerStatuses":[{"name":"a",)"
     R"("allocatedResources":{"cpu":"3"}}],)"
     R"("containerStatuses":[{"name":"a",)"
     R"("allocatedResources":{"cpu":"2"}}]}})",
     "2000 0 0", "2000 209715200", "1000 0 0", "1000 209715200 0"},
    {"PodLevelStatusReplacesContainerStatuses",
     R"({"spec":{"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"1","memory":"5"}}}]},)"
     R"("status":{"allocatedResources":{"cpu":"2"},)"
     R"("resources":{"requests":{"cpu":"1500m","memory":"6"}},)"
     R"("containerStatuses":[{"name":"a",)"
     R"("allocatedResources":{"cpu":"7"}}]}})",
     "2000 6 0", "2000 6", "1000 5 0", "1000 5 0"},
    {"PodLevelStatusNeedsBothParts",
     R"({"spec":{"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"1"}}}]},)"
     R"("status":{"allocatedResources":{"cpu":"9"},"resources":{},)"
     R"("containerStatuses":[{"name":"a",)"
     R"("allocatedResources":{"cpu":"7"}}]}})",
     "7000 0 0", "7000 209715200", "1000 0 0", "1000 209715200 0"},
    {"PodLevelRequestsAndPodLevelStatus",
     R"({"spec":{"resources":{"requests":{"cpu":"2",)"
     R"("memory":"100"}},"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"1"}}}]},)"
     R"("status":{"allocatedResources":{"cpu":"3","memory":"50"},)"
     R"("resources":{"requests":{"cpu":"1","memory":"200",)"
     R"("example.com/gpu":"1"}}}})",
     "3000 200 0 example.com/gpu=1", "3000 200", "2000 100 0",
     "1000 209715200 0"},
    {"PodLevelRequestsWithAllocatedButNoResources",
     R"({"spec":{"resources":{"requests":{"cpu":"2"}},)"
     R"("containers":[{"name":"a"}]},)"
     R"("status":{"allocatedResources":{"cpu":"3"}}})",
     "2000 0 0", "2000 209715200", "2000 0 0", "100 209715200 0"},
    {"PodLevelRequestsWithEmptyStatusResources",
     R"({"spec":{"resources":{"requests":{"cpu":"2"}},)"
     R"("containers":[{"name":"a"}]},)"
     R"("status":{"allocatedResources":{"cpu":"3"},)"
     R"("resources":{}}})",
     "3000 0 0", "3000 209715200", "2000 0 0", "100 209715200 0"},
    {"PodLevelInfeasibleResize",
     R"({"spec":{"resources":{"requests":{"cpu":"8",)"
     R"("memory":"8"}},"containers":[{"name":"a",)"
     R"("resources":{"requests":{"memory":"4"}}}]},)"
     R"("status":{"conditions":[{"type":"PodResizePending",)"
     R"("reason":"Infeasible"}],"allocatedResources":{"cpu":"3"},)"
     R"("resources":{"requests":{"cpu":"2"}}}})",
     "3000 0 0", "3000 0", "8000 8 0", "100 4 0"},
    {"NegativeAmounts",
     R"({"spec":{"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"-1","memory":"-5",)"
     R"("example.com/gpu":"-2"}}}]}})",
     "-1000 -5 0 example.com/gpu=-2", "-1000 -5", "0 0 0 example.com/gpu=0",
     "-1000 -5 0 example.com/gpu=-2"},
    {"RoundedOnceAfterAdding",
     R"({"spec":{"containers":[{"name":"a",)"
     R"("resources":{"requests":{"cpu":"0.1m","memory":"0.4",)"
     R"("example.com/gpu":"500m"}}},{"name":"b",)"
     R"("resources":{"requests":{"cpu":"0.1m","memory":"0.4",)"
     R"("example.com/gpu":"500m"}}}]}})",
     "1 1 0 example.com/gpu=1", "1 1", "1 1 0 example.com/gpu=1",
     "1 1 0 example.com/gpu=1"},
};

INSTANTIATE_TEST_SUITE_P(, PodResourcesTest, testing::ValuesIn(kCases),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

// Upstream adds the overhead of such a pod once more at each call.
TEST(PodRequestsTest, AskingDoesNotChangeThePod) {
  const absl::StatusOr<Pod> pod = JsonReader().ReadCopy<Pod>(
      R"({"spec":{"resources":{"requests":{"memory":"1.5Gi"}},)"
      R"("overhead":{"memory":"1Gi"}}})");
  ASSERT_TRUE(pod.ok()) << pod.status();
  const Quantity expected = Quantity::Parse("2.5Gi").value();
  EXPECT_EQ(PodRequests(*pod, {}).at("memory"), expected);
  EXPECT_EQ(PodRequests(*pod, {}).at("memory"), expected);
}

}  // namespace
}  // namespace vicinal
