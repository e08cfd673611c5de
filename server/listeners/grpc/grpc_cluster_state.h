// The service ClusterState: what the cluster is, fed and read over gRPC.
#ifndef VICINAL_SERVER_LISTENERS_GRPC_GRPC_CLUSTER_STATE_H_
#define VICINAL_SERVER_LISTENERS_GRPC_GRPC_CLUSTER_STATE_H_

#include "absl/base/thread_annotations.h"
#include "core/sync/mutex.h"
#include "server/listeners/grpc/grpc_roles.h"
#include "server/state/cluster_store.h"
#include "server/state/freshness.h"
#include "vicinal/v1/cluster_state.grpc.pb.h"

namespace vicinal {

// Thread-safe. proto/vicinal/v1/cluster_state.proto says what the calls mean.
class GrpcClusterState : public v1::ClusterState::Service {
 public:
  // `freshness` is that of FeedEvents::kResource, or null if the state comes
  // from elsewhere: Feed is refused then. All must outlive the service.
  GrpcClusterState(ClusterStore& store, Freshness* freshness,
                   const GrpcRoles& roles)
      : store_(store), freshness_(freshness), roles_(roles) {}

  grpc::Status Feed(grpc::ServerContext* context,
                    grpc::ServerReader<v1::FeedRequest>* reader,
                    v1::FeedResponse* response) override;
  grpc::Status Snapshot(
      grpc::ServerContext* context, const v1::SnapshotRequest* request,
      grpc::ServerWriter<v1::SnapshotResponse>* writer) override;

  // Ends the stream that feeds, if there is one.
  void CancelFeed();

 private:
  ClusterStore& store_;
  Freshness* const freshness_;
  const GrpcRoles& roles_;
  Mutex mutex_;
  // Of the stream that feeds, or null.
  grpc::ServerContext* feed_context_ ABSL_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_GRPC_GRPC_CLUSTER_STATE_H_
