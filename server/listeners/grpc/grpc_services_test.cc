// The services as a client sees them, over a real connection.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "server/listeners/grpc/feed_events.h"
#include "server/listeners/grpc/grpc_cluster_state.h"
#include "server/listeners/grpc/grpc_extender.h"
#include "server/listeners/grpc/grpc_server.h"
#include "server/listeners/grpc/testing/grpc_client.h"
#include "server/listeners/http/testing/raw_client.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr std::chrono::seconds kPatience{10};

v1::Object NodeObject(std::string_view name, std::string_view zone) {
  std::string json = R"({"node":{"metadata":{"name":")";
  json.append(name).append(R"(","labels":{"zone":")").append(zone);
  return FromJson<v1::Object>(json.append(R"("}}}})"));
}

v1::Object PodObject(std::string_view name, std::string_view node) {
  std::string json = R"({"pod":{"metadata":{"name":")";
  json.append(name).append(R"(","labels":{"app":"a"}},"spec":{"nodeName":")");
  return FromJson<v1::Object>(json.append(node).append("\"}}}"));
}

v1::FeedRequest Event(std::string_view json) {
  return FromJson<v1::FeedRequest>(json);
}

v1::FeedRequest Upsert(v1::Object object) {
  v1::FeedRequest event;
  *event.mutable_upsert() = std::move(object);
  return event;
}

// A pod that must not be where one of app=a is.
constexpr char kAvoidsA[] = R"({"metadata":{"name":"p"},"spec":{"affinity":{
    "podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
    {"labelSelector":{"matchLabels":{"app":"a"}},"topologyKey":"zone"}]}}}})";

class GrpcServicesTest : public ::testing::Test {
 protected:
  explicit GrpcServicesTest(bool fed = true)
      : cluster_state_service_(store_, fed ? &freshness_ : nullptr, roles_) {
    GrpcServer::Options options;
    options.address = "127.0.0.1:0";
    server_ = *GrpcServer::Start(
        options, freshness_,
        {{v1::Extender::service_full_name(), &extender_service_},
         {v1::ClusterState::service_full_name(), &cluster_state_service_}});
    channel_ = ConnectTo(server_->address());
    extender_ = v1::Extender::NewStub(channel_);
    cluster_state_ = v1::ClusterState::NewStub(channel_);
  }

  std::vector<v1::FeedRequest> TwoZones() const {
    return WholeState({NodeObject("n1", "z1"), NodeObject("n2", "z2"),
                       PodObject("a1", "n1")});
  }

  void FeedTwoZones() {
    const FeedResult fed = Feed(*cluster_state_, TwoZones());
    ASSERT_TRUE(fed.status.ok()) << fed.status.error_message();
  }

  grpc::Status Filter(std::string_view request,
                      v1::FilterResponse* response) const {
    grpc::ClientContext context;
    return extender_->Filter(&context, FromJson<v1::FilterRequest>(request),
                             response);
  }

