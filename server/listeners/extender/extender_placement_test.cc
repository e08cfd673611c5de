// What the extender's answers and bindings do to the index: decide mode, pods
// in flight, bind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/index/stored_pod.h"
#include "core/testing/objects.h"
#include "server/listeners/extender/extender_binder.h"
#include "server/listeners/extender/extender_service.h"
#include "server/scheduler_config/scheduler_config.h"

namespace vicinal {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;
using Outcome = BindResult::Outcome;

// Two nodes to a zone; n1 has a pod that app=web pods like to be beside.
constexpr char kCluster[] = R"(
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: n1, labels: {zone: z1}}
  status: {allocatable: {pods: 110}}
- apiVersion: v1
  kind: Node
  metadata: {name: n2, labels: {zone: z1}}
  status: {allocatable: {pods: 110}}
- apiVersion: v1
  kind: Node
  metadata: {name: n3, labels: {zone: z2}}
  status: {allocatable: {pods: 110}}
)";

// A pod with one anti-affinity term to its own app, by zone.
std::string PodJson(const std::string& name, const std::string& app = "web",
                    const std::string& node = "",
                    const std::string& scheduler = "") {
  return R"({"metadata":{"namespace":"default","name":")" + name +
         R"(","uid":"uid-)" + name + R"(","labels":{"app":")" + app +
         R"("}},"spec":{"nodeName":")" + node + R"(","schedulerName":")" +
         scheduler +
         R"(","affinity":{"podAntiAffinity":{)"
         R"("requiredDuringSchedulingIgnoredDuringExecution":[{)"
         R"("topologyKey":"zone","labelSelector":{"matchLabels":{"app":")" +
         app + R"("}}}]}}}})";
}

std::string Question(const std::string& pod,
                     const std::string& nodes = R"(["n1","n2","n3"])") {
  return R"({"Pod":)" + pod + R"(,"NodeNames":)" + nodes + "}";
}

std::string Binding(const std::string& name, const std::string& node) {
  return R"({"PodName":")" + name +
         R"(","PodNamespace":"default","PodUID":"uid-)" + name +
         R"(","Node":")" + node + R"("})";
}

constexpr char kBound[] = R"({"Error":""})";

class ExtenderPlacementTest : public ::testing::Test {
 protected:
  ExtenderPlacementTest() {
    store_.Write([](ClusterState& cluster) { AddObjects(cluster, kCluster); });
    Use(ExtenderMode::kDecide);
  }

  void Use(ExtenderMode mode, SchedulerProfiles profiles = {}) {
    service_ = nullptr;
    binder_ = nullptr;
    profiles_ = std::move(profiles);
    ExtenderOptions options;
    options.mode = mode;
    options.seed = 1;
    service_ = std::make_unique<ExtenderService>(
        store_, *in_flight_, freshness_, metrics_, profiles_, options);
    binder_ = std::make_unique<ExtenderBinder>(
        store_, *in_flight_, freshness_, metrics_, profiles_,
        [this](const PodBinding& binding, BindCaller caller, const Done& done) {
          caller_ = std::move(caller);
          written_.push_back(binding);
          api_(binding, done);
        },
        std::chrono::seconds(60), read_pod_);
  }

  // As if the process had been started anew: the index is what the watch told.
  void Restart() {
    in_flight_ = std::make_unique<InFlightPods>(store_, metrics_, options_);
    Use(ExtenderMode::kDecide);
  }

  std::string Ask(const char* path, std::string body) {
    body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
    const HttpResponse response = service_->Handle({"POST", path, body});
    EXPECT_EQ(response.status, 200u) << response.body;
    return response.body;
  }
  std::string Filter(const std::string& pod,
                     const std::string& nodes = R"(["n1","n2","n3"])") {
    return Ask("/filter", Question(pod, nodes));
  }
  // The answer, or "" as long as there is none.
  std::string Bind(const std::string& name, const std::string& node) {
    std::string body = Binding(name, node);
    body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
    const auto answer = std::make_shared<std::string>();
    EXPECT_TRUE(binder_->Handle(
        {"POST", "/bind", body}, {asked_, nullptr},
        [answer](const HttpResponse& response) { *answer = response.body; }));
    return *answer;
  }

