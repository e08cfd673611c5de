// FilterNamed, Preempt, Bind and Explain as a client sees them, with an API
// server that takes bindings.
#include "server/listeners/grpc/grpc_extender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/testing/objects.h"
#include "server/kubernetes/api_client_pool.h"
#include "server/kubernetes/pod_binder.h"
#include "server/kubernetes/testing/plain_config.h"
#include "server/kubernetes/testing/test_http_server.h"
#include "server/listeners/grpc/grpc_server.h"
#include "server/listeners/grpc/testing/grpc_client.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kCluster[] = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
- {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {zone: z1}}, status: {allocatable: {pods: "9"}}}
- {apiVersion: v1, kind: Node, metadata: {name: n2, labels: {zone: z2}}, status: {allocatable: {pods: "9"}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: a1, namespace: shop, uid: u1, labels: {app: a}}
  spec: {nodeName: n1, priority: 1}
- apiVersion: v1
  kind: Pod
  metadata: {name: waits, namespace: shop, uid: u2, labels: {app: a}}
  spec:
    affinity:
      podAntiAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
        - {labelSelector: {matchLabels: {app: a}}, topologyKey: zone}
)";

class GrpcExtenderTest : public ::testing::Test {
 protected:
  GrpcExtenderTest() {
    store_.Write([](ClusterState& cluster) { AddObjects(cluster, kCluster); });
    const ClientConfig config = PlainConfigOf(api_server_);
    api_ = *ApiClientPool::Create(config, {}, {});
    binder_ = std::make_unique<PodBinder>(*api_, PodBinder::Options());
    GrpcServer::Options options;
    options.address = "127.0.0.1:0";
    options.max_threads = 16;
    server_ =
        *GrpcServer::Start(options, always_fresh_,
                           {{v1::Extender::service_full_name(), &service_}});
    stub_ = v1::Extender::NewStub(ConnectTo(server_->address()));
  }

  template <typename Request, typename Response>
  grpc::Status Ask(grpc::Status (v1::Extender::Stub::*method)(
                       grpc::ClientContext*, const Request&, Response*),
                   std::string_view request, Response* response) const {
    grpc::ClientContext context;
    return (stub_.get()->*method)(&context, FromJson<Request>(request),
                                  response);
  }

  grpc::Status Bind(std::string_view request) const {
    v1::BindResponse response;
    return Ask(&v1::Extender::Stub::Bind, request, &response);
  }

  // The list's id.
  std::string NameNodes(std::string_view request) const {
    v1::NameNodesResponse response;
    const grpc::Status status =
        Ask(&v1::Extender::Stub::NameNodes, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.list();
  }

  // The error of a request that cannot be read.
  template <typename Status>
  static std::string Invalid(const Status& status) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    return status.error_message();
  }

  std::atomic<bool> holds_ = false;  // The answers to bindings.
  int answer_ = 201;                 // To a binding.
  TestHttpServer api_server_{
      {}, [this](const TestRequest&, TestReply& reply) {
        holds_.wait(true);
        reply.Send(answer_, R"({"kind":"Status","message":"no room"})");
      }};
  ClusterStore store_;
  Freshness always_fresh_{{}, std::chrono::seconds(0)};
  Metrics metrics_;
  InFlightPods in_flight_{store_, metrics_, {}};
  std::unique_ptr<ApiClientPool> api_;
  std::unique_ptr<PodBinder> binder_;
  const SchedulerProfiles profiles_;
  const ExtenderService extender_engine_{store_,   in_flight_, always_fresh_,
                                         metrics_, profiles_,  {}};
  const ExtenderBinder extender_binder_{
      store_,
      in_flight_,
      always_fresh_,
      metrics_,
      profiles_,
      [this](const PodBinding& binding, BindCaller caller,
             std::function<void(BindResult)> done) {
        binder_->Bind(binding, std::move(caller), std::move(done));
      },
      std::chrono::seconds(60)};
  LiveExplainer explainer_{store_, always_fresh_, profiles_};
  const GrpcRoles roles_ = GrpcRoles::Everything();
  GrpcExtender service_{extender_engine_, extender_binder_, explainer_,
                        store_,           metrics_,         roles_};
  std::unique_ptr<GrpcServer> server_;
  std::unique_ptr<v1::Extender::Stub> stub_;
};

