#include "server/listeners/extender/extender_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/model/read_objects.h"
#include "server/listeners/http/testing/raw_client.h"

namespace vicinal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Three zones, z1 with two nodes; n5 is in no zone, n6 has no labels at all.
constexpr char kCluster[] = R"(
apiVersion: v1
kind: NodeList
items:
- metadata: {name: n1, labels: {kubernetes.io/hostname: n1, zone: z1}}
- metadata: {name: n2, labels: {kubernetes.io/hostname: n2, zone: z1}}
- metadata: {name: n3, labels: {kubernetes.io/hostname: n3, zone: z2}}
- metadata: {name: n4, labels: {kubernetes.io/hostname: n4, zone: z3}}
- metadata: {name: n5, labels: {kubernetes.io/hostname: n5}}
- metadata: {name: n6}
---
apiVersion: v1
kind: PodList
items:
- metadata: {name: a1, labels: {app: a}}
  spec: {nodeName: n1}
- metadata: {name: b3, labels: {app: b}}
  spec: {nodeName: n3}
)";

// A question about a pod of namespace default with this `spec`.
std::string Question(std::string_view spec, std::string_view node_names,
                     std::string_view labels = "{}") {
  std::string json = R"({"Pod":{"metadata":{"name":"p","namespace":"default",)";
  json.append(R"("uid":"u1","labels":)").append(labels).append("},\"spec\":");
  json.append(spec).append(R"(},"Nodes":null,"NodeNames":)");
  return json.append(node_names).append("}");
}

// {podAffinity or podAntiAffinity: one required term}.
std::string RequiredTerm(std::string_view kind, std::string_view app,
                         std::string_view key) {
  std::string json = R"({"affinity":{")";
  json.append(kind).append(
      R"(":{"requiredDuringSchedulingIgnoredDuringExecution":[{)");
  json.append(R"("labelSelector":{"matchLabels":{"app":")").append(app);
  return json.append(R"("}},"topologyKey":")").append(key).append("\"}]}}}");
}

// The nodes that failed follow the unresolvable ones: see quiet_refusals.h.
std::string FilterResult(std::string_view node_names, std::string_view failed,
                         std::string_view unresolvable,
                         std::string_view error = "") {
  std::string refused(unresolvable.substr(0, unresolvable.size() - 1));
  if (refused.size() > 1 && failed.size() > 2) refused += ',';
  refused.append(failed.substr(1));
  std::string json = R"({"Nodes":null,"NodeNames":)";
  json.append(node_names).append(R"(,"FailedNodes":{})");
  json.append(R"(,"FailedAndUnresolvableNodes":)").append(refused);
  return json.append(R"(,"Error":")").append(error).append("\"}");
}

class ExtenderServiceTest : public ::testing::Test {
 protected:
  ExtenderServiceTest() { Load(kCluster); }

  void Load(std::string_view yaml) {
    absl::StatusOr<std::vector<Object>> objects = ReadObjects(yaml);
    ASSERT_TRUE(objects.ok()) << objects.status();
    store_.Write([&objects](ClusterState& cluster) {
      for (Object& object : *objects) cluster.Upsert(std::move(object));
    });
  }

  HttpResponse Handle(std::string_view method, std::string_view path,
                      std::string_view json) const {
    std::string body(json);
    body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
    return service_->Handle({method, path, body});
  }

  // The body of the answer, which must be OK.
  std::string Ask(std::string_view path, std::string_view json) const {
    HttpResponse response = Handle("POST", path, json);
    EXPECT_EQ(response.status, 200u) << response.body;
    EXPECT_EQ(response.content_type, "application/json");
    return std::move(response.body);
  }
  std::string Filter(std::string_view json) const {
    return Ask("/filter", json);
  }
  std::string Prioritize(std::string_view json) const {
    return Ask("/prioritize", json);
  }