  void Watch(const std::string& json) {
    Pod pod = ParsePod(json);
    in_flight_->Upsert(std::move(pod));
  }

  // Where the index has a pod: a node, "pending" or "unknown".
  std::string Where(const std::string& name) const {
    return store_.Read([&](const ClusterState& cluster) -> std::string {
      const StoredPod* pod = cluster.FindPod({"default", name});
      if (pod == nullptr) return "unknown";
      return pod->node() == nullptr ? "pending" : pod->node()->Name();
    });
  }

  const InFlightPods::Options options_{.max_wait = milliseconds(50),
                                       .deadline = std::chrono::minutes(1)};
  ClusterStore store_;
  Freshness freshness_{{}, std::chrono::seconds(0)};
  Metrics metrics_;
  std::unique_ptr<InFlightPods> in_flight_ =
      std::make_unique<InFlightPods>(store_, metrics_, options_);
  std::vector<PodBinding> written_;
  using Done = std::function<void(BindResult)>;
  std::function<void(const PodBinding&, const Done&)> api_ =
      [](const PodBinding&, const Done& done) { done(BindResult()); };
  PodAsker read_pod_;  // Null: nobody asks the API server about a pod.
  const std::chrono::steady_clock::time_point asked_ =
      std::chrono::steady_clock::now();
  BindCaller caller_;  // Of the last binding.
  SchedulerProfiles profiles_;
  std::unique_ptr<ExtenderService> service_;
  std::unique_ptr<ExtenderBinder> binder_;
};

using ExtenderDecideTest = ExtenderPlacementTest;
using ExtenderAdviseTest = ExtenderPlacementTest;
using ExtenderBindTest = ExtenderPlacementTest;

TEST_F(ExtenderDecideTest, TheAnswerIsTheOneNodeWithTheBestScore) {
  Watch(PodJson("friend", "db", "n2"));
  const std::string pod =
      R"({"metadata":{"namespace":"default","name":"p","uid":"u"},"spec":{)"
      R"("affinity":{"podAffinity":{)"
      R"("preferredDuringSchedulingIgnoredDuringExecution":[{"weight":100,)"
      R"("podAffinityTerm":{"topologyKey":"zone","labelSelector":{)"
      R"("matchLabels":{"app":"db"}}}}]}}}})";
  EXPECT_EQ(Filter(pod, R"(["n2","n3"])"),
            R"({"Nodes":null,"NodeNames":["n2"],"FailedNodes":{},)"
            R"("FailedAndUnresolvableNodes":{},"Error":""})");
}

TEST_F(ExtenderDecideTest, TiesAreBrokenAtRandomByTheSeed) {
  std::map<std::string, int> chosen;
  for (int i = 0; i < 60; ++i) {
    const std::string answer =
        Filter(R"({"metadata":{"namespace":"default","name":"p"}})");
    for (const char* node : {"n1", "n2", "n3"}) {
      if (answer.find(R"("NodeNames":[")" + std::string(node) + R"("])") !=
          std::string::npos) {
        ++chosen[node];
      }
    }
  }
  EXPECT_EQ(chosen["n1"] + chosen["n2"] + chosen["n3"], 60);
  for (const auto& [node, count] : chosen) EXPECT_GT(count, 8) << node;
  EXPECT_EQ(chosen.size(), 3u);
}

TEST_F(ExtenderDecideTest, WhenNothingFitsEveryNodeHasItsReason) {
  Watch(PodJson("w1", "web", "n1"));
  EXPECT_EQ(Filter(PodJson("p"), R"(["n1","n2","n9"])"),
            R"({"Nodes":null,"NodeNames":[],"FailedNodes":{},)"
            R"("FailedAndUnresolvableNodes":{)"
            R"("n1":"node(s) didn't match pod anti-affinity rules",)"
            R"("n2":"node(s) didn't match pod anti-affinity rules",)"
            R"("n9":"node(s) not known to vicinal yet"},"Error":""})");
  EXPECT_EQ(Where("p"), "unknown");
}