TEST_F(GrpcExtenderTest, BindWritesTheBinding) {
  const grpc::Status status = Bind(
      R"({"podName":"waits","podNamespace":"shop","podUID":"u2","node":"n2"})");
  EXPECT_TRUE(status.ok()) << status.error_message();
  ASSERT_THAT(api_server_.requests(), SizeIs(1));
  EXPECT_EQ(api_server_.requests()[0].target,
            "/api/v1/namespaces/shop/pods/waits/binding");
  EXPECT_THAT(api_server_.requests()[0].body, HasSubstr(R"("uid":"u2")"));
  // It counts at once.
  v1::FilterResponse response;
  EXPECT_TRUE(Ask(&v1::Extender::Stub::Filter,
                  R"({"allNodes":true,"pod":{"metadata":{"name":"p",
                      "namespace":"shop","labels":{"app":"a"}}}})",
                  &response)
                  .ok());
  EXPECT_THAT(response.node_names(), ElementsAre("n1"));
}

TEST_F(GrpcExtenderTest, BindingsThatBreakARuleAreNotWritten) {
  const grpc::Status status = Bind(
      R"({"podName":"waits","podNamespace":"shop","podUID":"u2","node":"n1"})");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(status.error_message(),
            "node(s) didn't match pod anti-affinity rules");
  EXPECT_THAT(api_server_.requests(), SizeIs(0));
}

TEST_F(GrpcExtenderTest, TheApiServersRefusalIsPassedOn) {
  answer_ = 409;
  const grpc::Status status = Bind(
      R"({"podName":"waits","podNamespace":"shop","podUID":"u2","node":"n2"})");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("no room"));
}

TEST_F(GrpcExtenderTest, BindingsThatWaitHoldNoThreads) {
  constexpr std::size_t kBindings = 40;
  std::string objects = R"(
apiVersion: v1
kind: Node
metadata: {name: large}
status: {allocatable: {pods: 100}}
---
apiVersion: v1
kind: PodList
items:
)";
  for (std::size_t i = 0; i < kBindings; ++i) {
    const std::string name = "w" + std::to_string(i);
    objects += "- {metadata: {name: " + name +
               ", namespace: shop, uid: " + name + "}}\n";
  }
  store_.Write([&](ClusterState& cluster) { AddObjects(cluster, objects); });
  holds_ = true;
  struct Call {
    grpc::ClientContext context;
    v1::BindRequest request;
    v1::BindResponse response;
    std::promise<grpc::Status> end;
  };
  std::vector<Call> calls(kBindings);
  for (std::size_t i = 0; i < kBindings; ++i) {
    Call& call = calls[i];
    const std::string name = "w" + std::to_string(i);
    call.request = FromJson<v1::BindRequest>(
        R"({"podNamespace":"shop","node":"large","podName":")" + name +
        R"(","podUID":")" + name + "\"}");
    stub_->async()->Bind(
        &call.context, &call.request, &call.response,
        [&call](grpc::Status status) { call.end.set_value(status); });
  }
  EXPECT_TRUE(api_server_.WaitForRequests(kBindings));
  v1::FilterResponse response;
  EXPECT_TRUE(Ask(&v1::Extender::Stub::Filter,
                  R"({"allNodes":true,"pod":{"metadata":{"name":"p"}}})",
                  &response)
                  .ok());
  // Who gives up is answered at once.
  calls[0].context.TryCancel();
  EXPECT_EQ(calls[0].end.get_future().get().error_code(),
            grpc::StatusCode::CANCELLED);
  holds_ = false;
  holds_.notify_all();
  for (std::size_t i = 1; i < kBindings; ++i) {
    const grpc::Status status = calls[i].end.get_future().get();
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
}

TEST_F(GrpcExtenderTest, PreemptAddsWhoIsInTheWay) {
  const std::string pod = R"({"metadata":{"name":"p","namespace":"shop",
      "uid":"p"},"spec":{"priority":10,"affinity":{"podAntiAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":
      "zone","labelSelector":{"matchLabels":{"app":"a"}}}]}}}})";
  const std::string question =
      "{\"pod\":" + pod +
      R"(,"nodeNameToMetaVictims":{"n1":{"numPDBViolations":3},"n9":{}}})";
  v1::PreemptResponse response;
  EXPECT_EQ(Ask(&v1::Extender::Stub::Preempt, question, &response).error_code(),
            grpc::StatusCode::UNAVAILABLE);
  in_flight_.Upsert(ParsePod(pod));
  const grpc::Status status =
      Ask(&v1::Extender::Stub::Preempt, question, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_THAT(response.node_name_to_meta_victims(), SizeIs(1));
  const v1::MetaVictims& victims =
      response.node_name_to_meta_victims().at("n1");
  EXPECT_EQ(victims.num_pdb_violations(), 3);
  ASSERT_THAT(victims.pods(), SizeIs(1));
  EXPECT_EQ(victims.pods(0).uid(), "u1");
}

