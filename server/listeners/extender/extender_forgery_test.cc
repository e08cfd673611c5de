// Questions about other pods than the API server has: nothing is bound or
// evicted by them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "core/testing/objects.h"
#include "server/listeners/extender/extender_binder.h"
#include "server/listeners/extender/extender_service.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kNodes[] = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {disk: ssd}}, status: {allocatable: {pods: 9, cpu: 4}}}
- {apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {pods: 9, cpu: 4}}}
)";

// Fits n1 only.
Pod OnSsd() {
  return ParsePod(
      "{metadata: {namespace: default, name: p, uid: u}, spec: {nodeSelector: "
      "{disk: ssd}}}");
}

// Fits both nodes.
Pod Anywhere(const std::string& uid = "u") {
  return ParsePod("{metadata: {namespace: default, name: p, uid: " + uid +
                  "}}");
}

ExtenderOptions Options(std::chrono::milliseconds max_watch_lag) {
  ExtenderOptions options;
  options.max_watch_lag = max_watch_lag;
  return options;
}

class ExtenderForgeryTest : public ::testing::Test {
 protected:
  ExtenderForgeryTest() {
    store_.Write([](ClusterState& cluster) { AddObjects(cluster, kNodes); });
  }

  // The nodes that are answered about a pod; it must be one of `nodes`.
  std::vector<std::string> Filter(const Pod& pod,
                                  std::vector<std::string_view> nodes) {
    ExtenderArgs args;
    args.pod = pod;
    args.node_names = std::move(nodes);
    const auto result = service_.Filter(args);
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    EXPECT_EQ(result->error, "");
    return {result->node_names.begin(), result->node_names.end()};
  }

  // What was wrong with the binding of the pod p; "": it is written.
  std::string Bind(const std::string& node, const std::string& uid = "u") {
    std::string answer = "no answer";
    binder_.Bind({"p", "default", uid, node}, std::chrono::steady_clock::now(),
                 nullptr, [&answer](std::string error) { answer = error; });
    return answer;
  }

  std::string WhyNotPreempted(const Pod& pod) {
    return std::string(service_.Preempt({pod, {}}).status().message());
  }

  ClusterStore store_;
  const Freshness freshness_{{}, std::chrono::seconds(0)};
  Metrics metrics_;
  InFlightPods in_flight_{store_, metrics_, {}};
  const SchedulerProfiles profiles_;
  const ExtenderService service_{
      store_,   in_flight_, freshness_,
      metrics_, profiles_,  Options(std::chrono::milliseconds(20))};
  // The pods that the API server has, when it is asked.
  std::map<std::string, Pod> api_server_;
  int asked_ = 0;
  std::vector<std::string> written_;  // Nodes.
  const ExtenderBinder binder_{
      store_,
      in_flight_,
      freshness_,
      metrics_,
      profiles_,
      [this](const PodBinding& binding, const BindCaller&,
             const std::function<void(BindResult)>& done) {
        written_.push_back(binding.node);
        done(BindResult());
      },
      std::chrono::seconds(60),
      [this](const ObjectKey& key,
             const std::function<void(absl::StatusOr<Pod>)>& done) {
        ++asked_;
        const auto it = api_server_.find(key.name);
        if (it == api_server_.end()) {
          return done(absl::NotFoundError("404: no such pod"));
        }
        done(it->second);
      }};
};

TEST_F(ExtenderForgeryTest, APodIsBoundByItsOwnRulesAndNotByTheQuestions) {
  in_flight_.Upsert(OnSsd());
  EXPECT_THAT(Filter(Anywhere(), {"n2"}), ElementsAre("n2"));
  EXPECT_THAT(Bind("n2"), HasSubstr("didn't match Pod's node affinity"));
  EXPECT_THAT(written_, IsEmpty());
  // The pod itself is as it was.
  EXPECT_THAT(Filter(OnSsd(), {"n1"}), ElementsAre("n1"));
  EXPECT_EQ(Bind("n1"), "");
  EXPECT_THAT(written_, ElementsAre("n1"));
  EXPECT_EQ(asked_, 0);
}

