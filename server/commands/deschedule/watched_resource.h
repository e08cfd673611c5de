// The objects of one resource, as a reflector tells of them.
#ifndef VICINAL_SERVER_COMMANDS_DESCHEDULE_WATCHED_RESOURCE_H_
#define VICINAL_SERVER_COMMANDS_DESCHEDULE_WATCHED_RESOURCE_H_

#include <simdjson.h>

#include <chrono>
#include <map>
#include <optional>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "core/deschedule/pod_facts.h"
#include "core/index/cluster_state.h"
#include "core/model/api_resources.h"
#include "core/model/json.h"
#include "core/model/object.h"
#include "core/simulate/cluster_object_reader.h"
#include "core/simulate/cluster_receiver.h"
#include "core/sync/mutex.h"
#include "server/kubernetes/resource_handler.h"

namespace vicinal {

// Calls of ResourceHandler may come while another thread holds the mutex: they
// wait for it.
class WatchedResource : public ResourceHandler {
 public:
  struct Entry {
    std::optional<Object> object;  // None if it cannot be read, and
    absl::Status unreadable;       // why.
    PodFacts facts;
  };

  // The mutex and the resource must outlive this.
  WatchedResource(const ApiResource& resource, Mutex& mutex);

  const ApiResource& resource() const { return resource_; }
  Mutex& mutex() ABSL_LOCK_RETURNED(mutex_) { return mutex_; }

  // OK: it is listed, and its watch is answered. Else what is missing.
  const absl::Status& state() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return state_;
  }
  const std::map<ObjectKey, Entry>& entries() const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return entries_;
  }

  void OnListStart() override;
  void OnListed(simdjson::padded_string_view json) override;
  void OnListEnd(std::string_view resource_version) override;
  void OnWatchStart() override;
  void OnChanged(simdjson::padded_string_view json) override;
  void OnDeleted(simdjson::padded_string_view json) override;
  void OnResourceVersion(std::string_view) override {}
  void OnBatchEnd() override {}
  void OnDisconnected(const absl::Status& why,
                      std::chrono::steady_clock::time_point since) override;

 private:
  void Put(simdjson::padded_string_view json,
           std::map<ObjectKey, Entry>& entries);

  const ApiResource& resource_;
  Mutex& mutex_;
  // The reflector's thread alone uses these four.
  Entry read_;
  const ClusterReceiver receiver_;
  ClusterObjectReader reader_;
  JsonReader key_reader_;
  // Of the list under way, by the reflector's thread alone; none in a watch.
  std::optional<std::map<ObjectKey, Entry>> listed_;

  absl::Status state_ ABSL_GUARDED_BY(mutex_);
  std::map<ObjectKey, Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_DESCHEDULE_WATCHED_RESOURCE_H_
