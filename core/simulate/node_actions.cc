#include "core/simulate/node_actions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/deschedule/pod_facts.h"
#include "core/model/selector.h"
#include "core/model/taint.h"
#include "core/simulate/evict.h"

namespace vicinal {
namespace {

constexpr char kUnschedulableTaint[] = "node.kubernetes.io/unschedulable";

absl::StatusOr<Node> FindNode(const SimulatedCluster& simulated,
                              const std::string& name) {
  const NodeInfo* node = simulated.cluster().FindNode(name);
  if (node != nullptr) return *node->node;
  return absl::NotFoundError(absl::StrCat("there is no node \"", name, "\""));
}

Labels Without(const Labels& labels, const std::string& key) {
  std::vector<Labels::Entry> kept;
  for (const Labels::Entry& label : labels) {
    if (label.first != key) kept.push_back(label);
  }
  return Labels(std::move(kept));
}

void Apply(const TaintChange& change, std::vector<Taint>& taints) {
  std::erase_if(taints, [&change](const Taint& taint) {
    return taint.key == change.taint.key &&
           (change.taint.effect.empty() || taint.effect == change.taint.effect);
  });
  if (!change.remove) taints.push_back(change.taint);
}

}  // namespace

absl::StatusOr<std::vector<std::string>> NodesOf(
    const SimulatedCluster& simulated, const Action& action) {
  if (!action.nodes.empty()) return action.nodes;
  const Selector selector = Selector::FromSet(action.node_labels);
  std::vector<std::string> names;
  for (const NodeInfo* node : simulated.cluster().Nodes()) {
    if (selector.Matches(node->labels())) names.emplace_back(node->Name());
  }
  if (names.empty()) return absl::NotFoundError("no node has these labels");
  std::sort(names.begin(), names.end());
  return names;
}

absl::Status Cordon(SimulatedCluster& simulated, const std::string& name,
                    bool cordoned) {
  absl::StatusOr<Node> node = FindNode(simulated, name);
  if (!node.ok()) return node.status();
  node->unschedulable = cordoned;
  Apply({{kUnschedulableTaint, "", kNoSchedule}, !cordoned}, node->taints);
  simulated.Upsert(*std::move(node));
  return absl::OkStatus();
}

absl::Status LabelNode(SimulatedCluster& simulated, const Action& action) {
  absl::StatusOr<Node> node = FindNode(simulated, action.nodes.front());
  if (!node.ok()) return node.status();
  for (const LabelChange& change : action.labels) {
    if (change.value) {
      node->meta.labels.Set(change.key, *change.value);
    } else {
      node->meta.labels = Without(node->meta.labels, change.key);
    }
  }
  simulated.Upsert(*std::move(node));
  return absl::OkStatus();
}

absl::Status TaintNode(SimulatedCluster& simulated, const Action& action) {
  const std::string& name = action.nodes.front();
  absl::StatusOr<Node> node = FindNode(simulated, name);
  if (!node.ok()) return node.status();
  for (const TaintChange& change : action.taints) Apply(change, node->taints);
  simulated.Upsert(*std::move(node));
  for (const ObjectKey& key : NotTolerating(simulated, name))
    EvictPod(simulated, key);
  return absl::OkStatus();
}

absl::Status CopyNode(SimulatedCluster& simulated, const std::string& name,
                      std::int64_t count, std::string* last) {
  absl::StatusOr<Node> original = FindNode(simulated, name);
  if (!original.ok()) return original.status();
  const std::vector<ObjectKey> pods = simulated.PodsOn(name);
  std::int64_t number = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    Node copy = *original;
    do {
      copy.meta.name = absl::StrCat(name, "-copy-", ++number);
    } while (simulated.cluster().FindNode(copy.meta.name) != nullptr);
    copy.meta.uid.clear();
    if (last != nullptr) *last = copy.meta.name;
    if (copy.meta.labels.Has(kHostnameLabel)) {
      copy.meta.labels.Set(kHostnameLabel, copy.meta.name);
    }
    simulated.Upsert(copy);
    for (const ObjectKey& key : pods) {
      const SimulatedPod& original_pod = *simulated.FindPod(key);
      const std::optional<OwnerKey> owner = original_pod.owner;
      const PodFacts facts = original_pod.facts;
      if (!owner || owner->kind != "DaemonSet" ||
          simulated.FindWorkload(*owner) != nullptr) {
        continue;
      }
      Pod pod = simulated.PodAt(key);
      pod.meta.name = simulated.NewPodName(
          key.namespace_name, key.name.substr(0, key.name.rfind('-') + 1));
      pod.meta.uid.clear();
      pod.spec.node_name = copy.meta.name;
      simulated.CreatePod(std::move(pod), owner, facts);
    }
  }
  return absl::OkStatus();
}

absl::Status RemoveNode(SimulatedCluster& simulated, const std::string& name) {
  if (absl::StatusOr<Node> node = FindNode(simulated, name); !node.ok()) {
    return node.status();
  }
  for (const ObjectKey& key : simulated.PodsOn(name)) EvictPod(simulated, key);
  simulated.RemoveNode(name);
  return absl::OkStatus();
}

}  // namespace vicinal