  // Advises, and answers hypothetical questions: nothing is in flight.
  std::unique_ptr<ExtenderService> MakeService(const Freshness& freshness,
                                               ScoreScale scale) {
    ExtenderOptions options;
    options.mode = ExtenderMode::kAdvise;
    options.score_scale = scale;
    return std::make_unique<ExtenderService>(store_, in_flight_, freshness,
                                             metrics_, profiles_, options);
  }
  void Use(ScoreScale scale) { service_ = MakeService(freshness_, scale); }

  ClusterStore store_;
  Freshness freshness_{{}, std::chrono::seconds(0)};
  Metrics metrics_;
  InFlightPods in_flight_{store_, metrics_, {.enabled = false}};
  const SchedulerProfiles profiles_;
  std::unique_ptr<ExtenderService> service_ =
      MakeService(freshness_, ScoreScale::kExact);
};

TEST_F(ExtenderServiceTest, APodWithoutConstraintsFitsEverywhere) {
  EXPECT_EQ(Filter(Question("{}", R"(["n6","n1","n3"])")),
            FilterResult(R"(["n6","n1","n3"])", "{}", "{}"));
}

// An error, and no answer that leaves rules out.
TEST_F(ExtenderServiceTest, APodWithMoreRulesThanAreAnsweredForIsAnError) {
  std::string terms = R"({"topologyKey":"zone","labelSelector":{}})";
  for (int i = 1; i < 500; ++i) {
    terms.append(R"(,{"topologyKey":"zone","labelSelector":{}})");
  }
  const std::string question =
      Question(R"({"affinity":{"podAntiAffinity":{)"
               R"("requiredDuringSchedulingIgnoredDuringExecution":[)" +
                   terms + "]}}}",
               R"(["n1","n4"])");
  constexpr char kError[] = "cost 5000, which is more than 4000";
  const std::string answer = Filter(question);
  EXPECT_THAT(answer, HasSubstr(kError));
  EXPECT_THAT(answer, Not(HasSubstr("n4")));
  const HttpResponse scores = Handle("POST", "/prioritize", question);
  EXPECT_EQ(scores.status, 400u);
  EXPECT_THAT(scores.body, HasSubstr(kError));
  EXPECT_THAT(metrics_.Render(), HasSubstr("vicinal_oversized_pods_total 2\n"));
}

TEST_F(ExtenderServiceTest, OnlyTheNodesOfTheQuestionAreAnswered) {
  EXPECT_EQ(Filter(Question("{}", "[]")), FilterResult("[]", "{}", "{}"));
  EXPECT_EQ(Filter(Question("{}", R"(["n4"])")),
            FilterResult(R"(["n4"])", "{}", "{}"));
}

TEST_F(ExtenderServiceTest, WhatRemovedPodsCouldHealIsAFailedNode) {
  EXPECT_EQ(
      Filter(Question(RequiredTerm("podAntiAffinity", "a", "zone"),
                      R"(["n1","n2","n3","n5"])")),
      FilterResult(R"(["n3","n5"])",
                   R"({"n1":"node(s) didn't match pod anti-affinity rules",)"
                   R"("n2":"node(s) didn't match pod anti-affinity rules"})",
                   "{}"));
}

TEST_F(ExtenderServiceTest, WhatNothingCouldHealIsAnUnresolvableNode) {
  EXPECT_EQ(Filter(Question(RequiredTerm("podAffinity", "a", "zone"),
                            R"(["n1","n2","n3","n5"])")),
            FilterResult(R"(["n1","n2"])", "{}",
                         R"({"n3":"node(s) didn't match pod affinity rules",)"
                         R"("n5":"node(s) didn't match pod affinity rules"})"));
}

TEST_F(ExtenderServiceTest, OneAnswerHasEverySortOfNode) {
  const std::string spec = R"({"topologySpreadConstraints":[{"maxSkew":1,
      "topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule",
      "labelSelector":{"matchLabels":{"app":"a"}}}]})";
  EXPECT_EQ(
      Filter(Question(spec, R"(["n1","n3","n5","n9","n4"])", R"({"app":"a"})")),
      FilterResult(
          R"(["n3","n4"])",
          R"({"n1":"node(s) didn't match pod topology spread constraints",)"
          R"("n9":"node(s) not known to vicinal yet"})",
          R"({"n5":"node(s) didn't match pod topology spread constraints )"
          "(missing required label)\"}"));
}