TEST_F(ExtenderDecideTest, TheChoiceCountsAtOnce) {
  Filter(PodJson("p1"), R"(["n1"])");
  EXPECT_EQ(Where("p1"), "n1");
  EXPECT_THAT(Filter(PodJson("p2")), HasSubstr(R"("NodeNames":["n3"])"));
  EXPECT_THAT(Filter(PodJson("p3")), HasSubstr(R"("NodeNames":[])"));
}

TEST_F(ExtenderDecideTest, PrioritizeStillScores) {
  EXPECT_EQ(Ask("/prioritize", Question(PodJson("p"), R"(["n1"])")),
            R"([{"Host":"n1","Score":0}])");
}

TEST_F(ExtenderDecideTest, AnErrorOfScoringIsTheAnswersError) {
  const std::string pod =
      R"({"metadata":{"namespace":"default","name":"p","uid":"u"},"spec":{)"
      R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone",)"
      R"("whenUnsatisfiable":"ScheduleAnyway","labelSelector":{)"
      R"("matchExpressions":[{"key":"a","operator":"Near"}]}}]}})";
  EXPECT_THAT(Filter(pod), HasSubstr(R"("Error":"running PreScore plugin)"));
  EXPECT_EQ(Where("p"), "unknown");
}

TEST_F(ExtenderDecideTest, TheProfileIsThatOfThePodsScheduler) {
  const auto config = ReadSchedulerConfig(R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: near
- schedulerName: far
  plugins:
    score:
      disabled: [{name: InterPodAffinity}]
      enabled: [{name: InterPodAffinity, weight: 1}]
)");
  ASSERT_TRUE(config.ok()) << config.status();
  auto profiles = SchedulerProfiles::FromConfig(*config, false);
  ASSERT_TRUE(profiles.ok()) << profiles.status();
  Use(ExtenderMode::kDecide, *std::move(profiles));
  EXPECT_THAT(Filter(PodJson("p", "web", "", "near")),
              HasSubstr(R"("Error":"")"));
  EXPECT_THAT(Filter(PodJson("q", "db", "", "other")),
              HasSubstr("spec.schedulerName: the configuration of the "
                        "scheduler has no profile \\\"other\\\""));
}

TEST_F(ExtenderAdviseTest, OneNodeIsAssumedAndSeveralAreWaitedFor) {
  Use(ExtenderMode::kAdvise);
  EXPECT_THAT(Filter(PodJson("p1"), R"(["n1"])"),
              HasSubstr(R"("NodeNames":["n1"])"));
  EXPECT_EQ(Where("p1"), "n1");
  EXPECT_THAT(Filter(PodJson("q1", "db")),
              HasSubstr(R"("NodeNames":["n1","n2","n3"])"));
  EXPECT_THAT(Filter(PodJson("q2", "db")),
              HasSubstr("the place of pod default/q1 matters and is not "
                        "known"));
  // Others do not wait.
  EXPECT_THAT(Filter(PodJson("p2")), HasSubstr(R"("NodeNames":["n3"])"));
  EXPECT_EQ(Bind("q1", "n2"), kBound);
  EXPECT_THAT(Filter(PodJson("q2", "db")), HasSubstr(R"("NodeNames":["n3"])"));
}

TEST_F(ExtenderBindTest, IsWrittenWithTheUidAndCountsBeforeThat) {
  Use(ExtenderMode::kAdvise);
  Watch(PodJson("p"));
  Filter(PodJson("p"));
  EXPECT_EQ(Where("p"), "pending");
  api_ = [this](const PodBinding&, const Done& done) {
    EXPECT_EQ(Where("p"), "n2");
    done(BindResult());
  };
  EXPECT_EQ(Bind("p", "n2"), kBound);
  ASSERT_EQ(written_.size(), 1u);
  EXPECT_EQ(written_[0].namespace_name, "default");
  EXPECT_EQ(written_[0].name, "p");
  EXPECT_EQ(written_[0].uid, "uid-p");
  EXPECT_EQ(written_[0].node, "n2");
  EXPECT_EQ(Where("p"), "n2");
}

TEST_F(ExtenderBindTest, ARepeatedRequestIsASuccessAndWritesNothing) {
  Filter(PodJson("p"), R"(["n1"])");
  EXPECT_EQ(Bind("p", "n1"), kBound);
  EXPECT_EQ(Bind("p", "n1"), kBound);
  Watch(PodJson("p", "web", "n1"));
  EXPECT_EQ(Bind("p", "n1"), kBound);
  EXPECT_EQ(written_.size(), 1u);
  EXPECT_EQ(Bind("p", "n3"),
            R"({"Error":"the pod is bound to node \"n1\" already"})");
}