  // Asks for all nodes, where the pod fits.
  std::vector<std::string> Fitting(std::string_view pod) const {
    v1::FilterResponse response;
    const grpc::Status status = Filter(
        std::string(R"({"pod":)").append(pod).append(R"(,"allNodes":true})"),
        &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return {response.node_names().begin(), response.node_names().end()};
  }

  std::string ErrorOf(std::string_view request) const {
    v1::FilterResponse response;
    const grpc::Status status = Filter(request, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    return status.error_message();
  }

  // Of one event after FeedTwoZones.
  std::string FeedErrorOf(std::string_view event) const {
    const FeedResult fed = Feed(*cluster_state_, {Event(event)});
    EXPECT_EQ(fed.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    return fed.status.error_message();
  }

  bool IsFresh() const {
    return freshness_.Check(Freshness::Clock::now() + std::chrono::seconds(1))
        .ok();
  }

  // "kind namespace/name" of all objects.
  std::vector<std::string> Snapshot() const {
    grpc::ClientContext context;
    const auto reader = cluster_state_->Snapshot(&context, {});
    std::vector<std::string> names;
    v1::SnapshotResponse part;
    while (reader->Read(&part)) {
      for (const v1::Object& object : part.objects()) {
        switch (object.kind_case()) {
          case v1::Object::kNode:
            names.push_back("node " + object.node().metadata().name());
            break;
          case v1::Object::kPod:
            names.push_back("pod " + object.pod().metadata().namespace_() +
                            "/" + object.pod().metadata().name());
            break;
          case v1::Object::kService:
            names.push_back("service " +
                            object.service().metadata().namespace_() + "/" +
                            object.service().metadata().name());
            break;
          default:
            names.push_back(object.ShortDebugString());
        }
      }
    }
    EXPECT_TRUE(reader->Finish().ok());
    return names;
  }

  void AwaitHealth(const std::string& service, const std::string& wanted) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    std::string health;
    while ((health = Health(channel_, service)) != wanted &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(health, wanted) << service;
  }

  ClusterStore store_;
  Freshness freshness_{{FeedEvents::kResource}, std::chrono::seconds(0)};
  Metrics metrics_;
  InFlightPods in_flight_{store_, metrics_, {.enabled = false}};
  const SchedulerProfiles profiles_;
  const ExtenderService extender_engine_{
      store_,   in_flight_, freshness_,
      metrics_, profiles_,  {.mode = ExtenderMode::kAdvise}};
  const ExtenderBinder binder_{store_,
                               in_flight_,
                               freshness_,
                               metrics_,
                               profiles_,
                               nullptr,
                               std::chrono::seconds(60)};
  const LiveExplainer explainer_{store_, freshness_, profiles_};
  const GrpcRoles roles_ = GrpcRoles::Everything();
  GrpcExtender extender_service_{extender_engine_, binder_,  explainer_,
                                 store_,           metrics_, roles_};
  GrpcClusterState cluster_state_service_;
  std::unique_ptr<GrpcServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Extender::Stub> extender_;
  std::unique_ptr<v1::ClusterState::Stub> cluster_state_;
};

class NotFedTest : public GrpcServicesTest {
 protected:
  NotFedTest() : GrpcServicesTest(false) {}
};

TEST_F(GrpcServicesTest, FilterSaysWhereAPodFitsAndWhyNotElsewhere) {
  FeedTwoZones();
  v1::FilterResponse response;
  const std::string request = std::string(R"({"pod":)") + kAvoidsA +
                              R"(,"nodeNames":["n2","n9","n1"]})";
  const grpc::Status status = Filter(request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_THAT(response.node_names(), ElementsAre("n2"));
  EXPECT_THAT(response.failed_nodes(),
              UnorderedElementsAre(
                  Pair("n1", "node(s) didn't match pod anti-affinity rules"),
                  Pair("n9", "node(s) not known to vicinal yet")));
  EXPECT_THAT(response.failed_and_unresolvable_nodes(), IsEmpty());
}

TEST_F(GrpcServicesTest, PrioritizeScoresTheNodes) {
  FeedTwoZones();
  grpc::ClientContext context;
  v1::PrioritizeResponse response;
  const grpc::Status status = extender_->Prioritize(
      &context, FromJson<v1::PrioritizeRequest>(R"({"allNodes":true,"pod":{
          "metadata":{"name":"p"},"spec":{"affinity":{"podAntiAffinity":{
          "preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,
          "podAffinityTerm":{"labelSelector":{},"topologyKey":"zone"}}]}}}}})"),
      &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response.host_priorities_size(), 2);
  EXPECT_EQ(response.host_priorities(0).host(), "n1");
  EXPECT_EQ(response.host_priorities(1).host(), "n2");
  EXPECT_EQ(
      response.host_priorities(1).score() - response.host_priorities(0).score(),
      200);
}