TEST_F(ExtenderServiceTest, UnknownNodesAreRefused) {
  EXPECT_EQ(Filter(Question("{}", R"(["x","n1","","a\"b"])")),
            FilterResult(R"(["n1"])",
                         R"({"x":"node(s) not known to vicinal yet",)"
                         R"("":"node(s) not known to vicinal yet",)"
                         R"("a\"b":"node(s) not known to vicinal yet"})",
                         "{}"));
}

TEST_F(ExtenderServiceTest, OnlyTheNominatedNodeMayBePreemptedOn) {
  const std::string question =
      R"({"Pod":{"metadata":{"namespace":"default","name":"p"},"spec":)"
      "{" +
      RequiredTerm("podAntiAffinity", "a", "zone").substr(1) +
      R"(,"status":{"nominatedNodeName":"n2"}},"NodeNames":["n1","n2","n4"]})";
  EXPECT_EQ(Filter(question),
            R"({"Nodes":null,"NodeNames":["n4"],"FailedNodes":)"
            R"({"n2":"node(s) didn't match pod anti-affinity rules"},)"
            R"("FailedAndUnresolvableNodes":)"
            R"({"n1":"node(s) didn't match pod anti-affinity rules"},)"
            R"("Error":""})");
}

TEST_F(ExtenderServiceTest, ANodeHeardOfOnlyFromItsPodsIsUnknown) {
  Load(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: q}\n"
      "spec: {nodeName: n9}\n");
  const std::string question = Question("{}", R"(["n9"])");
  EXPECT_EQ(
      Filter(question),
      FilterResult("[]", R"({"n9":"node(s) not known to vicinal yet"})", "{}"));
  Load("apiVersion: v1\nkind: Node\nmetadata: {name: n9}\n");
  EXPECT_EQ(Filter(question), FilterResult(R"(["n9"])", "{}", "{}"));
}

TEST_F(ExtenderServiceTest, ExistingPodsTermsCount) {
  Load(R"(
apiVersion: v1
kind: Pod
metadata: {name: lonely}
spec:
  nodeName: n4
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: zone, labelSelector: {matchLabels: {app: c}}}
)");
  EXPECT_EQ(
      Filter(Question("{}", R"(["n3","n4"])", R"({"app":"c"})")),
      FilterResult(
          R"(["n3"])",
          R"({"n4":"node(s) didn't satisfy existing pods anti-affinity rules"})",
          "{}"));
  EXPECT_EQ(Filter(Question("{}", R"(["n3","n4"])", R"({"app":"d"})")),
            FilterResult(R"(["n3","n4"])", "{}", "{}"));
}

TEST_F(ExtenderServiceTest, AnInvalidAffinitySelectorFitsNowhere) {
  const std::string spec = R"({"affinity":{"podAntiAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone",
      "labelSelector":{"matchExpressions":[{"key":"app","operator":"Near"}]}}]
      }}})";
  const std::string answer = Filter(Question(spec, R"(["n1","n9"])"));
  EXPECT_THAT(answer, HasSubstr(R"("NodeNames":[],"FailedNodes":{},)"
                                R"("FailedAndUnresolvableNodes":{"n1":")"));
  EXPECT_THAT(answer, HasSubstr(R"("n9":"node(s) not known to vicinal yet")"));
  EXPECT_THAT(answer,
              HasSubstr(R"(\"Near\" is not a valid label selector operator)"));
  EXPECT_THAT(answer, HasSubstr(R"(,"Error":""})"));
}

