#include "server/listeners/grpc/testing/grpc_client.h"

#include <google/protobuf/util/json_util.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <chrono>
#include <utility>

#include "server/listeners/grpc/grpc_status.h"

namespace vicinal {
namespace internal {

void ParseJson(std::string_view json, google::protobuf::Message* out) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto status = google::protobuf::util::JsonStringToMessage(
      std::string(json), out, options);
  EXPECT_TRUE(status.ok()) << status.ToString() << " in " << json;
}

}  // namespace internal

std::shared_ptr<grpc::Channel> ConnectTo(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetMaxReceiveMessageSize(-1);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(),
                                   arguments);
}

FeedResult Feed(v1::ClusterState::Stub& stub,
                const std::vector<v1::FeedRequest>& events) {
  grpc::ClientContext context;
  v1::FeedResponse response;
  const auto writer = stub.Feed(&context, &response);
  for (const v1::FeedRequest& event : events) {
    if (!writer->Write(event)) break;  // The server has ended the stream.
  }
  writer->WritesDone();
  FeedResult result;
  result.status = writer->Finish();
  result.events = response.events();
  return result;
}

std::vector<v1::FeedRequest> WholeState(std::vector<v1::Object> objects) {
  std::vector<v1::FeedRequest> events;
  for (v1::Object& object : objects) {
    *events.emplace_back().mutable_upsert() = std::move(object);
  }
  events.emplace_back().mutable_initial_events_end();
  events.emplace_back().mutable_end();
  return events;
}

// The messages of the health service are one field each, written by hand here.
std::string Health(const std::shared_ptr<grpc::Channel>& channel,
                   const std::string& service) {
  std::string request;
  if (!service.empty()) {
    request = {'\x0a', static_cast<char>(service.size())};
    request += service;
  }
  const grpc::Slice slice(request);
  grpc::GenericStub stub(channel);
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::seconds(10));
  const auto call =
      stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check",
                            grpc::ByteBuffer(&slice, 1), &queue);
  call->StartCall();
  grpc::ByteBuffer answer;
  grpc::Status status;
  call->Finish(&answer, &status, &queue);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  if (!status.ok()) return NameOf(status.error_code());
  grpc::Slice bytes;
  EXPECT_TRUE(answer.DumpToSingleSlice(&bytes).ok());
  const std::string text(bytes.begin(), bytes.end());
  if (text == "\x08\x01") return "SERVING";
  return text == "\x08\x02" ? "NOT_SERVING" : "bytes " + text;
}

}  // namespace vicinal
