// What vicinal knows of the cluster: the objects, and which pod is on which
// node.
//
//   ClusterState cluster;
//   cluster.Upsert(node);
//   cluster.Upsert(pod);             // spec.nodeName says where it is
//   for (const NodeInfo* node : cluster.Nodes()) …
//
// The topology index is kept up to date with it. Objects may come in any order:
// a pod on a node that is not known yet counts from the moment the node
// appears. Finished pods are not kept. Reading is thread-safe; changes must not
// overlap with anything else.
#ifndef VICINAL_CORE_INDEX_CLUSTER_STATE_H_
#define VICINAL_CORE_INDEX_CLUSTER_STATE_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/index/image_states.h"
#include "core/index/node_id.h"
#include "core/index/pod_info.h"
#include "core/index/topology_index.h"
#include "core/model/node.h"
#include "core/model/object.h"
#include "core/model/workload.h"

namespace vicinal {

// A node and the pods that count on it.
struct NodeInfo {
  std::optional<Node> node;  // Absent: only heard of from its pods.
  NodeId id = kNoNode;       // Set while the node is there.
  std::vector<const PodInfo*> pods;
  // Pods that were nominated to run here, but are not bound (preemption,
  // rescue).
  std::vector<const PodInfo*> nominated_pods;

  const std::string& Name() const { return node->meta.name; }
  const Labels& labels() const { return node->meta.labels; }
};

// Namespace and name of an object; the namespace of a node or a namespace is
// empty.
struct ObjectKey {
  std::string namespace_name;
  std::string name;

  friend bool operator==(const ObjectKey&, const ObjectKey&) = default;
  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

ObjectKey KeyOf(const ObjectMeta& meta);

class ClusterState {
 public:
  ClusterState() = default;
  ClusterState(const ClusterState&) = delete;
  ClusterState& operator=(const ClusterState&) = delete;

  // Adds an object, or replaces the one of the same kind and key.
  // Cost: O(log objects + pods of the node).
  void Upsert(Object object);

  // Removes an object; one that is not there is ignored. `Kind` is one of the
  // alternatives of Object. Cost: O(log objects + pods of the node).
  template <typename Kind>
  void Remove(const ObjectKey& key);

  // The keys of all objects of a kind. Cost: O(objects of the kind).
  template <typename Kind>
  std::vector<ObjectKey> Keys() const;

  // The nodes that exist, by name. Cost: O(nodes).
  std::vector<const NodeInfo*> Nodes() const;
  // Null if there is no such node. Cost: O(log nodes).
  const NodeInfo* FindNode(std::string_view name) const;

  // Which images are on which of the nodes that exist.
  const ImageStates& images() const { return images_; }

  // `id` must be that of a node that is there. Cost: O(1).
  const NodeInfo& NodeById(NodeId id) const { return *nodes_by_id_[id]; }

  // Which pods are where, for the questions about other pods.
  const TopologyIndex& topology() const { return topology_; }

  // Null if there is no such pod. Cost: O(log pods).
  const PodInfo* FindPod(const ObjectKey& key) const;
  std::size_t pod_count() const { return pods_.size(); }

  // All objects of a kind other than Node and Pod.
  template <typename Kind>
  const std::map<ObjectKey, Kind>& All() const {
    return std::get<std::map<ObjectKey, Kind>>(others_);
  }

  // The labels of a namespace, empty if it is not known.
  const Labels& NamespaceLabels(std::string_view name) const;

 private:
  void Put(Pod pod);
  void Put(Node node);
  template <typename Kind>
  void Put(Kind object);
  void RemovePod(const ObjectKey& key);
  void RemoveNode(const std::string& name);

  struct PodRecord {
    std::unique_ptr<const PodInfo> info;
    PodGroup* group = nullptr;  // Set while it is on a node that is there.
  };

  TopologyIndex topology_;
  std::vector<const NodeInfo*> nodes_by_id_;  // Null where the id is free.
  std::vector<NodeId> free_node_ids_;
  std::map<ObjectKey, PodRecord> pods_;
  // Also the nodes that are only heard of; those have at least one pod.
  std::map<std::string, NodeInfo, std::less<>> nodes_;
  ImageStates images_;
  std::tuple<std::map<ObjectKey, Namespace>, std::map<ObjectKey, Service>,
             std::map<ObjectKey, ReplicationController>,
             std::map<ObjectKey, ReplicaSet>, std::map<ObjectKey, StatefulSet>>
      others_;
};

template <typename Kind>
void ClusterState::Remove(const ObjectKey& key) {
  if constexpr (std::is_same_v<Kind, Pod>) {
    RemovePod(key);
  } else if constexpr (std::is_same_v<Kind, Node>) {
    RemoveNode(key.name);
  } else {
    std::get<std::map<ObjectKey, Kind>>(others_).erase(key);
  }
}

template <typename Kind>
std::vector<ObjectKey> ClusterState::Keys() const {
  std::vector<ObjectKey> keys;
  if constexpr (std::is_same_v<Kind, Pod>) {
    for (const auto& [key, pod] : pods_) keys.push_back(key);
  } else if constexpr (std::is_same_v<Kind, Node>) {
    for (const NodeInfo* node : Nodes()) keys.push_back({"", node->Name()});
  } else {
    for (const auto& [key, object] : All<Kind>()) keys.push_back(key);
  }
  return keys;
}

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_CLUSTER_STATE_H_