constexpr char kInvalidSpread[] = R"({"topologySpreadConstraints":[{"maxSkew":1,
    "topologyKey":"zone","whenUnsatisfiable":"%s",
    "labelSelector":{"matchExpressions":[{"key":"app","operator":"Near"}]}}]})";

std::string InvalidSpread(const std::string& action) {
  std::string spec = kInvalidSpread;
  return spec.replace(spec.find("%s"), 2, action);
}

TEST_F(ExtenderServiceTest, AnInvalidSpreadSelectorIsTheAnswersError) {
  const std::string error =
      R"(running PreFilter plugin \"PodTopologySpread\": )"
      R"(get constraints from pod: obtaining pod's hard topology spread constraints: )"
      R"(\"Near\" is not a valid label selector operator)";
  for (const char* nodes : {R"(["n1","n2"])", "[]"}) {
    EXPECT_EQ(Filter(Question(InvalidSpread("DoNotSchedule"), nodes)),
              FilterResult("[]", "{}", "{}", error));
  }
}

// Affinity to zone z1 by preference, and a spread by which z1 and z3 are
// better than z2: b3 runs there.
constexpr char kPreferences[] = R"({
    "affinity":{"podAffinity":{
      "preferredDuringSchedulingIgnoredDuringExecution":[{"weight":10,
        "podAffinityTerm":{"topologyKey":"zone",
          "labelSelector":{"matchLabels":{"app":"a"}}}}]}},
    "topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone",
      "whenUnsatisfiable":"ScheduleAnyway",
      "labelSelector":{"matchLabels":{"app":"b"}}}]})";

TEST_F(ExtenderServiceTest, ExactScoresAreTwiceTheSumOfBothPlugins) {
  EXPECT_EQ(Prioritize(Question(kPreferences, R"(["n4","n1","n3"])")),
            R"([{"Host":"n4","Score":200},{"Host":"n1","Score":400},)"
            R"({"Host":"n3","Score":0}])");
}

TEST_F(ExtenderServiceTest, ExtenderScoresGoFromZeroToTen) {
  Use(ScoreScale::kExtender);
  EXPECT_EQ(Prioritize(Question(kPreferences, R"(["n4","n1","n3"])")),
            R"([{"Host":"n4","Score":5},{"Host":"n1","Score":10},)"
            R"({"Host":"n3","Score":0}])");
}

TEST_F(ExtenderServiceTest, ExtenderScoresAreRoundedDown) {
  // Affinity of 33, and of 100: 66 and 200 on the exact scale.
  const std::string spec = R"({"affinity":{"podAffinity":{
      "preferredDuringSchedulingIgnoredDuringExecution":[
        {"weight":33,"podAffinityTerm":{"topologyKey":"zone",
          "labelSelector":{"matchLabels":{"app":"a"}}}},
        {"weight":100,"podAffinityTerm":{"topologyKey":"zone",
          "labelSelector":{"matchLabels":{"app":"b"}}}}]}}})";
  const std::string question = Question(spec, R"(["n1","n3","n4"])");
  EXPECT_EQ(Prioritize(question),
            R"([{"Host":"n1","Score":66},{"Host":"n3","Score":200},)"
            R"({"Host":"n4","Score":0}])");
  Use(ScoreScale::kExtender);
  EXPECT_EQ(Prioritize(question),
            R"([{"Host":"n1","Score":1},{"Host":"n3","Score":5},)"
            R"({"Host":"n4","Score":0}])");
}

TEST_F(ExtenderServiceTest, WithoutPreferencesAllScoresAreZero) {
  EXPECT_EQ(Prioritize(Question("{}", R"(["n2","n1"])")),
            R"([{"Host":"n2","Score":0},{"Host":"n1","Score":0}])");
  EXPECT_EQ(Prioritize(Question("{}", "[]")), "[]");
}

