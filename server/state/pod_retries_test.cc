#include "server/state/pod_retries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/testing/objects.h"
#include "server/scheduler_config/scheduler_profiles.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::shared_ptr<const PodInfo> Info(const Pod& pod) {
  return std::make_shared<const PodInfo>(pod);
}

// A pod that may not be in a zone with another of its app.
Pod Alone(const std::string& name, const std::string& app,
          const std::string& spec = "") {
  return ParsePod("{metadata: {namespace: default, name: " + name +
                  ", uid: uid-" + name + ", labels: {app: " + app +
                  "}}, spec: {" + spec +
                  "affinity: {podAntiAffinity: "
                  "{requiredDuringSchedulingIgnoredDuringExecution: "
                  "[{topologyKey: zone, labelSelector: {matchLabels: {app: " +
                  app + "}}}]}}}}");
}

// n1 and n2 in one zone, n3 in another, where a pod of app web is.
class PodRetriesTest : public ::testing::Test {
 protected:
  PodRetriesTest() {
    store_.Write([](ClusterState& cluster) {
      AddObjects(cluster, R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {zone: z1}},
   status: {allocatable: {cpu: 4, pods: 10}}}
- {apiVersion: v1, kind: Node, metadata: {name: n2, labels: {zone: z1}},
   status: {allocatable: {cpu: 4, pods: 10}}}
- {apiVersion: v1, kind: Node, metadata: {name: n3, labels: {zone: z2}},
   status: {allocatable: {cpu: 4, pods: 10}}}
)");
      Pod other = Alone("other", "web");
      other.spec.node_name = "n3";
      cluster.Upsert(std::move(other));
    });
  }

  // A pending pod.
  std::shared_ptr<const PodInfo> Pending(const Pod& pod) {
    store_.Write([&pod](ClusterState& cluster) { cluster.Upsert(Pod(pod)); });
    return Info(pod);
  }

  // The pods that are tried again when `name` of app web leaves n1.
  std::vector<std::string> TriedAgain(
      std::vector<std::shared_ptr<const PodInfo>> refused) {
    std::vector<std::string> tried;
    const PodRetries pods(
        store_, metrics_,
        [this](const Pod&) { return &profiles_.Find("")->all; },
        [&tried](const ObjectMeta& meta) { tried.push_back(meta.name); }, 2);
    InFlightLedger::AssumedPod ended;
    ended.pod = Info(Alone("ended", "web"));
    ended.node = "n1";
    pods.OnPlacementEnded(ended, std::move(refused));
    return tried;
  }

  ClusterStore store_;
  Metrics metrics_;
  const SchedulerProfiles profiles_;
};

TEST_F(PodRetriesTest, ThoseThatFitNowAreTriedAgain) {
  EXPECT_THAT(
      TriedAgain({Pending(Alone("web", "web")),
                  Pending(Alone("large", "db",
                                "containers: [{name: c, resources: {requests: "
                                "{cpu: 5}}}], ")),
                  Info(Alone("unknown", "web"))}),
      ElementsAre("web"));
}

TEST_F(PodRetriesTest, AnotherNodeOfTheDomainMayBeFreeNow) {
  store_.Write([](ClusterState& cluster) {
    Pod full = ParsePod(
        "{metadata: {namespace: default, name: full, uid: full}, spec: "
        "{nodeName: n1, containers: [{name: c, resources: {requests: {cpu: "
        "4}}}]}}");
    cluster.Upsert(std::move(full));
  });
  const std::string cpu =
      "containers: [{name: c, resources: {requests: {cpu: 1}}}], ";
  EXPECT_THAT(TriedAgain({Pending(Alone("web", "web", cpu)),
                          Pending(Alone("db", "db", cpu))}),
              ElementsAre("web"));
}

TEST_F(PodRetriesTest, ThoseThatAreBoundAreNot) {
  Pod bound = Alone("web", "web");
  bound.spec.node_name = "n2";
  EXPECT_THAT(TriedAgain({Pending(bound)}), IsEmpty());
}

TEST_F(PodRetriesTest, TheMostImportantFirstAndNotAll) {
  EXPECT_THAT(TriedAgain({Pending(Alone("a", "a", "priority: 1, ")),
                          Pending(Alone("b", "b", "priority: 3, ")),
                          Pending(Alone("c", "c", "priority: 2, "))}),
              ElementsAre("b", "c"));
}

}  // namespace
}  // namespace vicinal
