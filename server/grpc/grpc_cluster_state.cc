#include "server/grpc/grpc_cluster_state.h"

#include <glog/logging.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/index/cluster_state.h"
#include "core/model/json.h"
#include "server/grpc/decode.h"
#include "server/grpc/encode.h"
#include "server/grpc/grpc_status.h"

namespace vicinal {
namespace {

constexpr std::size_t kObjectsPerPart = 256;

// Calls `visit(Kind*)`, with a null pointer, for each alternative of Object.
template <typename Visit>
void ForEachKind(Visit visit) {
  [&]<typename... Kinds>(std::variant<Kinds...>*) {
    (visit(static_cast<Kinds*>(nullptr)), ...);
  }(static_cast<Object*>(nullptr));
}

// One stream's events, applied to the store.
class Events {
 public:
  Events(ClusterStore& store, Freshness& freshness)
      : store_(store), freshness_(freshness) {}

  std::int64_t applied() const { return applied_; }
  bool ended() const { return ended_; }

  absl::Status Apply(const v1::FeedRequest& event) {
    const JsonPath root;
    const JsonPath path = root.Index(static_cast<std::size_t>(applied_));
    absl::Status status =
        ended_ ? FieldError(path, "comes after the end") : ApplyAt(event, path);
    if (!status.ok()) {
      return absl::Status(status.code(),
                          absl::StrCat("event", std::string(status.message())));
    }
    ++applied_;
    return status;
  }

 private:
  absl::Status ApplyAt(const v1::FeedRequest& event, const JsonPath& path) {
    switch (event.event_case()) {
      case v1::FeedRequest::kUpsert:
        return Upsert(event.upsert(), path.Field("upsert"));
      case v1::FeedRequest::kDelete: {
        absl::Status status;
        store_.Write([&](ClusterState& cluster) {
          status = Remove(event.delete_(), path.Field("delete"), cluster);
        });
        return status;
      }
      case v1::FeedRequest::kInitialEventsEnd:
        RemoveWhatIsNotListed();
        freshness_.OnListed(GrpcClusterState::kResource);
        freshness_.OnConnected(GrpcClusterState::kResource);
        return absl::OkStatus();
      case v1::FeedRequest::kEnd:
        ended_ = true;
        return absl::OkStatus();
      case v1::FeedRequest::EVENT_NOT_SET:
        break;
    }
    return FieldError(path, "must be an event that vicinal knows");
  }

  absl::Status Upsert(const v1::Object& message, const JsonPath& path) {
    Object object;
    if (absl::Status status = Decode(message, path, &object); !status.ok()) {
      return status;
    }
    if (listing_) {
      listed_[object.index()].insert(KeyOf(MetaOf(object)));
    }
    store_.Write([&object](ClusterState& cluster) {
      cluster.Upsert(std::move(object));
    });
    return absl::OkStatus();
  }

  void RemoveWhatIsNotListed() {
    if (!listing_) return;
    listing_ = false;
    store_.Write([this](ClusterState& cluster) {
      ForEachKind([&]<typename Kind>(Kind*) {
        const auto& listed = listed_[Object(Kind()).index()];
        for (const ObjectKey& key : cluster.Keys<Kind>()) {
          if (!listed.contains(key)) cluster.Remove<Kind>(key);
        }
      });
    });
    listed_ = {};
  }

  ClusterStore& store_;
  Freshness& freshness_;
  std::int64_t applied_ = 0;
  bool ended_ = false;
  bool listing_ = true;
  // What has been upserted so far, by the kind's index, while listing_.
  std::array<std::set<ObjectKey>, std::variant_size_v<Object>> listed_;
};

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

}  // namespace

void GrpcClusterState::CancelFeed() {
  const std::lock_guard lock(context_mutex_);
  if (feed_context_ != nullptr) feed_context_->TryCancel();
}

grpc::Status GrpcClusterState::Feed(grpc::ServerContext* context,
                                    grpc::ServerReader<v1::FeedRequest>* reader,
                                    v1::FeedResponse* response) {
  if (freshness_ == nullptr) {
    return {grpc::StatusCode::FAILED_PRECONDITION,
            "the state of the cluster comes from elsewhere; start vicinal with "
            "--grpc-state to feed it"};
  }
  const std::unique_lock lock(feed_mutex_, std::try_to_lock);
  if (!lock.owns_lock()) {
    return {grpc::StatusCode::RESOURCE_EXHAUSTED, "another stream is open"};
  }
  const auto set_context = [this](grpc::ServerContext* value) {
    const std::lock_guard context_lock(context_mutex_);
    feed_context_ = value;
  };
  set_context(context);
  VLOG(1) << "a stream feeds the state";
  Events events(store_, *freshness_);
  absl::Status status;
  v1::FeedRequest request;
  while (status.ok() && reader->Read(&request)) status = events.Apply(request);
  set_context(nullptr);
  if (status.ok() && !events.ended()) {
    status = absl::CancelledError("the stream ended without the event \"end\"");
  }
  if (!status.ok()) {
    freshness_->OnDisconnected(kResource, Freshness::Clock::now());
    LOG(WARNING) << "the stream that feeds the state broke off after "
                 << events.applied() << " events: " << status.message();
  }
  response->set_events(events.applied());
  return ToGrpcStatus(status);
}

grpc::Status GrpcClusterState::Snapshot(
    grpc::ServerContext*, const v1::SnapshotRequest*,
    grpc::ServerWriter<v1::SnapshotResponse>* writer) {
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