TEST_F(GrpcServicesTest, WhatCannotBeReadIsNamed) {
  FeedTwoZones();
  EXPECT_EQ(ErrorOf("{}"), "pod: required");
  EXPECT_EQ(ErrorOf(R"({"pod":{}})"),
            "nodeNames: required, unless allNodes is true");
  EXPECT_EQ(ErrorOf(R"({"pod":{},"nodeNames":["n1"],"allNodes":true})"),
            "nodeNames: must be empty if allNodes is true");
  EXPECT_EQ(ErrorOf(R"({"allNodes":true,"pod":{"spec":{
                "topologySpreadConstraints":[{"topologyKey":"zone",
                "whenUnsatisfiable":"DoNotSchedule"},{"maxSkew":1}]}}})"),
            "pod.spec.topologySpreadConstraints[1].topologyKey: required");
  EXPECT_EQ(
      ErrorOf(R"({"allNodes":true,"pod":{"spec":{"affinity":{"podAffinity":{
          "preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,
          "podAffinityTerm":{}}]}}}}})"),
      "pod.spec.affinity.podAffinity."
      "preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm."
      "topologyKey: required");
  EXPECT_THAT(ErrorOf(R"({"allNodes":true,"pod":{"spec":{"containers":[{},
                  {"resources":{"requests":{"cpu":"1x"}}}]}}})"),
              ::testing::AllOf(
                  HasSubstr("pod.spec.containers[1].resources.requests.cpu: "),
                  HasSubstr("got \"1x\"")));
  EXPECT_THAT(metrics_.Render(),
              HasSubstr("vicinal_grpc_requests_total{code=\"INVALID_ARGUMENT\","
                        "method=\"Extender/Filter\"} 6\n"));
}

TEST_F(GrpcServicesTest, APluginsErrorIsInternal) {
  FeedTwoZones();
  v1::FilterResponse response;
  const grpc::Status status = Filter(R"({"allNodes":true,"pod":{"spec":{
      "topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone",
      "whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchExpressions":
      [{"key":"a","operator":"Near"}]}}]}}})",
                                     &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_THAT(status.error_message(), HasSubstr("\"Near\""));
}

