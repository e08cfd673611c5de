#include "server/listeners/grpc/feed_events.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/model/api_resources.h"
#include "server/listeners/grpc/from_proto.h"

namespace vicinal {

absl::Status FeedEvents::Apply(const v1::FeedRequest& event) {
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

absl::Status FeedEvents::ApplyAt(const v1::FeedRequest& event,
                                 const JsonPath& path) {
  switch (event.event_case()) {
    case v1::FeedRequest::kUpsert:
      return Upsert(event.upsert(), path.Field("upsert"));
    case v1::FeedRequest::kDelete:
      return Delete(event.delete_(), path.Field("delete"));
    case v1::FeedRequest::kInitialEventsEnd:
      RemoveWhatIsNotListed();
      freshness_.OnListed(kResource);
      freshness_.OnConnected(kResource);
      return absl::OkStatus();
    case v1::FeedRequest::kEnd:
      ended_ = true;
      return absl::OkStatus();
    case v1::FeedRequest::EVENT_NOT_SET:
      break;
  }
  return FieldError(path, "must be an event that vicinal knows");
}

absl::Status FeedEvents::Upsert(const v1::Object& message,
                                const JsonPath& path) {
  Object object;
  if (absl::Status status = Decode(message, path, &object); !status.ok()) {
    return status;
  }
  if (listing_) listed_[object.index()].insert(KeyOf(MetaOf(object)));
  store_.Write(
      [&object](ClusterState& cluster) { cluster.Upsert(std::move(object)); });
  return absl::OkStatus();
}

absl::Status FeedEvents::Delete(const v1::ObjectReference& message,
                                const JsonPath& path) {
  ObjectReference object;
  if (absl::Status status = Decode(message, path, &object); !status.ok()) {
    return status;
  }
  // A stream that only goes on with what changes must not pile up names.
  if (listing_) listed_[object.kind].erase(object.key);
  store_.Write([&object](ClusterState& cluster) {
    ForEachKind([&]<typename Kind>(Kind*) {
      if (IndexOfKind<Kind>() == object.kind) cluster.Remove<Kind>(object.key);
    });
  });
  return absl::OkStatus();
}

void FeedEvents::RemoveWhatIsNotListed() {
  if (!listing_) return;
  listing_ = false;
  store_.Write([this](ClusterState& cluster) {
    ForEachKind([&]<typename Kind>(Kind*) {
      const auto& listed = listed_[IndexOfKind<Kind>()];
      for (const ObjectKey& key : cluster.Keys<Kind>()) {
        if (!listed.contains(key)) cluster.Remove<Kind>(key);
      }
    });
  });
  listed_ = {};
}

}  // namespace vicinal
