// The cluster as a stream of changes tells it.
#ifndef VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_TOLD_CLUSTER_H_
#define VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_TOLD_CLUSTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "core/engine/changed_nodes.h"
#include "core/index/cluster_state.h"
#include "core/index/name_hash.h"
#include "core/index/pod_info.h"
#include "core/index/stored_pod.h"
#include "core/model/json.h"
#include "server/listeners/scheduler_plugin/node_numbers.h"
#include "vicinal/v1/scheduler_plugin.pb.h"

namespace vicinal {

// Not thread-safe.
//
// The scheduler counts the pods of its snapshot by uid, and for a moment there
// may be two of one name: one that is gone from the API, and its successor. So
// in `state()` the name of a pod is its uid. Pods that wait are not in there,
// and nobody is nominated.
class ToldCluster {
 public:
  explicit ToldCluster(const KubernetesRelease& release = {})
      : state_(release) {}

  // Errors name the field below `path` and the value; then the change has not
  // been applied, and the stream has lost its meaning. Cost: O(the JSON), and
  // that of ClusterState's Upsert and Remove.
  absl::Status Apply(const v1::Change& change, const JsonPath& path);

  const ClusterState& state() const { return state_; }
  const NodeNumbers& numbers() const { return numbers_; }
  // Those whose NodeInfo is not what it was.
  const ChangedNodes& changed_nodes() const { return changed_nodes_; }

  // A pod that waits, by its uid; null if there is none. Good until the next
  // change.
  const PodInfo* FindWaiting(const std::string& uid) const;
  // Whether a pod of that uid is on a node.
  bool IsPlaced(std::string_view uid) const { return placed_.contains(uid); }
  std::size_t waiting_pods() const { return waiting_.size(); }
  // Those that wait, in no order. Cost: O(pods), a counter each.
  std::vector<std::shared_ptr<const PodInfo>> WaitingPods() const;
  std::size_t placed_pods() const { return placed_.size(); }

 private:
  struct UidHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view uid) const {
      return NameHash()(uid);
    }
    std::size_t operator()(const StoredPod* pod) const {
      return NameHash()(pod->name());
    }
  };
  struct UidEqual {
    using is_transparent = void;
    static std::string_view UidOf(std::string_view uid) { return uid; }
    static std::string_view UidOf(const StoredPod* pod) { return pod->name(); }
    bool operator()(const auto& a, const auto& b) const {
      return UidOf(a) == UidOf(b);
    }
  };

  absl::Status Upsert(const v1::NodeUpsert& told, const JsonPath& path);
  absl::Status RemoveNode(std::uint32_t number, const JsonPath& path);
  absl::Status Upsert(const v1::PodUpsert& told, const JsonPath& path);
  absl::Status Place(const v1::PodPlacement& told, const JsonPath& path);
  absl::Status Unplace(const std::string& uid, const JsonPath& path);
  absl::Status RemovePod(const std::string& uid, const JsonPath& path);
  absl::Status UpsertObject(const std::string& json, const JsonPath& path);
  absl::Status RemoveObject(const v1::ObjectName& told, const JsonPath& path);

  // Sets `name` to that of a node that is there.
  absl::Status FindNodeName(std::uint32_t number, const JsonPath& path,
                            std::string& name) const;
  // The pod, which waits or is on another node, is on a node now.
  void PutOnNode(Pod pod);
  void TakeOff(const StoredPod& pod);

  ClusterState state_;
  NodeNumbers numbers_;
  ChangedNodes changed_nodes_;
  // By uid, which is their name.
  absl::flat_hash_set<const StoredPod*, UidHash, UidEqual> placed_;
  absl::flat_hash_map<std::string, std::shared_ptr<const PodInfo>> waiting_;
  JsonReader reader_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_TOLD_CLUSTER_H_
