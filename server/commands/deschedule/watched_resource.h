// Applies what a reflector tells of one resource to a cluster with the facts of
// its pods.
#ifndef VICINAL_SERVER_COMMANDS_DESCHEDULE_WATCHED_RESOURCE_H_
#define VICINAL_SERVER_COMMANDS_DESCHEDULE_WATCHED_RESOURCE_H_

#include <glog/logging.h>

#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "core/deschedule/pod_facts.h"
#include "core/index/cluster_state.h"
#include "core/model/api_resources.h"
#include "core/model/json.h"
#include "core/model/kubernetes_release.h"
#include "core/model/object.h"
#include "core/simulate/cluster_object_reader.h"
#include "core/simulate/cluster_receiver.h"
#include "core/sync/mutex.h"
#include "server/commands/deschedule/deschedule_cluster.h"
#include "server/kubernetes/raw_object.h"
#include "server/kubernetes/resource_handler.h"
#include "server/state/read_object_key.h"

namespace vicinal {

// What is known of all resources.
struct WatchedObjects {
  explicit WatchedObjects(const KubernetesRelease& release)
      : cluster(release) {}

  struct Resource {
    // OK: it is listed, and its watch is answered. Else what is missing.
    absl::Status state = absl::UnavailableError("it is not listed yet");
    // Objects that are not in the cluster, since they cannot be read.
    std::map<ObjectKey, absl::Status> unreadable;
  };

  Mutex mutex;
  DescheduleCluster cluster ABSL_GUARDED_BY(mutex);
  // As in kApiResources.
  std::array<Resource, kApiResources.size()> resources ABSL_GUARDED_BY(mutex);
};

template <typename Kind>
class WatchedResource : public ResourceHandler {
 public:
  // The objects must outlive this.
  explicit WatchedResource(WatchedObjects& objects)
      : objects_(objects),
        receiver_{.add =
                      [this](Object object, const PodFacts& facts) {
                        read_ = std::get<Kind>(std::move(object));
                        facts_ = facts;
                      },
                  .with_pod_facts = std::is_same_v<Kind, Pod>},
        reader_(receiver_, "") {}

  void OnListStart() override { listed_.emplace(); }

  void OnListed(const RawObject& object) override { OnChanged(object); }

  void OnListEnd(std::string_view) override {
    const std::set<ObjectKey> listed = *std::exchange(listed_, std::nullopt);
    const MutexLock lock(objects_.mutex);
    for (const ObjectKey& key : objects_.cluster.state.Keys<Kind>()) {
      if (!listed.contains(key)) Remove(key);
    }
    auto& resource = objects_.resources[kIndex];
    std::erase_if(resource.unreadable, [&listed](const auto& entry) {
      return !listed.contains(entry.first);
    });
    resource.state =
        absl::UnavailableError("it is listed, and not watched yet");
  }

  void OnWatchStart() override {
    const MutexLock lock(objects_.mutex);
    objects_.resources[kIndex].state = absl::OkStatus();
  }

  void OnChanged(const RawObject& object) override {
    const std::optional<ObjectKey> key = Key(object);
    if (!key) return;
    if (listed_) listed_->insert(*key);
    read_.reset();
    const absl::Status status = reader_.Read(
        {kResource.api_version, std::string(kResource.kind)}, object.bytes);
    const MutexLock lock(objects_.mutex);
    auto& unreadable = objects_.resources[kIndex].unreadable;
    if (!status.ok() || !read_) {
      Remove(*key);
      unreadable[*key] = status;
      return;
    }
    unreadable.erase(*key);
    if constexpr (std::is_same_v<Kind, Pod>) {
      if (facts_ == PodFacts()) {
        objects_.cluster.facts.erase(*key);
      } else {
        objects_.cluster.facts[*key] = facts_;
      }
    }
    objects_.cluster.state.Upsert(*std::move(read_));
  }

  void OnDeleted(const RawObject& object) override {
    const std::optional<ObjectKey> key = Key(object);
    if (!key) return;
    if (listed_) listed_->erase(*key);
    const MutexLock lock(objects_.mutex);
    objects_.resources[kIndex].unreadable.erase(*key);
    Remove(*key);
  }

  void OnResourceVersion(std::string_view) override {}
  void OnBatchEnd() override {}

  void OnDisconnected(const absl::Status& why,
                      std::chrono::steady_clock::time_point) override {
    const MutexLock lock(objects_.mutex);
    objects_.resources[kIndex].state =
        why.ok() ? absl::UnavailableError("its watch has just ended") : why;
  }

 private:
  static constexpr std::size_t kIndex = IndexOfKind<Kind>();
  static constexpr const ApiResource& kResource = kApiResources[kIndex];

  std::optional<ObjectKey> Key(const RawObject& object) {
    std::string uid;
    std::optional<ObjectKey> key = ReadObjectKey(key_reader_, object, &uid);
    LOG_IF(ERROR, !key) << kResource.Path() << ": an object has no name";
    return key;
  }

  void Remove(const ObjectKey& key)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(objects_.mutex) {
    objects_.cluster.state.Remove<Kind>(key);
    if constexpr (std::is_same_v<Kind, Pod>) objects_.cluster.facts.erase(key);
  }

  WatchedObjects& objects_;
  // The reflector's thread alone uses what follows.
  std::optional<Kind> read_;
  PodFacts facts_;
  const ClusterReceiver receiver_;
  ClusterObjectReader reader_;
  JsonReader key_reader_;
  std::optional<std::set<ObjectKey>> listed_;  // By the list under way.
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_DESCHEDULE_WATCHED_RESOURCE_H_
