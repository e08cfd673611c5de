#include "core/simulate/simulated_cluster.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/simulate/template_hash.h"

namespace vicinal {
namespace {

// What a new pod on a node can bring to one that fits nowhere: a pod that it
// must be near, or a domain that has one more.
// Source: isSchedulableAfterPodChange of the two plugins.
bool MayHelp(const Pod& placed, const Labels& namespace_labels,
             const PodInfo& waiting) {
  for (const AffinityTerm& term : waiting.required_affinity_terms) {
    if (term.Matches(placed, namespace_labels)) return true;
  }
  if (placed.meta.namespace_name != waiting.pod.meta.namespace_name) {
    return false;
  }
  const auto& constraints = waiting.pod.spec.topology_spread_constraints;
  return std::any_of(
      constraints.begin(), constraints.end(),
      [&placed](const TopologySpreadConstraint& constraint) {
        if (constraint.when_unsatisfiable != kDoNotSchedule) return false;
        const auto selector = AsSelector(constraint.label_selector);
        return selector.ok() && selector->Matches(placed.meta.labels);
      });
}

}  // namespace

std::optional<OwnerKey> OwnerOf(const ObjectMeta& meta) {
  const OwnerReference* controller = ControllerOf(meta);
  if (controller == nullptr) return std::nullopt;
  return OwnerKey{controller->kind, meta.namespace_name, controller->name};
}

OwnerKey KeyOf(const Workload& workload) {
  return {std::string(NameOf(workload.kind)), workload.meta.namespace_name,
          workload.meta.name};
}

void SimulatedCluster::Load(Object object, PodFacts facts) {
  if (Pod* pod = std::get_if<Pod>(&object)) {
    // A reader may give an object twice.
    if (IsFinished(*pod) || pods_.contains(KeyOf(pod->meta))) return;
    std::optional<OwnerKey> owner = OwnerOf(pod->meta);
    AddRecord(std::move(*pod), std::move(owner), facts);
    return;
  }
  cluster_.Upsert(std::move(object));
}

void SimulatedCluster::Load(Workload workload) {
  RememberController(workload);
  workloads_.insert_or_assign(KeyOf(workload), std::move(workload));
}

ClusterReceiver SimulatedCluster::Loader(bool with_pod_facts) {
  ClusterReceiver receiver;
  receiver.add = [this](Object object, const PodFacts& facts) {
    Load(std::move(object), facts);
  };
  receiver.with_pod_facts = with_pod_facts;
  receiver.add_workload = [this](Workload workload) {
    Load(std::move(workload));
  };
  receiver.note = [this](std::string note) { Note(std::move(note)); };
  return receiver;
}

void SimulatedCluster::Upsert(Object object) {
  const bool is_node = std::holds_alternative<Node>(object);
  if (is_node) RememberNode(MetaOf(object).name);
  cluster_.Upsert(std::move(object));
  ++generation_;
  queue_.RetryAll();
  if (is_node) TouchDaemonSets();
}

void SimulatedCluster::RemoveNode(const std::string& name) {
  RememberNode(name);
  for (const ObjectKey& pod : PodsOn(name)) DeletePod(pod);
  cluster_.Remove<Node>({"", name});
  ++generation_;
  queue_.RetryAll();
  TouchDaemonSets();
}

void SimulatedCluster::TouchDaemonSets() {
  for (const auto& [key, workload] : workloads_) {
    if (workload.kind == WorkloadKind::kDaemonSet) touched_.insert(key);
  }
}

void SimulatedCluster::RememberNode(const std::string& name) {
  if (nodes_before_.contains(name)) return;
  const NodeInfo* node = cluster_.FindNode(name);
  std::optional<NodeBefore>& before = nodes_before_[name];
  if (node != nullptr) before = NodeBefore{node->labels(), node->node->taints};
}

void SimulatedCluster::RememberController(const Workload& workload) {
  if (const auto controller = OwnerOf(workload.meta)) {
    controllers_.insert_or_assign(KeyOf(workload), *controller);
  }
}

// The first by kind and name of controllers that own each other, of which
// `start` is one.
static OwnerKey FirstOfCircle(const std::map<OwnerKey, OwnerKey>& controllers,
                              const OwnerKey& start) {
  const OwnerKey* first = &start;
  const OwnerKey* key = &controllers.at(start);
  for (; *key != start; key = &controllers.at(*key)) {
    if (*key < *first) first = key;
  }
  return *first;
}

OwnerKey SimulatedCluster::TopOf(const OwnerKey& owner) const {
  std::set<OwnerKey> seen;
  const OwnerKey* top = &owner;
  for (auto it = controllers_.find(owner); it != controllers_.end();
       it = controllers_.find(*top)) {
    if (!seen.insert(*top).second) return FirstOfCircle(controllers_, *top);
    top = &it->second;
  }
  return *top;
}

void SimulatedCluster::Upsert(Workload workload) {
  RememberController(workload);
  // The index needs the selectors, for the default spread.
  switch (workload.kind) {
    case WorkloadKind::kReplicaSet:
      cluster_.Upsert(ReplicaSet{workload.meta, workload.selector});
      break;
    case WorkloadKind::kStatefulSet:
      cluster_.Upsert(StatefulSet{workload.meta, workload.selector});
      break;
    case WorkloadKind::kReplicationController:
      cluster_.Upsert(
          ReplicationController{workload.meta, workload.selector.match_labels});
      break;
    default:
      break;
  }
  const OwnerKey key = KeyOf(workload);
  workloads_.insert_or_assign(key, std::move(workload));
  touched_.insert(key);
}

void SimulatedCluster::RemoveWorkload(const OwnerKey& key) {
  const auto it = workloads_.find(key);
  if (it == workloads_.end()) return;
  const ObjectKey object{key.namespace_name, key.name};
  switch (it->second.kind) {
    case WorkloadKind::kReplicaSet:
      cluster_.Remove<ReplicaSet>(object);
      break;
    case WorkloadKind::kStatefulSet:
      cluster_.Remove<StatefulSet>(object);
      break;
    case WorkloadKind::kReplicationController:
      cluster_.Remove<ReplicationController>(object);
      break;
    default:
      break;
  }
  workloads_.erase(it);
  touched_.erase(key);
}

const Workload* SimulatedCluster::FindWorkload(const OwnerKey& key) const {
  const auto it = workloads_.find(key);
  return it == workloads_.end() ? nullptr : &it->second;
}

std::vector<const Workload*> SimulatedCluster::WorkloadsOf(
    WorkloadKind kind, const OwnerKey& controller) const {
  std::vector<const Workload*> found;
  const std::string name(NameOf(kind));
  for (auto it = workloads_.lower_bound({name, controller.namespace_name, ""});
       it != workloads_.end() && it->first.kind == name &&
       it->first.namespace_name == controller.namespace_name;
       ++it) {
    if (OwnerOf(it->second.meta) == controller) found.push_back(&it->second);
  }
  return found;
}

void SimulatedCluster::TouchOwner(std::optional<OwnerKey> owner) {
  std::set<OwnerKey> seen;  // Workloads may own each other.
  while (owner && seen.insert(*owner).second) {
    touched_.insert(*owner);
    const Workload* workload = FindWorkload(*owner);
    owner = workload == nullptr ? std::nullopt : OwnerOf(workload->meta);
  }
}

void SimulatedCluster::RememberOrigin(const ObjectKey& key) {
  if (changed_.contains(key)) return;
  Origin origin;
  if (const SimulatedPod* pod = FindPod(key)) {
    origin = {true, pod->node, pod->owner};
  }
  changed_[key] = std::move(origin);
}

void SimulatedCluster::AddRecord(Pod pod, std::optional<OwnerKey> owner,
                                 PodFacts facts) {
  const ObjectKey key = KeyOf(pod.meta);
  SimulatedPod& record = pods_[key];
  record = SimulatedPod();
  record.node = pod.spec.node_name;
  record.created = ++clock_;
  record.facts = facts;
  if (owner) pods_of_[*owner].insert(key);
  record.owner = std::move(owner);
  if (record.node.empty()) {
    record.pending = std::make_shared<const PodInfo>(pod);
    queue_.Add(record.pending);
    // Only a nomination matters to others.
    if (pod.status.nominated_node_name.empty()) return;
  }
  cluster_.Upsert(std::move(pod));
}

void SimulatedCluster::CreatePod(Pod pod, std::optional<OwnerKey> owner,
                                 PodFacts facts) {
  const ObjectKey key = KeyOf(pod.meta);
  const bool matters_to_others =
      !pod.spec.node_name.empty() || !pod.status.nominated_node_name.empty();
  RememberOrigin(key);
  facts.status = nullptr;  // Whatever it is a copy of.
  AddRecord(std::move(pod), std::move(owner), std::move(facts));
  if (!matters_to_others) return;
  ++generation_;
  queue_.RetryAll();
}

void SimulatedCluster::DeletePod(const ObjectKey& key) {
  const auto it = pods_.find(key);
  if (it == pods_.end()) return;
  RememberOrigin(key);
  const SimulatedPod& pod = it->second;
  queue_.Remove(key);
  cluster_.Remove<Pod>(key);
  if (!pod.node.empty()) {
    ++generation_;
    queue_.RetryAll();
  }
  if (pod.owner) {
    const auto owned = pods_of_.find(*pod.owner);
    owned->second.erase(key);
    if (owned->second.empty()) pods_of_.erase(owned);
    TouchOwner(pod.owner);
  }
  pods_.erase(it);
}

void SimulatedCluster::BindPod(const ObjectKey& key, const std::string& node) {
  SimulatedPod& record = pods_.at(key);
  RememberOrigin(key);
  queue_.Remove(key);
  Pod pod = record.pending->pod;
  pod.spec.node_name = node;
  const Labels& namespace_labels =
      cluster_.NamespaceLabels(pod.meta.namespace_name);
  queue_.RetryIf([&](const PodInfo& waiting) {
    return MayHelp(pod, namespace_labels, waiting);
  });
  cluster_.Upsert(std::move(pod));
  record.node = node;
  record.pending = nullptr;
  record.message.clear();
  ++generation_;
  TouchOwner(record.owner);
}

void SimulatedCluster::SetMessage(const ObjectKey& key, std::string message) {
  pods_.at(key).message = std::move(message);
}

const SimulatedPod* SimulatedCluster::FindPod(const ObjectKey& key) const {
  const auto it = pods_.find(key);
  return it == pods_.end() ? nullptr : &it->second;
}

Pod SimulatedCluster::PodAt(const ObjectKey& key) const {
  const SimulatedPod& record = pods_.at(key);
  return record.pending ? record.pending->pod : cluster_.FindPod(key)->ToPod();
}

Labels SimulatedCluster::LabelsOf(const ObjectKey& key) const {
  const SimulatedPod& record = pods_.at(key);
  return record.pending ? record.pending->pod.meta.labels
                        : cluster_.FindPod(key)->labels();
}

const std::set<ObjectKey>& SimulatedCluster::PodsOf(
    const OwnerKey& owner) const {
  static const std::set<ObjectKey> kNone;
  const auto it = pods_of_.find(owner);
  return it == pods_of_.end() ? kNone : it->second;
}

std::vector<ObjectKey> SimulatedCluster::PodsOn(const std::string& node) const {
  std::vector<ObjectKey> keys;
  const NodeInfo* info = cluster_.FindNode(node);
  if (info == nullptr) return keys;
  for (const StoredPod* pod : info->pods) {
    keys.push_back({pod->namespace_name(), std::string(pod->name())});
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::string SimulatedCluster::NewPodName(std::string_view namespace_name,
                                         const std::string& prefix) {
  ObjectKey key{std::string(namespace_name), ""};
  do {
    key.name = prefix;
    for (int i = 0; i < 5; ++i) {
      key.name += kSafeLetters[random_() % kSafeLetters.size()];
    }
  } while (pods_.contains(key) || changed_.contains(key));
  return key.name;
}

void SimulatedCluster::Note(std::string text) {
  if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) {
    notes_.push_back(std::move(text));
  }
}

}  // namespace vicinal