TEST_F(ExtenderBindTest, ARefusalIsTakenBackAndPassedOn) {
  Watch(PodJson("p"));
  Filter(PodJson("p"), R"(["n1"])");
  api_ = [](const PodBinding&, const Done& done) {
    done({Outcome::kRefused, "404: pods \"p\" not found"});
  };
  EXPECT_EQ(Bind("p", "n1"), R"({"Error":"404: pods \"p\" not found"})");
  EXPECT_EQ(Where("p"), "pending");
  EXPECT_THAT(metrics_.Render(),
              HasSubstr("vicinal_bindings_total{outcome=\"refused\"} 1"));
}

TEST_F(ExtenderBindTest, ThePlaceOfAPodThatTheAPIServerDoesNotHaveIsTakenBack) {
  for (const absl::StatusOr<Pod>& told :
       {absl::StatusOr<Pod>(absl::NotFoundError("404: pods \"p\" not found")),
        absl::StatusOr<Pod>(absl::UnavailableError("timed out")),
        absl::StatusOr<Pod>(ParsePod(R"({"metadata":{"namespace":"default",)"
                                     R"("name":"p","uid":"later"}})"))}) {
    read_pod_ = [&told](const ObjectKey&,
                        const std::function<void(absl::StatusOr<Pod>)>& done) {
      done(told);
    };
    Use(ExtenderMode::kDecide);
    Filter(PodJson("p"), R"(["n1"])");
    EXPECT_EQ(Where("p"), "n1");
    EXPECT_THAT(Bind("p", "n1"), Not(kBound)) << told.status();
    EXPECT_EQ(Where("p"), "unknown") << told.status();
  }
  EXPECT_TRUE(written_.empty());
}

TEST_F(ExtenderBindTest, ALaterAnswerOutlivesTheRefusalOfAnEarlierOne) {
  std::function<void(absl::StatusOr<Pod>)> tell;
  read_pod_ = [&tell](const ObjectKey&,
                      std::function<void(absl::StatusOr<Pod>)> done) {
    tell = std::move(done);
  };
  Use(ExtenderMode::kDecide);
  Filter(PodJson("p"), R"(["n1"])");
  Bind("p", "n1");
  Filter(PodJson("p"), R"(["n3"])");
  tell(absl::UnavailableError("timed out"));
  EXPECT_EQ(Where("p"), "n3");
}

TEST_F(ExtenderBindTest, ThePlaceStaysUntilTheOutcomeIsKnown) {
  Watch(PodJson("p"));
  Filter(PodJson("p"), R"(["n1"])");
  Done done;
  api_ = [&done](const PodBinding&, const Done& end) { done = end; };
  EXPECT_EQ(Bind("p", "n1"), "");
  EXPECT_EQ(Where("p"), "n1");
  // The scheduler tries again.
  constexpr char kWritten[] =
      "a binding of the pod to node \\\"n1\\\" is still being written";
  EXPECT_THAT(Filter(PodJson("p"), R"(["n3"])"), HasSubstr(kWritten));
  EXPECT_THAT(Bind("p", "n1"), HasSubstr(kWritten));
  EXPECT_EQ(Where("p"), "n1");
  done({Outcome::kUnknown, "timed out"});
  EXPECT_EQ(Where("p"), "pending");
  Filter(PodJson("p"), R"(["n3"])");
  EXPECT_EQ(Where("p"), "n3");
}

