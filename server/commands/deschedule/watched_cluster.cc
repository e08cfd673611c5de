#include "server/commands/deschedule/watched_cluster.h"

#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/index/stored_pod.h"
#include "core/model/api_resources.h"
#include "core/model/object.h"
#include "core/sync/mutex.h"
#include "server/commands/deschedule/watched_resource.h"
#include "server/state/store_parts.h"

namespace vicinal {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookAgain{20};

absl::Status Named(const ApiResource& resource, absl::StatusCode code,
                   const absl::Status& status) {
  return absl::Status(code,
                      absl::StrCat(resource.Path(), ": ", status.message()));
}

// OK: it may be read.
absl::Status Look(const WatchedObjects& objects,
                  const std::vector<PlannedEviction>& evicted)
    ABSL_EXCLUSIVE_LOCKS_REQUIRED(objects.mutex) {
  for (std::size_t i = 0; i < kApiResources.size(); ++i) {
    const absl::Status& state = objects.resources[i].state;
    if (!state.ok()) {
      return Named(kApiResources[i],
                   absl::IsPermissionDenied(state)
                       ? absl::StatusCode::kPermissionDenied
                       : absl::StatusCode::kUnavailable,
                   state);
    }
  }
  for (const PlannedEviction& eviction : evicted) {
    const StoredPod* const pod = objects.cluster.state.FindPod(eviction.pod);
    if (pod != nullptr && pod->uid() == eviction.uid && !pod->terminating()) {
      return absl::UnavailableError(
          absl::StrCat(ApiResourceOf<Pod>().Path(),
                       ": the watch has not told of the eviction of ",
                       eviction.pod.namespace_name, "/", eviction.pod.name));
    }
  }
  return absl::OkStatus();
}

// All objects, if each can be read.
absl::Status Give(const WatchedObjects& objects,
                  const ClusterReceiver& receiver)
    ABSL_EXCLUSIVE_LOCKS_REQUIRED(objects.mutex) {
  for (std::size_t i = 0; i < kApiResources.size(); ++i) {
    for (const auto& [key, why] : objects.resources[i].unreadable) {
      return Named(kApiResources[i], why.code(), why);
    }
  }
  const PodFactsMap& facts = objects.cluster.facts;
  ForEachObject(objects.cluster.state, [&](Object object) {
    objects.mutex.AssertHeld();
    const auto found = std::holds_alternative<Pod>(object)
                           ? facts.find(KeyOf(MetaOf(object)))
                           : facts.end();
    receiver.add(std::move(object),
                 found == facts.end() ? PodFacts() : found->second);
  });
  return absl::OkStatus();
}

}  // namespace

WatchedCluster::WatchedCluster(const KubernetesRelease& release)
    : objects_(std::make_unique<WatchedObjects>(release)) {}
WatchedCluster::~WatchedCluster() = default;

absl::StatusOr<std::unique_ptr<WatchedCluster>> WatchedCluster::Start(
    const ClientConfig& config, const KubernetesRelease& release) {
  std::unique_ptr<WatchedCluster> cluster(new WatchedCluster(release));
  std::vector<ReflectedResource> reflected;
  ForEachKind([&]<typename Kind>(Kind*) {
    const ApiResource& resource = ApiResourceOf<Kind>();
    cluster->handlers_.push_back(
        std::make_unique<WatchedResource<Kind>>(*cluster->objects_));
    reflected.push_back({resource.Path(), resource.field_selector,
                         cluster->handlers_.back().get()});
  });
  absl::StatusOr<std::unique_ptr<ReflectorThread>> thread =
      ReflectorThread::Start(config, reflected);
  if (!thread.ok()) return thread.status();
  cluster->thread_ = *std::move(thread);
  return cluster;
}

absl::Status WatchedCluster::Read(const std::vector<PlannedEviction>& evicted,
                                  std::chrono::milliseconds patience,
                                  const Stop& stop,
                                  const ClusterReceiver& receiver) {
  const Clock::time_point limit = Clock::now() + patience;
  for (;;) {
    {
      const MutexLock lock(objects_->mutex);
      const absl::Status status = Look(*objects_, evicted);
      if (status.ok()) return Give(*objects_, receiver);
      if (absl::IsPermissionDenied(status) || Clock::now() >= limit) {
        return status;
      }
    }
    if (stop.WaitFor(kLookAgain)) return absl::CancelledError("it is to stop");
  }
}

}  // namespace vicinal