TEST_F(GrpcServicesTest, AMessageThatIsTooLargeIsRefused) {
  FeedTwoZones();
  v1::FilterRequest request;
  request.mutable_pod();
  request.add_node_names(std::string(65 << 20, 'x'));
  grpc::ClientContext context;
  v1::FilterResponse response;
  EXPECT_EQ(extender_->Filter(&context, request, &response).error_code(),
            grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(Fitting("{}"), ElementsAre("n1", "n2"));
}

TEST_F(GrpcServicesTest, QuestionsAreRefusedUntilTheStateHasBeenTold) {
  v1::FilterResponse response;
  grpc::Status status = Filter(R"({"pod":{},"allNodes":true})", &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(status.error_message(), "fed state: not listed yet");

  // Without initial_events_end, which is the last but one.
  std::vector<v1::FeedRequest> events = TwoZones();
  events.erase(events.end() - 2);
  EXPECT_TRUE(Feed(*cluster_state_, events).status.ok());
  EXPECT_EQ(Filter(R"({"pod":{},"allNodes":true})", &response).error_code(),
            grpc::StatusCode::UNAVAILABLE);

  FeedTwoZones();
  EXPECT_THAT(Fitting("{}"), ElementsAre("n1", "n2"));
}

TEST_F(GrpcServicesTest, ALaterStreamGoesOnWithWhatHasChanged) {
  FeedTwoZones();
  EXPECT_THAT(Fitting(kAvoidsA), ElementsAre("n2"));
  const FeedResult fed =
      Feed(*cluster_state_,
           {Upsert(PodObject("a2", "n2")),
            Event(R"({"delete":{"kind":"Pod","name":"a1"}})"),
            Event(R"({"delete":{"kind":"Pod","name":"never seen"}})"),
            Event(R"({"end":{}})")});
  ASSERT_TRUE(fed.status.ok()) << fed.status.error_message();
  EXPECT_EQ(fed.events, 4);
  EXPECT_THAT(Fitting(kAvoidsA), ElementsAre("n1"));
}

TEST_F(GrpcServicesTest, WhatANewListDoesNotHaveIsGone) {
  FeedTwoZones();
  ASSERT_TRUE(
      Feed(*cluster_state_,
           WholeState({NodeObject("n3", "z3"), NodeObject("n1", "z1"),
                       FromJson<v1::Object>(
                           R"({"service":{"metadata":{"name":"s"}}})")}))
          .status.ok());
  EXPECT_THAT(Snapshot(),
              ElementsAre("node n1", "node n3", "service default/s"));
  ASSERT_TRUE(Feed(*cluster_state_, WholeState({})).status.ok());
  EXPECT_THAT(Snapshot(), IsEmpty());
}

TEST_F(GrpcServicesTest, ASnapshotHasWhatWasTold) {
  const v1::Object pod = FromJson<v1::Object>(R"({"pod":{"metadata":{
      "name":"p","namespace":"ns","uid":"u","labels":{"a":"b"}},
      "spec":{"nodeName":"n1","containers":[{"name":"c","resources":{
      "requests":{"cpu":"250m","memory":"1Gi","ephemeral-storage":"1500u"}}}],
      "tolerations":[{"key":"k","operator":"Exists"}]}}})");
  ASSERT_TRUE(Feed(*cluster_state_, WholeState({NodeObject("n1", "z"), pod}))
                  .status.ok());
  grpc::ClientContext context;
  const auto reader = cluster_state_->Snapshot(&context, {});
  std::vector<v1::Object> objects;
  v1::SnapshotResponse part;
  while (reader->Read(&part)) {
    objects.insert(objects.end(), part.objects().begin(), part.objects().end());
  }
  ASSERT_TRUE(reader->Finish().ok());
  ASSERT_EQ(objects.size(), 2u);
  const v1::Pod& told = objects[1].pod();
  EXPECT_EQ(told.metadata().namespace_(), "ns");
  EXPECT_EQ(told.spec().node_name(), "n1");
  EXPECT_THAT(
      told.spec().containers(0).resources().requests(),
      UnorderedElementsAre(Pair("cpu", "250m"), Pair("memory", "1073741824"),
                           Pair("ephemeral-storage", "1500000n")));
  EXPECT_EQ(told.spec().tolerations(0).key(), "k");
}

TEST_F(GrpcServicesTest, ASnapshotOfManyObjectsComesInParts) {
  std::vector<v1::Object> nodes;
  for (int i = 0; i < 1000; ++i) {
    nodes.push_back(NodeObject("n" + std::to_string(i), "z"));
  }
  ASSERT_TRUE(Feed(*cluster_state_, WholeState(nodes)).status.ok());
  EXPECT_EQ(Snapshot().size(), 1000u);
}

