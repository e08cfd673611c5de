#include "core/index/cluster_state.h"

#include <algorithm>
#include <utility>

#include "core/index/prefetch.h"

namespace vicinal {
namespace {

constexpr auto kByName = [](const NodeInfo* a, const std::string& name) {
  return a->name < name;
};

bool SameToIndex(const Node& a, const Node& b) {
  return a.meta.labels == b.meta.labels && a.taints == b.taints;
}

}  // namespace

ObjectKey KeyOf(const ObjectMeta& meta) {
  return {meta.namespace_name, meta.name};
}

void ClusterState::Upsert(Object object) {
  std::visit(
      [this]<typename Kind>(Kind& known) {
        if constexpr (std::is_same_v<Kind, Pod>) {
          Upsert(std::move(known));
        } else {
          Put(std::move(known));
        }
      },
      object);
}

template <typename Kind>
void ClusterState::Put(Kind object) {
  const ObjectKey key = KeyOf(object.meta);
  RemoveOther<Kind>(key);
  auto& objects = std::get<std::map<ObjectKey, Kind>>(others_);
  const Kind& kept = objects.emplace(key, std::move(object)).first->second;
  if constexpr (std::is_same_v<Kind, Service>) {
    if (!kept.selector) return;
    services_[key.namespace_name].Add(&kept, Selector::FromSet(*kept.selector));
  }
}

template <typename Kind>
void ClusterState::RemoveOther(const ObjectKey& key) {
  auto& objects = std::get<std::map<ObjectKey, Kind>>(others_);
  const auto it = objects.find(key);
  if (it == objects.end()) return;
  if constexpr (std::is_same_v<Kind, Service>) {
    const Service& service = it->second;
    if (service.selector) {
      const auto lookup = services_.find(key.namespace_name);
      lookup->second.Remove(&service, Selector::FromSet(*service.selector));
      if (lookup->second.empty()) services_.erase(lookup);
    }
  }
  objects.erase(it);
}

template void ClusterState::RemoveOther<Namespace>(const ObjectKey&);
template void ClusterState::RemoveOther<Service>(const ObjectKey&);
template void ClusterState::RemoveOther<ReplicationController>(
    const ObjectKey&);
template void ClusterState::RemoveOther<ReplicaSet>(const ObjectKey&);
template void ClusterState::RemoveOther<StatefulSet>(const ObjectKey&);
template void ClusterState::RemoveOther<PodDisruptionBudget>(const ObjectKey&);

const NodeInfo* ClusterState::FindNode(std::string_view name) const {
  const auto it = nodes_.find(name);
  return it != nodes_.end() && it->second->id != kNoNode ? it->second.get()
                                                         : nullptr;
}

const Labels& ClusterState::NamespaceLabels(std::string_view name) const {
  static const Labels kNone;
  const auto& namespaces = All<Namespace>();
  const auto it = namespaces.find(ObjectKey{"", std::string(name)});
  return it == namespaces.end() ? kNone : it->second.meta.labels;
}

const StoredPod* ClusterState::FindPod(const ObjectKey& key) const {
  const auto it = pods_.find(KeyView{key.namespace_name, key.name});
  return it == pods_.end() ? nullptr : it->get();
}

void ClusterState::Upsert(Pod&& object) {
  if (IsFinished(object)) {
    return RemovePod({object.meta.namespace_name, object.meta.name});
  }
  const auto it =
      pods_.find(KeyView{object.meta.namespace_name, object.meta.name});
  StoredPod* const known = it == pods_.end() ? nullptr : it->get();
  if (known != nullptr) {
    Prefetch(known->template_);
    Prefetch(known->group_);
    Prefetch(known->node_);
  }
  if (!object.spec.node_name.empty()) nodes_.prefetch(object.spec.node_name);
  const bool terminating = IsTerminating(object);
  OwnFields own;
  own.SwapWith(object);
  if (known == nullptr) {
    AddPod(own, terminating, std::move(object));
  } else {
    ChangePod(*known, own, terminating, std::move(object));
  }
  // The caller frees what is left, outside of locks.
  own.SwapWith(object);
}

void ClusterState::AddPod(OwnFields& own, bool terminating, Pod&& common) {
  auto created = std::unique_ptr<StoredPod>(new StoredPod());
  StoredPod& pod = *created;
  pod.template_ = templates_.Acquire(std::move(common));
  pod.group_ = topology_.AddPod(
      {pod.namespace_name(), own.labels, pod.template_->terms, terminating});
  pod.name_size_ = static_cast<std::uint32_t>(own.name.size());
  SetOwnFields(own, pod);
  pods_.insert(std::move(created));
  if (!own.node_name.empty()) Settle(pod, NodeNamed(own.node_name));
  Nominate(pod);
}

void ClusterState::ChangePod(StoredPod& pod, OwnFields& own, bool terminating,
                             Pod&& common) {
  EndNomination(pod);
  NodeInfo* const old_node = pod.node_;
  const bool same_node =
      (old_node == nullptr ? std::string_view() : old_node->name) ==
      own.node_name;
  const bool same_template = pod.template_->pod == common;
  const bool same_group =
      same_template && pod.group_->Is({pod.namespace_name(), own.labels,
                                       pod.template_->terms, terminating});
  SetOwnFields(own, pod);
  if (!same_node || !same_group) {
    if (old_node != nullptr) Unsettle(pod);
    // What the pod had is given back last, so that what it keeps stays.
    PodTemplate* const old_template = pod.template_;
    PodGroup* const old_group = pod.group_;
    if (!same_template) pod.template_ = templates_.Acquire(std::move(common));
    if (!same_group) {
      pod.group_ = topology_.AddPod(
          {pod.namespace_name(), own.labels, pod.template_->terms, terminating},
          /*like=*/old_group);
    }
    if (!own.node_name.empty()) Settle(pod, NodeNamed(own.node_name));
    if (!same_group) topology_.RemovePod(old_group);
    if (!same_template) templates_.Release(old_template);
    if (old_node != nullptr) ForgetIfEmpty(*old_node);
  }
  Nominate(pod);
}

void ClusterState::SetOwnFields(OwnFields& own, StoredPod& pod) {
  pod.name_and_uid_.reserve(own.name.size() + own.uid.size());
  pod.name_and_uid_ = own.name;
  pod.name_and_uid_ += own.uid;
  pod.start_time_ = own.start_time.value_or(StoredPod::kNotStarted);
  pod.rare_ = nullptr;
  if (own.deletion_timestamp || own.phase != kRunning ||
      !own.nominated_node_name.empty()) {
    pod.rare_ = std::make_unique<const StoredPod::Rare>(
        StoredPod::Rare{std::move(own.deletion_timestamp), std::move(own.phase),
                        std::move(own.nominated_node_name)});
  }
}

void ClusterState::RemovePod(KeyView key) {
  const auto it = pods_.find(key);
  if (it == pods_.end()) return;
  StoredPod& pod = **it;
  EndNomination(pod);
  if (NodeInfo* const node = pod.node_) {
    Unsettle(pod);
    ForgetIfEmpty(*node);
  }
  PodTemplate* const used = pod.template_;
  PodGroup* const group = pod.group_;
  pods_.erase(it);
  topology_.RemovePod(group);
  templates_.Release(used);
}

void ClusterState::Settle(StoredPod& pod, NodeInfo& node) {
  pod.node_ = &node;
  pod.position_ = static_cast<std::uint32_t>(node.pods.size());
  node.pods.push_back(&pod);
  node.requested.Add(pod.resource());
  if (node.node) topology_.Place(*pod.group_, node.id);
}

void ClusterState::Unsettle(StoredPod& pod) {
  NodeInfo& node = *std::exchange(pod.node_, nullptr);
  if (node.node) topology_.Unplace(*pod.group_, node.id);
  node.requested.Subtract(pod.resource());
  const StoredPod* const last = node.pods.back();
  node.pods[pod.position_] = last;
  node.pods.pop_back();
  last->position_ = pod.position_;
}

void ClusterState::Nominate(const StoredPod& pod) {
  if (pod.rare_ == nullptr || pod.node_ != nullptr) return;
  const std::string& name = pod.rare_->nominated_node_name;
  if (name.empty()) return;
  auto info = std::make_unique<const PodInfo>(pod.ToPod(), release_);
  NodeNamed(name).nominated_pods.push_back(info.get());
  nominated_.emplace(&pod, std::move(info));
}

void ClusterState::EndNomination(const StoredPod& pod) {
  if (nominated_.empty()) return;
  const auto it = nominated_.find(&pod);
  if (it == nominated_.end()) return;
  NodeInfo& node = NodeNamed(it->second->pod.status.nominated_node_name);
  std::erase(node.nominated_pods, it->second.get());
  nominated_.erase(it);
  ForgetIfEmpty(node);
}

NodeInfo& ClusterState::NodeNamed(const std::string& name) {
  if (const auto it = nodes_.find(name); it != nodes_.end()) return *it->second;
  auto info = std::make_unique<NodeInfo>();
  info->name = name;
  const std::string_view key = info->name;
  return *nodes_.emplace(key, std::move(info)).first->second;
}

void ClusterState::ForgetIfEmpty(NodeInfo& info) {
  if (!info.node && info.pods.empty() && info.nominated_pods.empty()) {
    nodes_.erase(info.name);
  }
}

void ClusterState::PlacePods(const NodeInfo& info) {
  for (const StoredPod* pod : info.pods) {
    topology_.Place(*pod->group_, info.id);
  }
}

void ClusterState::UnplacePods(const NodeInfo& info) {
  for (const StoredPod* pod : info.pods) {
    topology_.Unplace(*pod->group_, info.id);
  }
}

void ClusterState::Put(Node node) {
  NodeInfo& info = NodeNamed(node.meta.name);
  const bool is_new = !info.node.has_value();
  const bool moves = !is_new && !SameToIndex(*info.node, node);
  if (moves) UnplacePods(info);
  if (!is_new) images_.Remove(&info, *info.node);
  info.node = std::move(node);
  info.allocatable = Resource();
  info.allocatable.Add(info.node->allocatable);
  images_.Add(&info, *info.node);
  if (is_new) {
    if (free_node_ids_.empty()) {
      info.id = static_cast<NodeId>(nodes_by_id_.size());
      nodes_by_id_.push_back(&info);
    } else {
      info.id = free_node_ids_.back();
      free_node_ids_.pop_back();
      nodes_by_id_[info.id] = &info;
    }
    const auto place =
        std::lower_bound(nodes_by_name_.begin(), nodes_by_name_.end(),
                         info.name, kByName) -
        nodes_by_name_.begin();
    nodes_by_name_.insert(nodes_by_name_.begin() + place, &info);
    ids_by_name_.insert(ids_by_name_.begin() + place, info.id);
    names_.Add(info.name, info.id);
    topology_.AddNode(info.id, &*info.node);
  } else if (moves) {
    topology_.UpdateNode(info.id);
  }
  if (is_new || moves) PlacePods(info);
}

void ClusterState::RemoveNode(const std::string& name) {
  const auto it = nodes_.find(name);
  if (it == nodes_.end() || !it->second->node) return;
  NodeInfo& info = *it->second;
  UnplacePods(info);
  topology_.RemoveNode(info.id);
  names_.Remove(info.id);
  images_.Remove(&info, *info.node);
  nodes_by_id_[info.id] = nullptr;
  free_node_ids_.push_back(info.id);
  const auto place = std::lower_bound(nodes_by_name_.begin(),
                                      nodes_by_name_.end(), info.name, kByName);
  ids_by_name_.erase(ids_by_name_.begin() + (place - nodes_by_name_.begin()));
  nodes_by_name_.erase(place);
  info.id = kNoNode;
  info.node.reset();
  info.allocatable = Resource();
  ForgetIfEmpty(info);
}

}  // namespace vicinal