TEST_F(GrpcExtenderTest, ExplainNamesThePodInTheWay) {
  v1::ExplainResponse response;
  const grpc::Status status =
      Ask(&v1::Extender::Stub::Explain,
          R"({"knownPod":{"namespace":"shop","name":"waits"}})", &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  const v1::Explanation& explanation = response.explanation();
  EXPECT_EQ(explanation.name(), "waits");
  EXPECT_EQ(explanation.nodes_fitting(), 1);
  ASSERT_THAT(explanation.nodes(), SizeIs(2));
  const v1::ExplainedNode& closed = explanation.nodes(0);
  EXPECT_EQ(closed.code(), "Unschedulable");
  ASSERT_THAT(closed.causes(), SizeIs(1));
  EXPECT_EQ(closed.causes(0).domain(), "z1");
  ASSERT_THAT(closed.causes(0).blocking_pods(), SizeIs(1));
  EXPECT_EQ(closed.causes(0).blocking_pods(0).name(), "a1");
  EXPECT_EQ(closed.causes(0).blocking_pods_total(), 1);
}

TEST_F(GrpcExtenderTest, NodesAreNamedOnceAndThenHaveNumbers) {
  const std::string list = NameNodes(R"({"names":["n1","n9","n2"]})");
  v1::FilterNamedResponse response;
  const std::string question =
      "{\"list\":\"" + list + R"(","questions":[{"pod":{"metadata":{"name":"p",
      "namespace":"shop"},"spec":{"affinity":{"podAntiAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":
      "zone","labelSelector":{"matchLabels":{"app":"a"}}}]}}}}}]})";
  ASSERT_TRUE(Ask(&v1::Extender::Stub::FilterNamed, question, &response).ok());
  ASSERT_THAT(response.answers(), SizeIs(1));
  EXPECT_EQ(response.answers(0).fitting(), "\x04");
  // In decide mode the one to take is all there is to say.
  EXPECT_THAT(response.answers(0).refused(), SizeIs(0));

  // The one that fits is gone, and the unknown one comes.
  store_.Write([](ClusterState& cluster) {
    cluster.Remove<Node>(ObjectKey{"", "n2"});
  });
  ASSERT_TRUE(Ask(&v1::Extender::Stub::FilterNamed, question, &response).ok());
  EXPECT_EQ(response.answers(0).fitting(), "");
  ASSERT_THAT(response.answers(0).refused(), SizeIs(2));
  EXPECT_EQ(response.answers(0).refused(0).reason(),
            "node(s) didn't match pod anti-affinity rules");
  EXPECT_THAT(response.answers(0).refused(0).nodes(), ElementsAre(0));
  EXPECT_EQ(response.answers(0).refused(1).reason(),
            "node(s) not known to vicinal yet");
  EXPECT_THAT(response.answers(0).refused(1).nodes(), ElementsAre(1, 2));
  store_.Write([](ClusterState& cluster) {
    AddObjects(cluster, R"(
apiVersion: v1
kind: Node
metadata: {name: n9, labels: {zone: z9}}
status: {allocatable: {pods: 9}}
)");
  });
  ASSERT_TRUE(Ask(&v1::Extender::Stub::FilterNamed, question, &response).ok());
  EXPECT_EQ(response.answers(0).fitting(), "\x02");
}

