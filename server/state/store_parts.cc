#include "server/state/store_parts.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/index/stored_pod.h"
#include "core/model/api_resources.h"

namespace vicinal {
namespace {

constexpr std::size_t kObjectsPerPart = 256;

// Absent if there is no such object.
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

// In the order of names.
template <typename Kind>
std::vector<ObjectKey> SortedKeys(const ClusterState& cluster) {
  std::vector<ObjectKey> keys = cluster.Keys<Kind>();
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace

void ForEachObject(const ClusterState& cluster,
                   const std::function<void(Object)>& visit) {
  ForEachKind([&]<typename Kind>(Kind*) {
    for (const ObjectKey& key : SortedKeys<Kind>(cluster)) {
      visit(*Find<Kind>(cluster, key));
    }
  });
}

bool ForEachPart(const ClusterStore& store,
                 const std::function<bool(std::vector<Object>)>& visit) {
  bool wanted = true;
  ForEachKind([&]<typename Kind>(Kind*) {
    std::vector<ObjectKey> keys = store.Read(
        [](const ClusterState& cluster) { return cluster.Keys<Kind>(); });
    // Not under the lock: there may be many.
    std::sort(keys.begin(), keys.end());
    for (std::size_t begin = 0; wanted && begin < keys.size();
         begin += kObjectsPerPart) {
      const std::size_t end = std::min(begin + kObjectsPerPart, keys.size());
      std::vector<Object> part;
      store.Read([&](const ClusterState& cluster) {
        for (std::size_t i = begin; i < end; ++i) {
          std::optional<Object> object = Find<Kind>(cluster, keys[i]);
          if (object) part.push_back(*std::move(object));
        }
      });
      wanted = visit(std::move(part));
    }
  });
  return wanted;
}

void CopyInParts(const ClusterStore& store, ClusterState& copy) {
  ForEachPart(store, [&copy](std::vector<Object> part) {
    for (Object& object : part) copy.Upsert(std::move(object));
    return true;
  });
  store.Read(
      [&copy](const ClusterState& cluster) { copy.TakeImageSizes(cluster); });
}

}  // namespace vicinal
