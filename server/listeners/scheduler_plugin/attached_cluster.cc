#include "server/listeners/scheduler_plugin/attached_cluster.h"

#include <cstddef>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "core/index/stored_pod.h"
#include "core/model/api_resources.h"
#include "core/model/object.h"

namespace vicinal {
namespace {

constexpr std::size_t kObjectsPerPart = 32;

}  // namespace

void AttachedCluster::Open(Session& session) {
  const MutexLock lock(mutex_);
  session_ = &session;
  ++number_;
}

void AttachedCluster::Close() {
  const MutexLock lock(mutex_);
  session_ = nullptr;
}

absl::StatusOr<std::optional<v1::VicinalMessage>> AttachedCluster::Handle(
    const v1::SchedulerMessage& message) {
  if (message.changes_size() > 0) ++generation_;
  if (!mutex_.TryLock()) {
    is_wanted_ = true;
    mutex_.Lock();
    is_wanted_ = false;
  }
  auto answer = session_->Handle(message);
  mutex_.Unlock();
  return answer;
}

bool AttachedCluster::Read(
    std::uint64_t number,
    const std::function<void(const ToldCluster&)>& read) const {
  while (is_wanted_) std::this_thread::yield();
  const MutexLock lock(mutex_);
  if (session_ == nullptr || number_ != number) return false;
  read(session_->cluster());
  return true;
}

std::unique_ptr<ClusterState> AttachedCluster::Copy() const {
  std::unique_ptr<ClusterState> copy;
  std::uint64_t number = 0;
  std::vector<std::shared_ptr<const PodInfo>> waiting;
  {
    const MutexLock lock(mutex_);
    if (session_ == nullptr || !session_->synced()) return nullptr;
    number = number_;
    const ToldCluster& cluster = session_->cluster();
    copy = std::make_unique<ClusterState>(cluster.state().release());
    waiting = cluster.WaitingPods();
  }
  bool is_open = true;
  std::vector<Object> part;
  const auto add_part = [&] {
    for (Object& object : part) copy->Upsert(std::move(object));
    part.clear();
  };
  ForEachOtherKind([&]<typename Kind>(Kind*) {
    ObjectKey last;  // Before all names.
    bool is_more = true;
    while (is_open && is_more) {
      is_open = Read(number, [&](const ToldCluster& cluster) {
        const std::map<ObjectKey, Kind>& all = cluster.state().All<Kind>();
        auto it = all.upper_bound(last);
        for (; it != all.end() && part.size() < kObjectsPerPart; ++it) {
          part.push_back(it->second);
          last = it->first;
        }
        is_more = it != all.end();
      });
      add_part();
    }
  });
  std::uint32_t node = 0;  // By the plugin's number.
  std::size_t next = 0;    // Of its pods.
  bool is_more = true;
  while (is_open && is_more) {
    is_open = Read(number, [&](const ToldCluster& cluster) {
      const auto end = static_cast<std::uint32_t>(cluster.numbers().limit());
      for (; node < end && part.size() < kObjectsPerPart; ++node, next = 0) {
        const NodeId id = cluster.numbers().IdOf(node);
        if (id == kNoNode) continue;
        const NodeInfo& info = cluster.state().NodeById(id);
        if (next == 0) part.push_back(*info.node);
        for (; next < info.pods.size(); ++next) {
          if (part.size() >= kObjectsPerPart) return;
          part.push_back(info.pods[next]->ToPod());
        }
      }
      is_more = node < end;
    });
    add_part();
  }
  if (!is_open) return nullptr;
  for (const auto& pod : waiting) copy->Upsert(Pod(pod->pod));
  return copy;
}

}  // namespace vicinal
