// The service over a real Unix socket.
#include "server/listeners/scheduler_plugin/scheduler_plugin_service.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "server/listeners/scheduler_plugin/testing/messages.h"
#include "server/listeners/scheduler_plugin/testing/short_directory.h"
#include "server/listeners/scheduler_plugin/unix_server.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kNode[] =
    "{metadata: {name: n0}, status: {allocatable: {pods: 10}}}";
constexpr char kPod[] = "{metadata: {name: p, namespace: d, uid: u1}}";

// A stream as a scheduler opens it.
class Client {
 public:
  explicit Client(const std::string& path) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    stub_ = v1::SchedulerPlugin::NewStub(grpc::CreateCustomChannel(
        "unix:" + path, grpc::InsecureChannelCredentials(), arguments));
    context_.set_wait_for_ready(true);
    stream_ = stub_->Attach(&context_);
  }

  bool Send(v1::SchedulerMessage message) {
    message.set_position(++position_);
    return stream_->Write(message);
  }
  v1::VicinalMessage Receive() {
    v1::VicinalMessage message;
    EXPECT_TRUE(stream_->Read(&message));
    return message;
  }
  // Ends the stream, and says with which status.
  grpc::Status Finish() {
    stream_->WritesDone();
    v1::VicinalMessage message;
    while (stream_->Read(&message)) continue;
    return stream_->Finish();
  }

  // Tells of a node and a pod that waits.
  void Attach() {
    Send(MakeHello());
    EXPECT_TRUE(Receive().has_ready());
    Send(MessageWith(NodeChange(0, kNode)));
    Send(MessageWith(WaitingPodChange(kPod)));
    Send(SyncedMessage());
  }
  v1::BestNodesAnswer AskForBest() {
    v1::SchedulerMessage message;
    message.mutable_question()->set_uid("u1");
    message.mutable_question()->mutable_best()->set_limit(3);
    Send(message);
    return Receive().answer().best();
  }

 private:
  std::unique_ptr<v1::SchedulerPlugin::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<
      grpc::ClientReaderWriter<v1::SchedulerMessage, v1::VicinalMessage>>
      stream_;
  std::uint64_t position_ = 0;
};

class SchedulerPluginServiceTest : public ::testing::Test {
 protected:
  SchedulerPluginServiceTest() {
    UnixServer::Options options;
    options.path = path_;
    options.max_message_bytes = 64 << 10;
    auto server = UnixServer::Start(options, service_);
    EXPECT_TRUE(server.ok()) << server.status();
    if (server.ok()) server_ = *std::move(server);
  }

  const ShortDirectory directory_;
  const std::string path_ = directory_.path() + "/plugin.sock";
  const SchedulerConfig config_ = MakeSchedulerConfig();
  PluginMetrics metrics_;
  DecisionRing decisions_{10};
  Freshness freshness_{{SchedulerPluginService::kResource},
                       std::chrono::seconds(0)};
  SchedulerPluginService service_{config_, metrics_, &decisions_, &freshness_};
  std::unique_ptr<UnixServer> server_;
};

TEST_F(SchedulerPluginServiceTest, AnswersOverTheSocket) {
  Client client(path_);
  client.Attach();
  EXPECT_THAT(client.AskForBest().nodes(), ElementsAre(0));
  EXPECT_TRUE(client.Finish().ok());
}

TEST_F(SchedulerPluginServiceTest, OneStreamIsOpenAtATime) {
  Client first(path_);
  first.Attach();
  Client second(path_);
  second.Send(MakeHello());
  EXPECT_EQ(second.Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(first.AskForBest().nodes(), ElementsAre(0));
}

TEST_F(SchedulerPluginServiceTest, AStreamThatEndsLosesEverything) {
  Client first(path_);
  first.Attach();
  EXPECT_TRUE(first.Finish().ok());
  Client second(path_);
  second.Send(MakeHello());
  second.Receive();
  second.Send(MessageWith(NodeChange(0, "{metadata: {name: other}}")));
  EXPECT_TRUE(second.Finish().ok());
}

TEST_F(SchedulerPluginServiceTest, AMessageThatCannotBeUsedEndsTheStream) {
  Client client(path_);
  client.Attach();
  v1::Change change;
  change.set_pod_removed("x");
  client.Send(MessageWith(change));
  const grpc::Status status = client.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(),
            "position 5: changes[0].pod_removed: \"x\": no such pod");
}

