// What tests need of a gRPC client.
#ifndef VICINAL_SERVER_LISTENERS_GRPC_TESTING_GRPC_CLIENT_H_
#define VICINAL_SERVER_LISTENERS_GRPC_TESTING_GRPC_CLIENT_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vicinal/v1/cluster_state.grpc.pb.h"

namespace vicinal {

// A plain connection to `address`, made anew each time.
std::shared_ptr<grpc::Channel> ConnectTo(const std::string& address);

// Reads a message from its JSON form; what has no field is skipped. Fails the
// test if it is none.
template <typename Message>
Message FromJson(std::string_view json);

// One stream of events. Its status, and how many were applied if it is OK.
struct FeedResult {
  grpc::Status status;
  std::int64_t events = 0;
};
FeedResult Feed(v1::ClusterState::Stub& stub,
                const std::vector<v1::FeedRequest>& events);

// The events that tell a whole cluster: the objects, initial_events_end, end.
std::vector<v1::FeedRequest> WholeState(std::vector<v1::Object> objects);

// What grpc.health.v1.Health/Check says about a service: "SERVING",
// "NOT_SERVING", or the name of the error code.
std::string Health(const std::shared_ptr<grpc::Channel>& channel,
                   const std::string& service);

// Implementation.
namespace internal {
void ParseJson(std::string_view json, google::protobuf::Message* out);
}  // namespace internal

template <typename Message>
Message FromJson(std::string_view json) {
  Message message;
  internal::ParseJson(json, &message);
  return message;
}

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_GRPC_TESTING_GRPC_CLIENT_H_
