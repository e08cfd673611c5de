#include "server/commands/deschedule/watched_cluster.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/model/api_resources.h"
#include "core/model/pod.h"
#include "server/commands/deschedule/watched_resource.h"

namespace vicinal {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookAgain{20};

// Whether the pod is still there and not terminating.
bool Stays(const PlannedEviction& evicted,
           const WatchedResource::Entry& entry) {
  if (!entry.object) return false;
  const auto* const pod = std::get_if<Pod>(&*entry.object);
  return pod != nullptr && pod->meta.uid == evicted.uid && !IsTerminating(*pod);
}

}  // namespace

WatchedCluster::WatchedCluster() = default;
WatchedCluster::~WatchedCluster() = default;

absl::StatusOr<std::unique_ptr<WatchedCluster>> WatchedCluster::Start(
    const ClientConfig& config) {
  std::unique_ptr<WatchedCluster> cluster(new WatchedCluster);
  std::vector<ReflectedResource> reflected;
  for (const ApiResource& resource : kApiResources) {
    cluster->resources_.push_back(
        std::make_unique<WatchedResource>(resource, cluster->mutex_));
    reflected.push_back({resource.Path(), resource.field_selector,
                         cluster->resources_.back().get()});
  }
  absl::StatusOr<std::unique_ptr<ReflectorThread>> thread =
      ReflectorThread::Start(config, reflected);
  if (!thread.ok()) return thread.status();
  cluster->thread_ = *std::move(thread);
  return cluster;
}

absl::Status WatchedCluster::Look(const std::vector<PlannedEviction>& evicted) {
  for (const std::unique_ptr<WatchedResource>& resource : resources_) {
    resource->mutex().AssertHeld();
    if (const absl::Status& state = resource->state(); !state.ok()) {
      return absl::Status(
          absl::IsPermissionDenied(state) ? absl::StatusCode::kPermissionDenied
                                          : absl::StatusCode::kUnavailable,
          absl::StrCat(resource->resource().Path(), ": ", state.message()));
    }
  }
  WatchedResource& pods = *resources_[IndexOfKind<Pod>()];
  pods.mutex().AssertHeld();
  for (const PlannedEviction& eviction : evicted) {
    const auto entry = pods.entries().find(eviction.pod);
    if (entry != pods.entries().end() && Stays(eviction, entry->second)) {
      return absl::UnavailableError(
          absl::StrCat(pods.resource().Path(),
                       ": the watch has not told of the eviction of ",
                       eviction.pod.namespace_name, "/", eviction.pod.name));
    }
  }
  return absl::OkStatus();
}

absl::Status WatchedCluster::Read(const std::vector<PlannedEviction>& evicted,
                                  std::chrono::milliseconds patience,
                                  const Stop& stop,
                                  const ClusterReceiver& receiver) {
  const Clock::time_point limit = Clock::now() + patience;
  for (;;) {
    {
      const MutexLock lock(mutex_);
      const absl::Status status = Look(evicted);
      if (absl::IsPermissionDenied(status)) return status;
      if (status.ok()) {
        for (const std::unique_ptr<WatchedResource>& resource : resources_) {
          resource->mutex().AssertHeld();
          for (const auto& [key, entry] : resource->entries()) {
            if (!entry.object) {
              return absl::Status(
                  entry.unreadable.code(),
                  absl::StrCat(resource->resource().Path(), ": ",
                               entry.unreadable.message()));
            }
            receiver.add(*entry.object, entry.facts);
          }
        }
        return status;
      }
      if (Clock::now() >= limit) return status;
    }
    if (stop.WaitFor(kLookAgain)) return absl::CancelledError("it is to stop");
  }
}

}  // namespace vicinal