TEST_F(GrpcServicesTest, AStreamThatBreaksOffIsAnOutageUntilTheNextList) {
  FeedTwoZones();
  EXPECT_TRUE(IsFresh());
  {
    grpc::ClientContext context;
    v1::FeedResponse response;
    const auto writer = cluster_state_->Feed(&context, &response);
    EXPECT_TRUE(writer->Write(Upsert(PodObject("a2", "n2"))));
    context.TryCancel();
    EXPECT_EQ(writer->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (IsFresh() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_FALSE(IsFresh());
  // Events alone do not say what was missed.
  EXPECT_TRUE(Feed(*cluster_state_,
                   {Upsert(PodObject("a3", "n2")), Event(R"({"end":{}})")})
                  .status.ok());
  EXPECT_FALSE(IsFresh());
  FeedTwoZones();
  EXPECT_TRUE(IsFresh());
}

TEST_F(GrpcServicesTest, AStreamWithoutAnEndIsAnOutage) {
  FeedTwoZones();
  std::vector<v1::FeedRequest> events = TwoZones();
  events.pop_back();
  EXPECT_EQ(Feed(*cluster_state_, events).status.error_code(),
            grpc::StatusCode::CANCELLED);
  EXPECT_FALSE(IsFresh());
}

TEST_F(GrpcServicesTest, AnEventThatCannotBeReadIsNamedAndEndsTheStream) {
  FeedTwoZones();
  EXPECT_EQ(FeedErrorOf("{}"), "event[0]: must be an event that vicinal knows");
  EXPECT_EQ(FeedErrorOf(R"({"upsert":{}})"),
            "event[0].upsert: must have an object of a kind that vicinal "
            "knows");
  EXPECT_EQ(FeedErrorOf(R"({"upsert":{"node":{}}})"),
            "event[0].upsert.node.metadata.name: required");
  EXPECT_EQ(FeedErrorOf(R"({"delete":{"kind":"Pod"}})"),
            "event[0].delete.name: required");
  EXPECT_EQ(FeedErrorOf(R"({"delete":{"kind":"Job","name":"x"}})"),
            "event[0].delete.kind: must be Node, Pod, Namespace, Service, "
            "ReplicationController, ReplicaSet, StatefulSet or "
            "PodDisruptionBudget, got \"Job\"");
  // What came before it counts.
  std::vector<v1::FeedRequest> events = TwoZones();
  events.push_back(Upsert(NodeObject("n3", "z3")));
  const FeedResult fed = Feed(*cluster_state_, events);
  EXPECT_EQ(fed.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(fed.status.error_message(), "event[5]: comes after the end");
  EXPECT_THAT(Snapshot(), ElementsAre("node n1", "node n2", "pod default/a1"));
}

TEST_F(GrpcServicesTest, OneStreamFeedsAtATime) {
  grpc::ClientContext context;
  v1::FeedResponse response;
  const auto writer = cluster_state_->Feed(&context, &response);
  EXPECT_TRUE(writer->Write(Upsert(NodeObject("n1", "z1"))));
  // Once its first event is in, the stream is surely open.
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (Snapshot().empty() && std::chrono::steady_clock::now() < deadline) {
  }
  const FeedResult other = Feed(*cluster_state_, TwoZones());
  EXPECT_EQ(other.status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(writer->Write(Event(R"({"initialEventsEnd":{}})")));
  EXPECT_TRUE(writer->Write(Event(R"({"end":{}})")));
  writer->WritesDone();
  EXPECT_TRUE(writer->Finish().ok());
  EXPECT_EQ(response.events(), 3);
  FeedTwoZones();
}

TEST_F(NotFedTest, FeedIsRefusedWhereTheStateComesFromElsewhere) {
  const FeedResult fed = Feed(*cluster_state_, TwoZones());
  EXPECT_EQ(fed.status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(fed.status.error_message(), HasSubstr("--grpc-state"));
  EXPECT_THAT(Snapshot(), IsEmpty());
}

TEST_F(GrpcServicesTest, HealthFollowsFreshness) {
  for (const char* service :
       {"", "vicinal.v1.Extender", "vicinal.v1.ClusterState"}) {
    AwaitHealth(service, "NOT_SERVING");
  }
  EXPECT_EQ(Health(channel_, "no.such.Service"), "NOT_FOUND");
  FeedTwoZones();
  for (const char* service :
       {"", "vicinal.v1.Extender", "vicinal.v1.ClusterState"}) {
    AwaitHealth(service, "SERVING");
  }
  server_->StopServing();
  EXPECT_EQ(Health(channel_, ""), "NOT_SERVING");
  EXPECT_THAT(Fitting("{}"), ElementsAre("n1", "n2"));
}

TEST_F(GrpcServicesTest, TwoServersDoNotShareAPort) {
  GrpcServer::Options options;
  options.address = server_->address();
  const auto second = GrpcServer::Start(options, freshness_, {});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(second.status().message(),
            "cannot listen on " + server_->address() + " for gRPC");
  options.address = "localhost:1";
  EXPECT_EQ(GrpcServer::Start(options, freshness_, {}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(GrpcServicesTest, StopFreesThePort) {
  server_->Stop(std::chrono::system_clock::now());
  EXPECT_FALSE(CanConnect(server_->address()));
}

}  // namespace
}  // namespace vicinal
