#include "server/listeners/grpc/grpc_cluster_state.h"

#include <glog/logging.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "core/index/cluster_state.h"
#include "core/model/api_resources.h"
#include "server/listeners/grpc/feed_events.h"
#include "server/listeners/grpc/grpc_status.h"
#include "server/listeners/grpc/to_proto.h"

namespace vicinal {
namespace {

constexpr std::size_t kObjectsPerPart = 256;

// Null if there is no such object.
template <typename Kind>
std::optional<Object> Find(const ClusterState& cluster, const ObjectKey& key) {
  if constexpr (std::is_same_v<Kind, Pod>) {
    const StoredPod* const pod = cluster.FindPod(key);
    if (pod != nullptr) return pod->ToPod();
  } else if constexpr (std::is_same_v<Kind, Node>) {
    const NodeInfo* const node = cluster.FindNode(key.name);
    if (node != nullptr) return *node->node;
  } else {
    const auto it = cluster.All<Kind>().find(key);
    if (it != cluster.All<Kind>().end()) return it->second;
  }
  return std::nullopt;
}

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
  bool connected = true;
  ForEachKind([&]<typename Kind>(Kind*) {
    std::vector<ObjectKey> keys = store_.Read(
        [](const ClusterState& cluster) { return cluster.Keys<Kind>(); });
    std::sort(keys.begin(), keys.end());
    // The lock is not held for long at a time, nor while a part is sent.
    for (std::size_t begin = 0; connected && begin < keys.size();
         begin += kObjectsPerPart) {
      const std::size_t end = std::min(begin + kObjectsPerPart, keys.size());
      v1::SnapshotResponse part;
      store_.Read([&](const ClusterState& cluster) {
        for (std::size_t i = begin; i < end; ++i) {
          const std::optional<Object> object = Find<Kind>(cluster, keys[i]);
          if (object) *part.add_objects() = Encode(*object);
        }
      });
      connected = writer->Write(part);
    }
  });
  return connected ? grpc::Status::OK : grpc::Status::CANCELLED;
}

}  // namespace vicinal
