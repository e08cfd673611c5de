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
// overlap with anything else. What a function returns by reference or pointer
// is good until the next change.
#ifndef VICINAL_CORE_INDEX_CLUSTER_STATE_H_
#define VICINAL_CORE_INDEX_CLUSTER_STATE_H_

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "core/index/image_states.h"
#include "core/index/name_hash.h"
#include "core/index/node_id.h"
#include "core/index/node_info.h"
#include "core/index/node_name_table.h"
#include "core/index/pod_info.h"
#include "core/index/pod_templates.h"
#include "core/index/selector_lookup.h"
#include "core/index/stored_pod.h"
#include "core/index/topology_index.h"
#include "core/model/kubernetes_release.h"
#include "core/model/node.h"
#include "core/model/object.h"
#include "core/model/pod_disruption_budget.h"
#include "core/model/workload.h"

namespace vicinal {

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
  // `release` is that of the scheduler whose plugins are asked about it.
  explicit ClusterState(const KubernetesRelease& release = {})
      : release_(release) {}
  ClusterState(const ClusterState&) = delete;
  ClusterState& operator=(const ClusterState&) = delete;

  const KubernetesRelease& release() const { return release_; }

  // Adds an object, or replaces the one of the same kind and key.
  // Cost: of a pod O(the pod + the counters and terms it counts in); of a node
  // O(the node), if its labels or taints change also O(topology keys and node
  // sets in use) and as much as its pods cost; of others O(log objects).
  void Upsert(Object object);
  void Upsert(Pod&& pod);
  void Upsert(const Pod& pod) { Upsert(Pod(pod)); }

  // Removes an object; one that is not there is ignored. `Kind` is one of the
  // alternatives of Object. Cost: as Upsert.
  template <typename Kind>
  void Remove(const ObjectKey& key);

  // The keys of all objects of a kind, in no order.
  // Cost: O(objects of the kind).
  template <typename Kind>
  std::vector<ObjectKey> Keys() const;

  // The nodes that exist, by name. Cost: O(1).
  const std::vector<const NodeInfo*>& Nodes() const { return nodes_by_name_; }
  // Their ids, in the same order.
  const std::vector<NodeId>& NodeIds() const { return ids_by_name_; }
  // Null if there is no such node. Cost: O(name).
  const NodeInfo* FindNode(std::string_view name) const;
  // The ids of many nodes, in order, several times as fast; kNoNode for one
  // that is not there. Cost: O(the names' lengths).
  std::vector<NodeId> FindNodeIds(
      std::span<const std::string_view> names) const {
    return names_.Find(names);
  }
  // Whether any pod is nominated to a node.
  bool HasNominatedPods() const { return !nominated_.empty(); }

  // Which images are on which of the nodes that exist.
  const ImageStates& images() const { return images_; }
  // For a copy of `original`: see ImageStates::TakeSizes.
  void TakeImageSizes(const ClusterState& original) {
    images_.TakeSizes(original.images_);
  }

  // `id` must be that of a node that is there. Cost: O(1).
  const NodeInfo& NodeById(NodeId id) const { return *nodes_by_id_[id]; }

  // Which pods are where, for the questions about other pods.
  const TopologyIndex& topology() const { return topology_; }

  // Forgets what questions have made ready beyond a bound, as each change of a
  // pod does; for a state that is asked and does not change.
  void TrimCaches() { topology_.TrimCaches(); }

  // Null if there is no such pod. Cost: O(key).
  const StoredPod* FindPod(const ObjectKey& key) const;
  std::size_t pod_count() const { return pods_.size(); }
  // Calls `visit(const StoredPod&)` for each pod, in no order.
  template <typename Visit>
  void ForEachPod(Visit&& visit) const {
    for (const auto& pod : pods_) visit(*pod);
  }

  // All objects of a kind other than Node and Pod.
  template <typename Kind>
  const std::map<ObjectKey, Kind>& All() const {
    return std::get<std::map<ObjectKey, Kind>>(others_);
  }

  // The labels of a namespace, empty if it is not known.
  const Labels& NamespaceLabels(std::string_view name) const;

  // Calls `visit(const Service&)` for each Service of the pod's namespace that
  // selects it. Cost: O(labels of the pod + candidate services).
  template <typename Visit>
  void ForEachServiceOf(const Pod& pod, Visit&& visit) const {
    const auto it = services_.find(pod.meta.namespace_name);
    if (it == services_.end()) return;
    it->second.ForEachCandidate(pod.meta.labels, [&](const Service* service) {
      if (Selector::FromSet(*service->selector).Matches(pod.meta.labels)) {
        visit(*service);
      }
    });
  }

