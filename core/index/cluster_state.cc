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
  std::visit([this](auto&& known) { Put(std::move(known)); },
             std::move(object));
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
  return it == pods_.end() ? nullptr : it->second.get();
}

void ClusterState::Put(Pod pod) {
  const ObjectKey key = KeyOf(pod.meta);
  RemovePod(key);
  if (IsFinished(pod)) return;
  auto info = std::make_unique<const PodInfo>(std::move(pod));
  const std::string& node = info->pod.spec.node_name;
  const std::string& nominated = info->pod.status.nominated_node_name;
  if (!node.empty()) {
    nodes_[node].pods.push_back(info.get());
  } else if (!nominated.empty()) {
    nodes_[nominated].nominated_pods.push_back(info.get());
  }
  pods_.emplace(key, std::move(info));
}

void ClusterState::RemovePod(const ObjectKey& key) {
  const auto it = pods_.find(key);
  if (it == pods_.end()) return;
  const PodInfo* pod = it->second.get();
  const bool bound = !pod->pod.spec.node_name.empty();
  const std::string& place =
      bound ? pod->pod.spec.node_name : pod->pod.status.nominated_node_name;
  if (const auto node = nodes_.find(place); node != nodes_.end()) {
    std::erase(bound ? node->second.pods : node->second.nominated_pods, pod);
    if (IsEmpty(node->second)) nodes_.erase(node);
  }
  pods_.erase(it);
}

void ClusterState::Put(Node node) {
  NodeInfo& info = nodes_[node.meta.name];
  if (info.node) images_.Remove(&info, *info.node);
  images_.Add(&info, node);
  info.node = std::move(node);
}

void ClusterState::RemoveNode(const std::string& name) {
  const auto it = nodes_.find(name);
  if (it == nodes_.end() || !it->second.node) return;
  images_.Remove(&it->second, *it->second.node);
  it->second.node.reset();
  if (IsEmpty(it->second)) nodes_.erase(it);
}

}  // namespace vicinal
