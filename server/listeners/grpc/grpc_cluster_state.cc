#include "server/listeners/grpc/grpc_cluster_state.h"

#include <glog/logging.h>

#include <vector>

#include "absl/status/status.h"
#include "core/model/object.h"
#include "server/listeners/grpc/feed_events.h"
#include "server/listeners/grpc/grpc_status.h"
#include "server/listeners/grpc/to_proto.h"
#include "server/state/store_parts.h"

namespace vicinal {
namespace {

grpc::Status Refused(const char* method, const absl::Status& why) {
  LOG_EVERY_N(WARNING, 100)
      << "ClusterState/" << method << ": " << why.message() << " ("
      << google::COUNTER << " so far; each 100th is logged)";
  return ToGrpcStatus(why);
}

}  // namespace

void GrpcClusterState::CancelFeed() {
  const MutexLock lock(mutex_);
  if (feed_context_ != nullptr) feed_context_->TryCancel();
}

grpc::Status GrpcClusterState::Feed(grpc::ServerContext* context,
                                    grpc::ServerReader<v1::FeedRequest>* reader,
                                    v1::FeedResponse* response) {
  const absl::Status may = roles_.Check(*context, GrpcRole::kFeed);
  if (!may.ok()) return Refused("Feed", may);
  if (freshness_ == nullptr) {
    return {grpc::StatusCode::FAILED_PRECONDITION,
            "the state of the cluster comes from elsewhere; start vicinal with "
            "--grpc-state to feed it"};
  }
  {
    const MutexLock lock(mutex_);
    if (feed_context_ != nullptr) {
      return {grpc::StatusCode::RESOURCE_EXHAUSTED, "another stream is open"};
    }
    feed_context_ = context;
  }
  VLOG(1) << "a stream feeds the state";
  FeedEvents events(store_, *freshness_);
  absl::Status status;
  v1::FeedRequest request;
  while (status.ok() && reader->Read(&request)) status = events.Apply(request);
  if (status.ok() && !events.ended()) {
    status = absl::CancelledError("the stream ended without the event \"end\"");
  }
  if (!status.ok()) {
    freshness_->OnDisconnected(FeedEvents::kResource, Freshness::Clock::now());
    LOG(WARNING) << "the stream that feeds the state broke off after "
                 << events.applied() << " events: " << status.message();
  }
  {
    const MutexLock lock(mutex_);
    feed_context_ = nullptr;
  }
  response->set_events(events.applied());
  return ToGrpcStatus(status);
}

grpc::Status GrpcClusterState::Snapshot(
    grpc::ServerContext* context, const v1::SnapshotRequest*,
    grpc::ServerWriter<v1::SnapshotResponse>* writer) {
  const absl::Status may = roles_.Check(*context, GrpcRole::kRead);
  if (!may.ok()) return Refused("Snapshot", may);
  const bool connected =
      ForEachPart(store_, [writer](const std::vector<Object>& objects) {
        v1::SnapshotResponse part;
        for (const Object& object : objects)
          *part.add_objects() = Encode(object);
        return writer->Write(part);
      });
  return connected ? grpc::Status::OK : grpc::Status::CANCELLED;
}

}  // namespace vicinal