 private:
  struct KeyView {
    std::string_view namespace_name;
    std::string_view name;

    friend bool operator==(const KeyView&, const KeyView&) = default;
    template <typename H>
    friend H AbslHashValue(H hash, const KeyView& key) {
      return H::combine(std::move(hash), ToHashable(key.namespace_name),
                        ToHashable(key.name));
    }
  };
  static KeyView ViewOf(const KeyView& key) { return key; }
  static KeyView ViewOf(const std::unique_ptr<StoredPod>& pod) {
    return {pod->namespace_name(), pod->name()};
  }
  struct KeyHash {
    using is_transparent = void;
    std::size_t operator()(const auto& pod) const {
      return absl::Hash<KeyView>()(ViewOf(pod));
    }
  };
  struct KeyEqual {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const {
      return ViewOf(a) == ViewOf(b);
    }
  };

  void Put(Node node);
  template <typename Kind>
  void Put(Kind object);
  template <typename Kind>
  void RemoveOther(const ObjectKey& key);
  void RemovePod(KeyView key);
  void RemoveNode(const std::string& name);

  // `common` is the pod without its own fields; of those may be taken what can
  // be used.
  void AddPod(OwnFields& own, bool terminating, Pod&& common);
  void ChangePod(StoredPod& pod, OwnFields& own, bool terminating,
                 Pod&& common);
  static void SetOwnFields(OwnFields& own, StoredPod& pod);

  NodeInfo& NodeNamed(const std::string& name);
  void ForgetIfEmpty(NodeInfo& info);
  // Puts a pod on its node, or takes it off.
  void Settle(StoredPod& pod, NodeInfo& node);
  void Unsettle(StoredPod& pod);
  void Nominate(const StoredPod& pod);
  void EndNomination(const StoredPod& pod);
  // Counts the pods of a node that is there in the index, or takes them out.
  void PlacePods(const NodeInfo& info);
  void UnplacePods(const NodeInfo& info);

  const KubernetesRelease release_;
  TopologyIndex topology_;
  PodTemplates templates_{topology_, release_};
  std::vector<const NodeInfo*> nodes_by_id_;  // Null where the id is free.
  std::vector<NodeId> free_node_ids_;
  absl::flat_hash_set<std::unique_ptr<StoredPod>, KeyHash, KeyEqual> pods_;
  // Pods that are nominated and not bound.
  absl::flat_hash_map<const StoredPod*, std::unique_ptr<const PodInfo>>
      nominated_;
  // By name, as NodeInfo has it; also the nodes that are only heard of, which
  // have at least one pod.
  absl::flat_hash_map<std::string_view, std::unique_ptr<NodeInfo>, NameHash>
      nodes_;
  std::vector<const NodeInfo*> nodes_by_name_;  // Those that exist.
  std::vector<NodeId> ids_by_name_;
  NodeNameTable names_;  // Of those that exist.
  // The services that have a selector, by namespace.
  absl::flat_hash_map<std::string, SelectorLookup<const Service*>> services_;
  ImageStates images_;
  std::tuple<std::map<ObjectKey, Namespace>, std::map<ObjectKey, Service>,
             std::map<ObjectKey, ReplicationController>,
             std::map<ObjectKey, ReplicaSet>, std::map<ObjectKey, StatefulSet>,
             std::map<ObjectKey, PodDisruptionBudget>>
      others_;
};

template <typename Kind>
void ClusterState::Remove(const ObjectKey& key) {
  if constexpr (std::is_same_v<Kind, Pod>) {
    RemovePod({key.namespace_name, key.name});
  } else if constexpr (std::is_same_v<Kind, Node>) {
    RemoveNode(key.name);
  } else {
    RemoveOther<Kind>(key);
  }
}

template <typename Kind>
std::vector<ObjectKey> ClusterState::Keys() const {
  std::vector<ObjectKey> keys;
  if constexpr (std::is_same_v<Kind, Pod>) {
    for (const auto& pod : pods_) {
      keys.push_back({pod->namespace_name(), std::string(pod->name())});
    }
  } else if constexpr (std::is_same_v<Kind, Node>) {
    for (const NodeInfo* node : Nodes()) keys.push_back({"", node->Name()});
  } else {
    for (const auto& [key, object] : All<Kind>()) keys.push_back(key);
  }
  return keys;
}

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_CLUSTER_STATE_H_
