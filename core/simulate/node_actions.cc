#include "core/simulate/node_actions.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/deschedule/pod_facts.h"
#include "core/model/taint.h"
#include "core/simulate/evict.h"

namespace vicinal {
namespace {

constexpr char kUnschedulableTaint[] = "node.kubernetes.io/unschedulable";

absl::StatusOr<Node> FindNode(const World& world, const std::string& name) {
  const NodeInfo* node = world.cluster().FindNode(name);
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

absl::Status Cordon(World& world, const std::string& name, bool cordoned) {
  absl::StatusOr<Node> node = FindNode(world, name);
  if (!node.ok()) return node.status();
  node->unschedulable = cordoned;
  Apply({{kUnschedulableTaint, "", kNoSchedule}, !cordoned}, node->taints);
  world.Upsert(*std::move(node));
  return absl::OkStatus();
}

absl::Status Drain(World& world, const std::string& name) {
  if (absl::Status status = Cordon(world, name, true); !status.ok()) {
    return status;
  }
  for (const ObjectKey& key : world.PodsOn(name)) {
    if (!StaysInDrain(*world.FindPod(key))) EvictPod(world, key);
  }
  return absl::OkStatus();
}

absl::Status LabelNode(World& world, const Action& action) {
  absl::StatusOr<Node> node = FindNode(world, action.nodes.front());
  if (!node.ok()) return node.status();
  for (const LabelChange& change : action.labels) {
    if (change.value) {
      node->meta.labels.Set(change.key, *change.value);
    } else {
      node->meta.labels = Without(node->meta.labels, change.key);
    }
  }
  world.Upsert(*std::move(node));
  return absl::OkStatus();
}

absl::Status TaintNode(World& world, const Action& action) {
  const std::string& name = action.nodes.front();
  absl::StatusOr<Node> node = FindNode(world, name);
  if (!node.ok()) return node.status();
  for (const TaintChange& change : action.taints) Apply(change, node->taints);
  world.Upsert(*std::move(node));
  for (const ObjectKey& key : NotTolerating(world, name)) EvictPod(world, key);
  return absl::OkStatus();
}

absl::Status CopyNode(World& world, const std::string& name,
                      std::int64_t count) {
  absl::StatusOr<Node> original = FindNode(world, name);
  if (!original.ok()) return original.status();
  const std::vector<ObjectKey> pods = world.PodsOn(name);
  std::int64_t number = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    Node copy = *original;
    do {
      copy.meta.name = absl::StrCat(name, "-copy-", ++number);
    } while (world.cluster().FindNode(copy.meta.name) != nullptr);
    copy.meta.uid.clear();
    if (copy.meta.labels.Has(kHostnameLabel)) {
      copy.meta.labels.Set(kHostnameLabel, copy.meta.name);
    }
    world.Upsert(copy);
    for (const ObjectKey& key : pods) {
      const SimulatedPod& original_pod = *world.FindPod(key);
      const std::optional<OwnerKey> owner = original_pod.owner;
      const PodFacts facts = original_pod.facts;
      if (!owner || owner->kind != "DaemonSet" ||
          world.FindWorkload(*owner) != nullptr) {
        continue;
      }
      Pod pod = world.PodAt(key);
      pod.meta.name = world.NewPodName(
          key.namespace_name, key.name.substr(0, key.name.rfind('-') + 1));
      pod.meta.uid.clear();
      pod.spec.node_name = copy.meta.name;
      world.CreatePod(std::move(pod), owner, facts);
    }
  }
  return absl::OkStatus();
}

absl::Status RemoveNode(World& world, const std::string& name) {
  if (absl::StatusOr<Node> node = FindNode(world, name); !node.ok()) {
    return node.status();
  }
  for (const ObjectKey& key : world.PodsOn(name)) EvictPod(world, key);
  world.RemoveNode(name);
  return absl::OkStatus();
}

}  // namespace vicinal
