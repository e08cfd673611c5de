#include "server/state/cluster_snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/model/api_resources.h"
#include "core/simulate/simulated_cluster.h"
#include "server/kubernetes/testing/plain_config.h"
#include "server/kubernetes/testing/test_http_server.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Lists by path; what is not there is forbidden.
using Lists = std::map<std::string, std::string>;

std::string List(const std::string& items) {
  return R"({"kind":"List","metadata":{"resourceVersion":"1"},"items":[)" +
         items + "]}";
}

constexpr char kNode[] = R"({"metadata":{"name":"n1"}})";
constexpr char kPod[] = R"({"metadata":{"name":"web-1","namespace":"shop",
    "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet",
    "name":"web","controller":true}]},"spec":{"nodeName":"n1"}})";
constexpr char kDeployment[] = R"({"metadata":{"name":"web","namespace":"shop"},
    "spec":{"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":
    {"labels":{"app":"web"}},"spec":{}}}})";

Lists Everything() {
  Lists lists;
  for (const ApiResource& resource : kApiResources) {
    lists[resource.Path()] = List("");
  }
  for (const char* path : {"/apis/apps/v1/daemonsets", "/apis/batch/v1/jobs",
                           "/apis/batch/v1/cronjobs"}) {
    lists[path] = List("");
  }
  lists["/api/v1/nodes"] = List(kNode);
  lists["/api/v1/pods"] = List(kPod);
  lists["/apis/apps/v1/deployments"] = List(kDeployment);
  return lists;
}

// How often each path is listed, too.
absl::Status Load(const Lists& lists, SimulatedCluster& simulated,
                  std::map<std::string, int>* listed = nullptr) {
  TestHttpServer server(
      {}, [&lists, listed](const TestRequest& request, TestReply& reply) {
        const auto it =
            lists.find(request.target.substr(0, request.target.find('?')));
        if (listed != nullptr && it != lists.end()) ++(*listed)[it->first];
        if (it == lists.end()) {
          reply.Send(403, R"({"kind":"Status","message":"not yours"})");
        } else {
          reply.Send(200, it->second);
        }
      });
  const ClientConfig config = PlainConfigOf(server);
  return ReadClusterFromApi(config, simulated.Loader(true));
}

TEST(ClusterSnapshotTest, LoadsObjectsAndWorkloads) {
  SimulatedCluster simulated(1);
  const absl::Status status = Load(Everything(), simulated);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(simulated.cluster().Nodes(), SizeIs(1));
  EXPECT_THAT(simulated.pods(), SizeIs(1));
  EXPECT_NE(simulated.FindWorkload({"Deployment", "shop", "web"}), nullptr);
  EXPECT_THAT(simulated.notes(), SizeIs(0));
}

TEST(ClusterSnapshotTest, EachResourceIsListedOnce) {
  const Lists lists = Everything();
  SimulatedCluster simulated(1);
  std::map<std::string, int> listed;
  ASSERT_TRUE(Load(lists, simulated, &listed).ok());
  EXPECT_THAT(listed, SizeIs(lists.size()));
  for (const auto& [path, times] : listed) EXPECT_EQ(times, 1) << path;
}

TEST(ClusterSnapshotTest, PodsComeWithTheirFacts) {
  SimulatedCluster simulated(1);
  Lists lists = Everything();
  lists["/api/v1/pods"] = List(R"({"metadata":{"name":"p","namespace":"shop"},
      "spec":{"nodeName":"n1","volumes":[{"name":"v","emptyDir":{}}]}})");
  ASSERT_TRUE(Load(lists, simulated).ok());
  ASSERT_THAT(simulated.pods(), SizeIs(1));
  EXPECT_TRUE(simulated.pods().begin()->second.facts.local_storage);
}

TEST(ClusterSnapshotTest, WorkloadsThatMayNotBeListedAreNoted) {
  Lists lists = Everything();
  lists.erase("/apis/apps/v1/deployments");
  SimulatedCluster simulated(1);
  ASSERT_TRUE(Load(lists, simulated).ok());
  EXPECT_THAT(simulated.notes(),
              ElementsAre("not known, since it cannot be listed: "
                          "/apis/apps/v1/deployments: 403: not yours"));
}

TEST(ClusterSnapshotTest, PodsThatMayNotBeListedAreAnError) {
  Lists lists = Everything();
  lists.erase("/api/v1/pods");
  SimulatedCluster simulated(1);
  EXPECT_THAT(std::string(Load(lists, simulated).message()),
              HasSubstr("/api/v1/pods: 403: not yours"));
}

TEST(ClusterSnapshotTest, AWorkloadThatCannotBeSimulatedIsNoted) {
  Lists lists = Everything();
  lists["/apis/batch/v1/jobs"] = List(
      R"({"metadata":{"name":"j"},"spec":{"parallelism":-1,"template":{}}})");
  SimulatedCluster simulated(1);
  ASSERT_TRUE(Load(lists, simulated).ok());
  EXPECT_THAT(
      simulated.notes(),
      ElementsAre("/apis/batch/v1/jobs: one left out: spec.parallelism: "
                  "must not be negative, got -1"));
}

}  // namespace
}  // namespace vicinal