TEST_F(GrpcExtenderTest, OfSeveralPodsOneCountsForTheNext) {
  const std::string list = NameNodes(R"({"names":["n1","n2"]})");
  store_.Write([](ClusterState& cluster) {
    AddObjects(cluster, R"(
apiVersion: v1
kind: Pod
metadata: {name: waits-2, namespace: shop, uid: u3, labels: {app: a}}
spec: {}
)");
  });
  const std::string pods[] = {"waits", "waits-2"};
  std::string question = "{\"list\":\"" + list + R"(","questions":[)";
  for (const std::string& pod : pods) {
    question +=
        R"({"pod":{"metadata":{"namespace":"shop","labels":{"app":"a"},"name":")" +
        pod + R"(","uid":")" + (pod == "waits" ? "u2" : "u3") +
        R"("},"spec":{"affinity":{"podAntiAffinity":{
        "requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":
        "zone","labelSelector":{"matchLabels":{"app":"a"}}}]}}}}},)";
  }
  v1::FilterNamedResponse response;
  const grpc::Status status = Ask(&v1::Extender::Stub::FilterNamed,
                                  question + R"({},{"pod":{}}]})", &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_THAT(response.answers(), SizeIs(4));
  EXPECT_EQ(response.answers(0).fitting(), "\x02");
  EXPECT_EQ(response.answers(1).fitting(), "");
  ASSERT_THAT(response.answers(1).refused(), SizeIs(1));
  EXPECT_EQ(response.answers(1).refused(0).nodes_size(), 2);
  // One that cannot be read harms no other.
  EXPECT_EQ(response.answers(2).error().code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(response.answers(2).error().message(),
            "questions[2].pod: required");
  EXPECT_EQ(response.answers(3).error().code(), grpc::StatusCode::OK);
  EXPECT_THAT(metrics_.Render(),
              HasSubstr("vicinal_grpc_requests_total{code=\"INVALID_ARGUMENT\","
                        "method=\"Extender/FilterNamed/question\"} 1\n"));
}

TEST_F(GrpcExtenderTest, AListThatVicinalLacksIsToBeNamedAgain) {
  v1::FilterNamedResponse response;
  const std::string digits(64, '0');
  const grpc::Status status = Ask(
      &v1::Extender::Stub::FilterNamed,
      "{\"list\":\"" + digits + R"(","questions":[{"pod":{}}]})", &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(),
            "list: \"" + digits + "\": no such list: call NameNodes");
}

TEST_F(GrpcExtenderTest, MistakesNameTheField) {
  v1::FilterNamedResponse named;
  EXPECT_EQ(Invalid(Ask(&v1::Extender::Stub::FilterNamed, "{}", &named)),
            "list: must have 64 digits, got 0");
  EXPECT_EQ(
      Invalid(Ask(&v1::Extender::Stub::FilterNamed,
                  "{\"list\":\"" + NameNodes(R"({"names":["n1"]})") + "\"}",
                  &named)),
      "questions: required");
  v1::NameNodesResponse list;
  EXPECT_EQ(Invalid(Ask(&v1::Extender::Stub::NameNodes, "{}", &list)),
            "names: required");

  EXPECT_EQ(Invalid(Bind("{}")), "podName: required");
  EXPECT_EQ(Invalid(Bind(R"({"podName":"p","podNamespace":"a/b"})")),
            "podNamespace: must be the name of an object, got \"a/b\"");
  EXPECT_EQ(Invalid(Bind(R"({"podName":"p","podNamespace":"a","node":"n"})")),
            "podUID: required");
  v1::PreemptResponse preempted;
  EXPECT_EQ(Invalid(Ask(&v1::Extender::Stub::Preempt, "{}", &preempted)),
            "pod: required");
  EXPECT_EQ(
      Invalid(Ask(&v1::Extender::Stub::Preempt,
                  R"({"pod":{},"nodeNameToMetaVictims":{"n1":{"pods":[{}]}}})",
                  &preempted)),
      "nodeNameToMetaVictims.n1.pods[0]: the pod must have a uid");
  v1::ExplainResponse explained;
  EXPECT_EQ(Invalid(Ask(&v1::Extender::Stub::Explain, "{}", &explained)),
            "pod: required, or knownPod");
  EXPECT_EQ(Invalid(Ask(&v1::Extender::Stub::Explain, R"({"knownPod":{}})",
                        &explained)),
            "knownPod.name: required");
  const grpc::Status unknown =
      Ask(&v1::Extender::Stub::Explain, R"({"knownPod":{"name":"nobody"}})",
          &explained);
  EXPECT_EQ(unknown.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(unknown.error_message(), HasSubstr("default/nobody"));
}

}  // namespace
}  // namespace vicinal