TEST_F(ExtenderServiceTest, UnknownNodesScoreZero) {
  EXPECT_EQ(Prioritize(Question(kPreferences, R"(["n9","n1","n3"])")),
            R"([{"Host":"n1","Score":400},{"Host":"n3","Score":0},)"
            R"({"Host":"n9","Score":0}])");
}

TEST_F(ExtenderServiceTest, AnErrorOfScoringIsStatus500) {
  const HttpResponse response =
      Handle("POST", "/prioritize",
             Question(InvalidSpread("ScheduleAnyway"), R"(["n1","n2"])"));
  EXPECT_EQ(response.status, 500u);
  EXPECT_EQ(response.body,
            R"({"error":"running PreScore plugin \"PodTopologySpread\": )"
            R"(calculating preScoreState: obtaining pod's soft topology )"
            R"(spread constraints: \"Near\" is not a valid label selector )"
            R"(operator"})");
}

TEST_F(ExtenderServiceTest, AskingChangesNothing) {
  const std::string question =
      Question(RequiredTerm("podAntiAffinity", "a", "zone"), R"(["n1","n3"])",
               R"({"app":"a"})");
  const std::string first = Filter(question);
  EXPECT_EQ(Filter(question), first);
  EXPECT_EQ(Filter(question), first);
}