TEST_F(ExtenderBindTest, TheBindingIsWrittenForAsLongAsTheSchedulerWaits) {
  Filter(PodJson("p"), R"(["n1"])");
  EXPECT_EQ(Bind("p", "n1"), kBound);
  EXPECT_EQ(caller_.waits_until, asked_ + std::chrono::seconds(60));
}

constexpr char kLarge[] = R"(
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: big1}
  status: {allocatable: {cpu: 8, pods: 10}}
- apiVersion: v1
  kind: Node
  metadata: {name: big2}
  status: {allocatable: {cpu: 8, pods: 10}}
)";

// A pod that takes a whole node of kLarge.
std::string LargePod(const std::string& name) {
  return R"({"metadata":{"namespace":"default","name":")" + name +
         R"(","uid":"uid-)" + name +
         R"("},"spec":{"containers":[{"name":"c","resources":)"
         R"({"requests":{"cpu":"8"}}}]}})";
}

TEST_F(ExtenderBindTest, ALateBindOfAnEarlierAnswerIsRefused) {
  store_.Write([](ClusterState& cluster) { AddObjects(cluster, kLarge); });
  Watch(LargePod("p"));
  Watch(LargePod("q"));
  Filter(LargePod("p"), R"(["big1"])");
  Filter(LargePod("p"), R"(["big2"])");
  Filter(LargePod("q"), R"(["big1"])");
  EXPECT_EQ(Bind("q", "big1"), kBound);
  EXPECT_THAT(Bind("p", "big1"),
              HasSubstr(R"(the latest answer about the pod is node \"big2\")"));
  EXPECT_EQ(Bind("p", "big2"), kBound);
  EXPECT_EQ(written_.size(), 2u);
  EXPECT_EQ(Where("p"), "big2");
}

TEST_F(ExtenderBindTest, ABindOfARefusedPodIsRefused) {
  Watch(PodJson("p"));
  Filter(PodJson("p"), R"(["n1"])");
  Watch(PodJson("other", "web", "n2"));
  Filter(PodJson("p"), R"(["n1"])");
  EXPECT_THAT(Bind("p", "n1"),
              HasSubstr("the latest answer about the pod is that no node"));
}

TEST_F(ExtenderBindTest, ABindMustBeToANodeThatWasOffered) {
  Use(ExtenderMode::kAdvise);
  Watch(PodJson("p"));
  Filter(PodJson("p"), R"(["n1","n2"])");
  EXPECT_THAT(Bind("p", "n3"), HasSubstr("not among those"));
  EXPECT_EQ(Bind("p", "n2"), kBound);
}

TEST_F(ExtenderBindTest, WithoutAnAnswerOnRecordResourcesAreCheckedToo) {
  store_.Write([](ClusterState& cluster) { AddObjects(cluster, kLarge); });
  Watch(LargePod("p"));
  Watch(LargePod("q"));
  Filter(LargePod("q"), R"(["big1"])");
  EXPECT_EQ(Bind("p", "big1"), R"({"Error":"Insufficient cpu"})");
  EXPECT_EQ(Bind("p", "big2"), kBound);
}

// The scheduler finds out whether a group fits once others have gone: it takes
// them away in thought, and asks about one pod after the other.
TEST_F(ExtenderDecideTest, WhetherPodsOfAGroupHaveRoomTogetherIsTheSchedulers) {
  store_.Write([](ClusterState& cluster) {
    AddObjects(cluster, R"(
apiVersion: v1
kind: Node
metadata: {name: small, labels: {zone: z3}}
status: {allocatable: {pods: 2}})");
  });
  const auto member = [](const std::string& name, const std::string& group) {
    return R"({"metadata":{"namespace":"default","name":")" + name +
           R"(","uid":"uid-)" + name +
           R"("},"spec":{"schedulingGroup":{"podGroupName":")" + group +
           R"("}}})";
  };
  Watch(PodJson("victim", "db", "small"));
  for (const char* name : {"a", "b"}) {
    EXPECT_THAT(Filter(member(name, "g"), R"(["small"])"),
                HasSubstr(R"("NodeNames":["small"])"));
  }
  EXPECT_THAT(Filter(member("c", "another"), R"(["small"])"),
              HasSubstr("Too many pods"));
}