TEST_F(SchedulerPluginServiceTest, AnotherReleaseIsRefused) {
  Client client(path_);
  v1::SchedulerMessage hello = MakeHello();
  hello.mutable_hello()->set_kubernetes_version("v1.30.0");
  client.Send(hello);
  EXPECT_EQ(client.Finish().error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(SchedulerPluginServiceTest, AMessageOverTheLimitEndsTheStreamAlone) {
  Client client(path_);
  client.Attach();
  v1::Change change;
  change.set_object(std::string(100 << 10, ' '));
  client.Send(MessageWith(change));
  EXPECT_FALSE(client.Finish().ok());
  Client next(path_);
  next.Attach();
  EXPECT_THAT(next.AskForBest().nodes(), ElementsAre(0));
}

TEST_F(SchedulerPluginServiceTest, ASocketThatIsRemovedComesBack) {
  Client client(path_);
  client.Attach();
  std::filesystem::remove(path_);
  while (!std::filesystem::exists(path_)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  // The stream that was open goes on.
  EXPECT_THAT(client.AskForBest().nodes(), ElementsAre(0));
  EXPECT_TRUE(client.Finish().ok());
  Client next(path_);
  next.Attach();
  EXPECT_THAT(next.AskForBest().nodes(), ElementsAre(0));
}

TEST_F(SchedulerPluginServiceTest, WhatIsAnsweredIsRecorded) {
  Client client(path_);
  client.Attach();
  client.AskForBest();
  // The record of a message follows its answer.
  client.AskForBest();
  const auto decision = decisions_.After(0).at(0);
  EXPECT_EQ(decision->name, "p");
  EXPECT_EQ(decision->node, "n0");
  EXPECT_EQ(decision->position, 5u);
  EXPECT_EQ(decision->generation, 2u);
  EXPECT_NE(decision->time.time_since_epoch().count(), 0);
}

TEST_F(SchedulerPluginServiceTest, TheClusterIsFreshWhileASchedulerIsAttached) {
  const auto is_fresh = [this] {
    return freshness_.Check(Freshness::Clock::now()).ok();
  };
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(is_fresh());
    Client client(path_);
    client.Attach();
    client.AskForBest();
    EXPECT_TRUE(is_fresh());
    const auto copy = service_.cluster().Copy();
    ASSERT_NE(copy, nullptr);
    EXPECT_EQ(copy->pod_count(), 1u);
    EXPECT_TRUE(client.Finish().ok());
    while (is_fresh()) std::this_thread::yield();
    EXPECT_EQ(service_.cluster().Copy(), nullptr);
  }
}

TEST_F(SchedulerPluginServiceTest, WhatHappensIsCounted) {
  {
    Client client(path_);
    client.Attach();
    client.AskForBest();
    // The count of a message follows its answer.
    client.AskForBest();
    const std::string text = metrics_.Render();
    for (const char* line :
         {"vicinal_plugin_synced 1", "vicinal_plugin_syncs_total 1",
          "vicinal_plugin_changes_total{kind=\"node\"} 1",
          "vicinal_plugin_changes_total{kind=\"pod\"} 1",
          "vicinal_plugin_question_duration_seconds_count{kind=\"best\"} ",
          "vicinal_plugin_waiting_pods 1", "vicinal_index_nodes 1",
          "vicinal_index_pods 0"}) {
      EXPECT_THAT(text, HasSubstr(line));
    }
    EXPECT_TRUE(client.Finish().ok());
  }
  server_->Stop(std::chrono::system_clock::now());
  const std::string text = metrics_.Render();
  EXPECT_THAT(text, HasSubstr("vicinal_plugin_synced 0"));
  EXPECT_THAT(text,
              HasSubstr("vicinal_plugin_streams_ended_total{code=\"OK\"} 1"));
}

}  // namespace
}  // namespace vicinal