TEST_F(ExtenderServiceTest, AnswersFollowTheCluster) {
  const std::string question =
      Question(RequiredTerm("podAntiAffinity", "a", "zone"), R"(["n1","n4"])");
  EXPECT_THAT(Filter(question), HasSubstr(R"("NodeNames":["n4"])"));
  store_.Write([](ClusterState& cluster) {
    cluster.Remove<Pod>({"default", "a1"});
  });
  EXPECT_THAT(Filter(question), HasSubstr(R"("NodeNames":["n1","n4"])"));
  store_.Write([](ClusterState& cluster) { cluster.Remove<Node>({"", "n4"}); });
  EXPECT_THAT(Filter(question), HasSubstr(R"({"n4":"node(s) not known)"));
}

TEST_F(ExtenderServiceTest, UnknownVerbsAreNotFound) {
  for (const char* path : {"", "/", "filter", "/filter/", "//filter", "/Filter",
                           "/Bind", "/binds", "/healthz", "/filterx"}) {
    const HttpResponse response = Handle("POST", path, "{}");
    EXPECT_EQ(response.status, 404u) << path;
    EXPECT_EQ(response.body, R"({"error":"unknown verb"})");
  }
  EXPECT_EQ(Handle("GET", "/", "").status, 404u);
}

TEST_F(ExtenderServiceTest, OtherMethodsAreNotAllowed) {
  for (const char* path : {"/filter", "/prioritize"}) {
    for (const char* method : {"GET", "PUT", "HEAD", "post", ""}) {
      const HttpResponse response = Handle(method, path, Question("{}", "[]"));
      EXPECT_EQ(response.status, 405u) << method;
      EXPECT_EQ(response.allow, "POST") << method;
      EXPECT_EQ(response.body, R"({"error":"method must be POST"})");
    }
  }
}

TEST_F(ExtenderServiceTest, BodiesThatCannotBeReadAreBadRequests) {
  for (const char* path : {"/filter", "/prioritize"}) {
    HttpResponse response = Handle("POST", path, R"({"Pod":{"spec":7}})");
    EXPECT_EQ(response.status, 400u);
    EXPECT_EQ(response.body,
              R"({"error":"Pod.spec: must be an object, got 7"})");
    response = Handle("POST", path, "");
    EXPECT_EQ(response.status, 400u);
    EXPECT_THAT(response.body, HasSubstr("invalid JSON"));
  }
}

TEST_F(ExtenderServiceTest, QuestionsAreRefusedWhileTheStateIsNotFresh) {
  Freshness freshness({"pods"}, std::chrono::seconds(0));
  const auto service = MakeService(freshness, ScoreScale::kExact);
  std::string body = Question("{}", R"(["n1"])");
  body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  for (const char* path : {"/filter", "/prioritize"}) {
    const auto ask = [&] { return service->Handle({"POST", path, body}); };
    freshness.OnConnected("pods");
    freshness.OnListed("pods");
    EXPECT_EQ(ask().status, 200u);
    freshness.OnDisconnected(
        "pods", Freshness::Clock::now() - std::chrono::seconds(60));
    const HttpResponse stale = ask();
    EXPECT_EQ(stale.status, 503u);
    EXPECT_THAT(stale.body,
                HasSubstr(R"({"error":"pods: disconnected for 60 s)"));
  }
}

TEST_F(ExtenderServiceTest, QuestionsAreRefusedUntilEverythingIsListed) {
  Freshness freshness({"nodes", "pods"}, std::chrono::seconds(0));
  const auto service = MakeService(freshness, ScoreScale::kExact);
  freshness.OnListed("nodes");
  // What is asked does not matter, but for the verb and the method.
  const HttpResponse response = service->Handle({"POST", "/filter", ""});
  EXPECT_EQ(response.status, 503u);
  EXPECT_EQ(response.body, R"({"error":"pods: not listed yet"})");
  EXPECT_EQ(service->Handle({"GET", "/filter", ""}).status, 405u);
  EXPECT_EQ(service->Handle({"POST", "/other", ""}).status, 404u);
}

TEST_F(ExtenderServiceTest, RequestsAreCountedByVerbAndStatus) {
  Filter(Question("{}", "[]"));
  Filter(Question("{}", "[]"));
  Prioritize(Question("{}", "[]"));
  Handle("POST", "/filter", "nonsense");
  Handle("GET", "/prioritize", "");
  Handle("POST", "/made-up-by-a-client", "");
  const std::string metrics = metrics_.Render();
  const auto counted = [](const std::string& code, const std::string& verb,
                          int count) {
    return "vicinal_requests_total{code=\"" + code + "\",verb=\"" + verb +
           "\"} " + std::to_string(count) + "\n";
  };
  EXPECT_THAT(metrics, HasSubstr(counted("200", "filter", 2)));
  EXPECT_THAT(metrics, HasSubstr(counted("400", "filter", 1)));
  EXPECT_THAT(metrics, HasSubstr(counted("200", "prioritize", 1)));
  EXPECT_THAT(metrics, HasSubstr(counted("405", "prioritize", 1)));
  EXPECT_THAT(metrics, HasSubstr(counted("404", "other", 1)));
  EXPECT_THAT(metrics, Not(HasSubstr("made-up")));
}

TEST_F(ExtenderServiceTest, EachAnswerIsOfOneState) {
  // The only pod with app=c is always somewhere: on n1 or on n4.
  const auto move_to = [this](const char* node) {
    Pod pod;
    pod.meta.namespace_name = "default";
    pod.meta.name = "c";
    pod.meta.labels = Labels({{"app", "c"}});
    pod.spec.node_name = node;
    store_.Write([&pod](ClusterState& cluster) { cluster.Upsert(pod); });
  };
  move_to("n1");
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int i = 0; !done; ++i) move_to(i % 2 == 0 ? "n4" : "n1");
  });
  const std::string question =
      Question(RequiredTerm("podAntiAffinity", "c", "zone"), R"(["n1","n4"])");
  std::vector<std::thread> readers;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 2; ++t) {
    readers.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const std::string answer = Filter(question);
        const bool n1 =
            answer.find(R"("NodeNames":["n1"])") != std::string::npos;
        const bool n4 =
            answer.find(R"("NodeNames":["n4"])") != std::string::npos;
        if (n1 == n4) ++wrong;
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  done = true;
  writer.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(ExtenderServiceTest, AConnectionServesGoodQuestionsAfterBadOnes) {
  HttpServer::Options options;
  options.address = "127.0.0.1:0";
  const absl::StatusOr<std::unique_ptr<HttpServer>> server = HttpServer::Start(
      options,
      [this](const HttpRequest& request) { return service_->Handle(request); });
  ASSERT_TRUE(server.ok()) << server.status();
  RawClient client((*server)->address());
  const auto ask = [&client](const std::string& request) {
    EXPECT_TRUE(client.Send(request));
    return client.Receive().value_or(RawResponse());
  };
  const std::string good = Question("{}", R"(["n1"])");
  const std::vector<std::pair<int, std::string>> bad = {
      {400, Post("/filter", good.substr(0, good.size() / 2))},
      {400, Post("/filter", "")},
      {400, Post("/filter", R"({"Pod":[],"NodeNames":["n1"]})")},
      {400, Post("/prioritize", R"({"Pod":{},"NodeNames":"n1"})")},
      {400, Post("/filter", std::string(20 << 20, 'x'))},
      {400,
       Post("/filter", "{\"Pod\":\"" + std::string(20 << 20, 'x') + "\"}")},
      {404, Post("/", good)},
      {404, Post("/evict", good)},
      {405, "GET /filter HTTP/1.1\r\nHost: h\r\n\r\n"},
      {500, Post("/prioritize",
                 Question(InvalidSpread("ScheduleAnyway"), R"(["n1"])"))},
  };
  for (const auto& [status, request] : bad) {
    const RawResponse response = ask(request);
    EXPECT_EQ(response.status, status) << request.substr(0, 200);
    EXPECT_EQ(response.Field("Content-Type"), "application/json");
    EXPECT_THAT(response.body, ::testing::StartsWith("{\"error\":\""));
    EXPECT_LT(response.body.size(), 300u);
    EXPECT_THAT(response.body, Not(HasSubstr("\n")));
    const RawResponse next = ask(Post("/filter", good));
    EXPECT_EQ(next.status, 200);
    EXPECT_EQ(next.body, FilterResult(R"(["n1"])", "{}", "{}"));
  }
}

// A question about victims for a pod of priority 100 that `labels` and `spec`
// describe further.
std::string PreemptionQuestion(std::string_view affinity,
                               std::string_view candidates) {
  std::string json = R"({"Pod":{"metadata":{"name":"p","namespace":"default",)";
  json.append(R"("uid":"u1"},"spec":{"priority":100,)").append(affinity);
  json.append(R"(}},"NodeNameToVictims":null,"NodeNameToMetaVictims":)");
  return json.append(candidates).append("}");
}

class PreemptVerbTest : public ExtenderServiceTest {
 protected:
  PreemptVerbTest() {
    Load(R"(
apiVersion: v1
kind: PodList
items:
- metadata: {name: victim1, namespace: default, uid: v1, labels: {app: v}}
  spec: {nodeName: n1, priority: 5}
- metadata: {name: a2, namespace: default, uid: a2, labels: {app: a}}
  spec: {nodeName: n2, priority: 9}
- metadata: {name: victim2, namespace: default, uid: v2, labels: {app: v}}
  spec: {nodeName: n2, priority: 5}
- metadata: {name: vip3, namespace: default, uid: vip3, labels: {app: a}}
  spec: {nodeName: n3, priority: 100}
- metadata: {name: victim3, namespace: default, uid: v3, labels: {app: v}}
  spec: {nodeName: n3, priority: 5}
)");
  }

  static constexpr char kAwayFromA[] =
      R"("affinity":{"podAntiAffinity":)"
      R"({"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":)"
      R"({"matchLabels":{"app":"a"}},"topologyKey":"kubernetes.io/hostname"}]}})";
};

TEST_F(PreemptVerbTest, NodesAreKeptWithMoreVictimsOrDropped) {
  // a1 on n1 has no uid in this cluster; it has priority 0.
  EXPECT_EQ(Ask("/preempt",
                PreemptionQuestion(
                    kAwayFromA,
                    R"({"n2":{"Pods":[{"UID":"v2"}],"NumPDBViolations":2},)"
                    R"("n3":{"Pods":[{"UID":"v3"}],"NumPDBViolations":0},)"
                    R"("n4":{"Pods":[{"UID":"gone"}],"NumPDBViolations":1},)"
                    R"("n9":{"Pods":[{"UID":"v9"}],"NumPDBViolations":0}})")),
            R"({"NodeNameToMetaVictims":{)"
            R"("n2":{"Pods":[{"UID":"a2"},{"UID":"v2"}],"NumPDBViolations":2},)"
            R"("n4":{"Pods":[{"UID":"gone"}],"NumPDBViolations":1}}})");
}

TEST_F(PreemptVerbTest, NoCandidateIsAnAnswerToo) {
  EXPECT_EQ(Ask("/preempt", PreemptionQuestion(kAwayFromA, "{}")),
            R"({"NodeNameToMetaVictims":{}})");
}

TEST_F(PreemptVerbTest, TheClusterIsAsItWasForTheNextQuestion) {
  const std::string question =
      Question(RequiredTerm("podAntiAffinity", "a", "kubernetes.io/hostname"),
               R"(["n1","n2","n3","n4"])");
  const std::string before = Filter(question);
  Ask("/preempt",
      PreemptionQuestion(kAwayFromA, R"({"n2":{"Pods":[{"UID":"v2"}]}})"));
  EXPECT_EQ(Filter(question), before);
}

TEST_F(PreemptVerbTest, WhatCannotBeReadIsRefusedWithItsPath) {
  const HttpResponse response = Handle("POST", "/preempt", R"({"Pod":{}})");
  EXPECT_EQ(response.status, 400u);
  EXPECT_THAT(response.body, HasSubstr("NodeNameToMetaVictims: required"));
  EXPECT_EQ(Handle("GET", "/preempt", "").status, 405u);
}

TEST_F(PreemptVerbTest, AStaleStateIsNotAnsweredFrom) {
  const Freshness stale({"pods"}, std::chrono::seconds(0));
  service_ = MakeService(stale, ScoreScale::kExact);
  const HttpResponse response =
      Handle("POST", "/preempt", PreemptionQuestion(kAwayFromA, "{}"));
  EXPECT_EQ(response.status, 503u);
  EXPECT_THAT(response.body, HasSubstr("pods: not listed yet"));
}

TEST_F(PreemptVerbTest, NobodyIsEvictedForAPodThatIsBeingRescued) {
  RescuerOptions options;
  options.min_sample = 2;
  Rescuer rescuer(
      store_, metrics_,
      [this](const Pod&) { return &profiles_.Find("")->topology; },
      [](const Pod&, const std::string&) { return absl::OkStatus(); }, options);
  service_ = std::make_unique<ExtenderService>(
      store_, in_flight_, freshness_, metrics_, profiles_, ExtenderOptions(),
      nullptr, &rescuer);
  const std::string preempt = PreemptionQuestion(
      kAwayFromA, R"({"n1":{"Pods":[{"UID":"v1"}],"NumPDBViolations":0}})");
  const std::string away =
      RequiredTerm("podAntiAffinity", "a", "kubernetes.io/hostname");
  // Some node offered fits, or only one node was offered: no rescue.
  Filter(Question(away, R"(["n1","n4"])"));
  Filter(Question(away, R"(["n1"])"));
  EXPECT_NE(Ask("/preempt", preempt), R"({"NodeNameToMetaVictims":{}})");
  // n4 would do.
  Filter(Question(away, R"(["n1","n2"])"));
  EXPECT_EQ(Ask("/preempt", preempt), R"({"NodeNameToMetaVictims":{}})");
}

}  // namespace
}  // namespace vicinal
