// The events of one stream of ClusterState/Feed, applied to the state.
//
//   FeedEvents events(store, freshness);
//   while (reader->Read(&event)) events.Apply(event);
#ifndef VICINAL_SERVER_LISTENERS_GRPC_FEED_EVENTS_H_
#define VICINAL_SERVER_LISTENERS_GRPC_FEED_EVENTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <variant>

#include "absl/status/status.h"
#include "core/index/cluster_state.h"
#include "core/model/json_path.h"
#include "core/model/object.h"
#include "server/state/cluster_store.h"
#include "server/state/freshness.h"
#include "vicinal/v1/cluster_state.pb.h"

namespace vicinal {

// Not thread-safe. proto/vicinal/v1/cluster_state.proto says what the events
// mean.
class FeedEvents {
 public:
  // The resource that `freshness` must have been made for.
  static constexpr char kResource[] = "fed state";

  // Both must outlive this.
  FeedEvents(ClusterStore& store, Freshness& freshness)
      : store_(store), freshness_(freshness) {}

  // Applies the next event. Error: InvalidArgument, with the event's place in
  // the stream, the field and the value; nothing has changed then. Cost: that
  // of the change of the state; of initial_events_end O(objects).
  absl::Status Apply(const v1::FeedRequest& event);

  // How many have been applied, and whether `end` was the last.
  std::int64_t applied() const { return applied_; }
  bool ended() const { return ended_; }

 private:
  absl::Status ApplyAt(const v1::FeedRequest& event, const JsonPath& path);
  absl::Status Upsert(const v1::Object& message, const JsonPath& path);
  absl::Status Delete(const v1::ObjectReference& message, const JsonPath& path);
  void RemoveWhatIsNotListed();

  ClusterStore& store_;
  Freshness& freshness_;
  std::int64_t applied_ = 0;
  bool ended_ = false;
  bool listing_ = true;  // Until initial_events_end.
  // What has been upserted so far and is still there, by the kind's index,
  // while listing_.
  std::array<std::set<ObjectKey>, std::variant_size_v<Object>> listed_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_GRPC_FEED_EVENTS_H_
