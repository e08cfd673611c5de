#include "server/commands/deschedule/watched_resource.h"

#include <glog/logging.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/state/read_object_key.h"

namespace vicinal {

WatchedResource::WatchedResource(const ApiResource& resource, Mutex& mutex)
    : resource_(resource),
      mutex_(mutex),
      receiver_{.add =
                    [this](Object object, const PodFacts& facts) {
                      read_.object = std::move(object);
                      read_.facts = facts;
                    },
                .with_pod_facts = true},
      reader_(receiver_, ""),
      state_(absl::UnavailableError("it is not listed yet")) {}

void WatchedResource::Put(simdjson::padded_string_view json,
                          std::map<ObjectKey, Entry>& entries) {
  read_ = Entry();
  read_.unreadable =
      reader_.Read({resource_.api_version, std::string(resource_.kind)}, json);
  if (!read_.unreadable.ok()) read_.object.reset();
  std::string uid;
  std::optional<ObjectKey> key = ReadObjectKey(key_reader_, json, &uid);
  if (!key) {
    LOG(ERROR) << resource_.Path() << ": an object has no name";
    return;
  }
  entries.insert_or_assign(*std::move(key), std::move(read_));
}

void WatchedResource::OnListStart() { listed_.emplace(); }

void WatchedResource::OnListed(simdjson::padded_string_view json) {
  Put(json, *listed_);
}

void WatchedResource::OnListEnd(std::string_view) {
  const MutexLock lock(mutex_);
  entries_ = *std::exchange(listed_, std::nullopt);
  state_ = absl::UnavailableError("it is listed, and not watched yet");
}

void WatchedResource::OnWatchStart() {
  const MutexLock lock(mutex_);
  state_ = absl::OkStatus();
}

void WatchedResource::OnChanged(simdjson::padded_string_view json) {
  const MutexLock lock(mutex_);
  Put(json, entries_);
}

void WatchedResource::OnDeleted(simdjson::padded_string_view json) {
  std::string uid;
  const std::optional<ObjectKey> key = ReadObjectKey(key_reader_, json, &uid);
  if (!key) {
    LOG(ERROR) << resource_.Path()
               << ": an object was deleted that has no name";
    return;
  }
  if (listed_) {
    listed_->erase(*key);
    return;
  }
  const MutexLock lock(mutex_);
  entries_.erase(*key);
}

void WatchedResource::OnDisconnected(const absl::Status& why,
                                     std::chrono::steady_clock::time_point) {
  const MutexLock lock(mutex_);
  state_ = why.ok() ? absl::UnavailableError("its watch has just ended") : why;
}

}  // namespace vicinal