TEST_F(ExtenderDecideTest, ADryRunLeavesNothingBehind) {
  Watch(PodJson("p"));
  std::string question = Question(PodJson("p"), R"(["n1"])");
  question.insert(1, R"("DryRun":true,)");
  EXPECT_THAT(Ask("/filter", question), HasSubstr(R"("NodeNames":["n1"])"));
  EXPECT_EQ(Where("p"), "pending");
  EXPECT_THAT(Filter(PodJson("q"), R"(["n1"])"),
              HasSubstr(R"("NodeNames":["n1"])"));
}

TEST_F(ExtenderBindTest, AfterARestartTheRulesAreCheckedFirst) {
  Watch(PodJson("p"));
  Watch(PodJson("q"));
  Filter(PodJson("p"), R"(["n1"])");
  store_.Write([](ClusterState& cluster) {
    Pod pod = ParsePod(PodJson("p"));
    cluster.Upsert(std::move(pod));
  });
  Restart();
  Filter(PodJson("q"), R"(["n2"])");
  EXPECT_EQ(Bind("p", "n1"),
            R"({"Error":"node(s) didn't match pod anti-affinity rules"})");
  EXPECT_EQ(Where("p"), "pending");
  EXPECT_EQ(Bind("p", "n3"), kBound);
  EXPECT_EQ(Where("p"), "n3");
  EXPECT_EQ(Bind("p2", "n3"),
            R"({"Error":"the pod is not known to vicinal yet"})");
  EXPECT_EQ(written_.size(), 1u);
}

TEST_F(ExtenderBindTest, ANodeThatIsNotKnownIsRefused) {
  Watch(PodJson("p"));
  EXPECT_EQ(Bind("p", "n9"), R"({"Error":"node(s) not known to vicinal yet"})");
}

TEST_F(ExtenderBindTest, WithoutAnApiServerThereIsNothingToWriteTo) {
  binder_ = std::make_unique<ExtenderBinder>(store_, *in_flight_, freshness_,
                                             metrics_, profiles_, nullptr,
                                             std::chrono::seconds(60));
  EXPECT_THAT(Bind("p", "n1"), HasSubstr("watches no API server"));
}

TEST_F(ExtenderBindTest, ABodyThatCannotBeReadIsABadRequest) {
  std::string body = R"({"PodName":"a/b"})";
  body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  HttpResponse response;
  const HttpAnswer answer = [&](HttpResponse r) { response = std::move(r); };
  EXPECT_TRUE(binder_->Handle({"POST", "/bind", body}, {}, answer));
  EXPECT_EQ(response.status, 400u);
  EXPECT_EQ(response.body,
            R"({"error":"PodName: must be the name of an object, got )"
            R"(\"a/b\""})");
  EXPECT_FALSE(binder_->Handle({"GET", "/bind", body}, {}, answer));
  EXPECT_FALSE(binder_->Handle({"POST", "/filter", body}, {}, answer));
  EXPECT_EQ(service_->Handle({"GET", "/bind", body}).status, 405u);
}

TEST_F(ExtenderDecideTest, WhileBindingsQueueFilterWaitsAndThenFails) {
  std::atomic<bool> queue = true;
  ExtenderOptions options;
  options.max_hold = milliseconds(20);
  service_ = std::make_unique<ExtenderService>(
      store_, *in_flight_, freshness_, metrics_, profiles_, options,
      [&queue] { return std::chrono::seconds(queue ? 2 : 0); });
  std::string body = Question(PodJson("p"));
  body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  const HttpResponse response = service_->Handle({"POST", "/filter", body});
  EXPECT_EQ(response.status, 503u);
  EXPECT_THAT(response.body, HasSubstr("bindings queue"));
  queue = false;
  EXPECT_THAT(Filter(PodJson("p"), R"(["n1"])"),
              HasSubstr(R"("NodeNames":["n1"])"));
  EXPECT_THAT(metrics_.Render(), HasSubstr("vicinal_filter_held_back_total 1"));
}

}  // namespace
}  // namespace vicinal
