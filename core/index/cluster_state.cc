#include "core/index/cluster_state.h"

#include <algorithm>

namespace vicinal {
namespace {

bool IsEmpty(const NodeInfo& info) {
  return !info.node && info.pods.empty() && info.nominated_pods.empty();
}

}  // namespace

ObjectKey KeyOf(const ObjectMeta& meta) {
  return {meta.namespace_name, meta.name};
}

void ClusterState::Upsert(Object object) {
  std::visit([this](auto& known) { Put(std::move(known)); }, object);
}

template <typename Kind>
void ClusterState::Put(Kind object) {
  const ObjectKey key = KeyOf(object.meta);
  std::get<std::map<ObjectKey, Kind>>(others_).insert_or_assign(
      key, std::move(object));
}

std::vector<const NodeInfo*> ClusterState::Nodes() const {
  std::vector<const NodeInfo*> nodes;
  nodes.reserve(nodes_.size());
  for (const auto& [name, info] : nodes_) {
    if (info.node) nodes.push_back(&info);
  }
  return nodes;
}

const NodeInfo* ClusterState::FindNode(std::string_view name) const {
  const auto it = nodes_.find(name);
  return it != nodes_.end() && it->second.node ? &it->second : nullptr;
}

const Labels& ClusterState::NamespaceLabels(std::string_view name) const {
  static const Labels kNone;
  const auto& namespaces = All<Namespace>();
  const auto it = namespaces.find(ObjectKey{"", std::string(name)});
  return it == namespaces.end() ? kNone : it->second.meta.labels;
}

const PodInfo* ClusterState::FindPod(const ObjectKey& key) const {
  const auto it = pods_.find(key);
  return it == pods_.end() ? nullptr : it->second.info.get();
}

void ClusterState::Put(Pod pod) {
  const ObjectKey key = KeyOf(pod.meta);
  RemovePod(key);
  if (IsFinished(pod)) return;
  PodRecord& record = pods_[key];
  record.info = std::make_unique<const PodInfo>(std::move(pod));
  const std::string& name = record.info->pod.spec.node_name;
  const std::string& nominated = record.info->pod.status.nominated_node_name;
  if (!name.empty()) {
    NodeInfo& node = nodes_[name];
    node.pods.push_back(record.info.get());
    if (node.node) record.group = topology_.AddPod(*record.info, node.id);
  } else if (!nominated.empty()) {
    nodes_[nominated].nominated_pods.push_back(record.info.get());
  }
}

void ClusterState::RemovePod(const ObjectKey& key) {
  const auto it = pods_.find(key);
  if (it == pods_.end()) return;
  const PodInfo* pod = it->second.info.get();
  const bool bound = !pod->pod.spec.node_name.empty();
  const std::string& place =
      bound ? pod->pod.spec.node_name : pod->pod.status.nominated_node_name;
  if (const auto node = nodes_.find(place); node != nodes_.end()) {
    if (it->second.group != nullptr) {
      topology_.RemovePod(it->second.group, node->second.id);
    }
    std::erase(bound ? node->second.pods : node->second.nominated_pods, pod);
    if (IsEmpty(node->second)) nodes_.erase(node);
  }
  pods_.erase(it);
}

void ClusterState::Put(Node node) {
  NodeInfo& info = nodes_[node.meta.name];
  const bool is_new = !info.node.has_value();
  if (!is_new) images_.Remove(&info, *info.node);
  info.node = std::move(node);
  images_.Add(&info, *info.node);
  if (!is_new) {
    topology_.UpdateNode(info.id);
    return;
  }
  if (free_node_ids_.empty()) {
    info.id = static_cast<NodeId>(nodes_by_id_.size());
    nodes_by_id_.push_back(&info);
  } else {
    info.id = free_node_ids_.back();
    free_node_ids_.pop_back();
    nodes_by_id_[info.id] = &info;
  }
  topology_.AddNode(info.id, info.labels());
  for (const PodInfo* pod : info.pods) {
    pods_.at(KeyOf(pod->pod.meta)).group = topology_.AddPod(*pod, info.id);
  }
}

void ClusterState::RemoveNode(const std::string& name) {
  const auto it = nodes_.find(name);
  if (it == nodes_.end() || !it->second.node) return;
  NodeInfo& info = it->second;
  for (const PodInfo* pod : info.pods) {
    PodGroup*& group = pods_.at(KeyOf(pod->pod.meta)).group;
    topology_.RemovePod(group, info.id);
    group = nullptr;
  }
  topology_.RemoveNode(info.id);
  images_.Remove(&info, *info.node);
  nodes_by_id_[info.id] = nullptr;
  free_node_ids_.push_back(info.id);
  info.id = kNoNode;
  info.node.reset();
  if (IsEmpty(info)) nodes_.erase(it);
}

}  // namespace vicinal