TEST_F(ExtenderForgeryTest, AQuestionMayBeAheadOfTheWatch) {
  // The pod has lost its node selector, and the watch has yet to tell.
  in_flight_.Upsert(OnSsd());
  EXPECT_THAT(Filter(Anywhere(), {"n1"}), ElementsAre("n1"));
  EXPECT_EQ(Bind("n1"), "");
}

TEST_F(ExtenderForgeryTest, OnceTheWatchHasToldTheQuestionCounts) {
  in_flight_.Upsert(OnSsd());
  EXPECT_THAT(Filter(Anywhere(), {"n2"}), ElementsAre("n2"));
  in_flight_.Upsert(Anywhere());
  EXPECT_EQ(Bind("n2"), "");
}

TEST_F(ExtenderForgeryTest, TheApiServerIsAskedAboutAPodThatNobodyHasSeen) {
  api_server_["p"] = OnSsd();
  EXPECT_THAT(Filter(Anywhere(), {"n2"}), ElementsAre("n2"));
  EXPECT_THAT(Bind("n2"), HasSubstr("didn't match Pod's node affinity"));
  EXPECT_EQ(asked_, 1);
  EXPECT_THAT(written_, IsEmpty());
}

TEST_F(ExtenderForgeryTest, APodThatTheApiServerHasAsAskedAboutIsBound) {
  api_server_["p"] = OnSsd();
  EXPECT_THAT(Filter(OnSsd(), {"n1"}), ElementsAre("n1"));
  EXPECT_EQ(Bind("n1"), "");
  EXPECT_EQ(asked_, 1);
  EXPECT_THAT(written_, ElementsAre("n1"));
}

TEST_F(ExtenderForgeryTest, APodThatIsNotThereIsNotBound) {
  EXPECT_THAT(Filter(Anywhere(), {"n2"}), ElementsAre("n2"));
  EXPECT_THAT(Bind("n2"), HasSubstr("404: no such pod"));
  api_server_["p"] = Anywhere("another");
  EXPECT_THAT(Filter(Anywhere(), {"n2"}), ElementsAre("n2"));
  EXPECT_THAT(Bind("n2"), HasSubstr("has the uid another"));
  EXPECT_THAT(written_, IsEmpty());
}

TEST_F(ExtenderForgeryTest, NobodyIsEvictedForAPodThatIsNotPending) {
  EXPECT_THAT(WhyNotPreempted(Anywhere()), HasSubstr("no pending pod"));
  in_flight_.Upsert(Anywhere("another"));
  EXPECT_THAT(WhyNotPreempted(Anywhere()), HasSubstr("no pending pod"));
  Pod bound = Anywhere();
  bound.spec.node_name = "n1";
  in_flight_.Upsert(bound);
  EXPECT_THAT(WhyNotPreempted(Anywhere()), HasSubstr("no pending pod"));
}

TEST_F(ExtenderForgeryTest, VictimsWaitForAWatchThatIsBehind) {
  const ExtenderService patient(store_, in_flight_, freshness_, metrics_,
                                profiles_, Options(std::chrono::minutes(1)));
  std::thread watch([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    in_flight_.Upsert(Anywhere());
  });
  EXPECT_TRUE(patient.Preempt({Anywhere(), {}}).ok());
  watch.join();
}

TEST_F(ExtenderForgeryTest, VictimsAreForThePodAsTheApiServerHasIt) {
  in_flight_.Upsert(ParsePod(
      "{metadata: {namespace: default, name: victim, uid: v}, spec: {nodeName: "
      "n2}}"));
  // It may not be in this zone, whoever goes.
  Pod spread = ParsePod(
      "{metadata: {namespace: default, name: p, uid: u, labels: {app: a}}, "
      "spec: {topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1, "
      "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: "
      "a}}}]}}");
  in_flight_.Upsert(spread);
  const std::vector<NodeVictims> candidates = {{"n2", {"v"}, 0}};
  const auto forged = service_.Preempt({Anywhere(), candidates});
  ASSERT_TRUE(forged.ok()) << forged.status();
  EXPECT_THAT(*forged, IsEmpty());
  in_flight_.Upsert(Anywhere());
  const auto real = service_.Preempt({Anywhere(), candidates});
  ASSERT_TRUE(real.ok()) << real.status();
  EXPECT_THAT(*real, SizeIs(1));
}

}  // namespace
}  // namespace vicinal
