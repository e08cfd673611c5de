#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/node_selector.h"
#include "core/model/taint.h"
#include "core/simulate/controllers.h"
#include "core/simulate/pod_from_template.h"
#include "core/simulate/template_hash.h"

namespace vicinal {
namespace {

// Source: util.AddOrUpdateDaemonPodTolerations.
std::vector<Toleration> WithDaemonTolerations(std::vector<Toleration> own) {
  const auto add = [&own](const char* key, const char* effect) {
    own.push_back({key, "Exists", "", effect});
  };
  add("node.kubernetes.io/not-ready", kNoExecute);
  add("node.kubernetes.io/unreachable", kNoExecute);
  add("node.kubernetes.io/disk-pressure", kNoSchedule);
  add("node.kubernetes.io/memory-pressure", kNoSchedule);
  add("node.kubernetes.io/pid-pressure", kNoSchedule);
  add("node.kubernetes.io/unschedulable", kNoSchedule);
  return own;
}

std::optional<NodeAffinity> NodeAffinityOf(const Pod& pod) {
  return pod.spec.affinity ? pod.spec.affinity->node_affinity : std::nullopt;
}

// Replaces what the template requires of the node by the node itself.
// Source: util.ReplaceDaemonSetPodNodeNameNodeAffinity.
void PinTo(const std::string& node, Pod& pod) {
  NodeSelectorTerm term;
  term.match_fields = {{"metadata.name", "In", {node}}};
  if (!pod.spec.affinity) pod.spec.affinity.emplace();
  auto& affinity = pod.spec.affinity->node_affinity;
  if (!affinity) affinity.emplace();
  affinity->required = NodeSelector{std::move(term)};
}

// The node that a pod is meant for.
std::string TargetOf(const SimulatedCluster& simulated, const ObjectKey& key) {
  const SimulatedPod& pod = *simulated.FindPod(key);
  if (!pod.node.empty()) return pod.node;
  const std::optional<NodeAffinity> affinity = NodeAffinityOf(pod.pending->pod);
  if (!affinity || !affinity->required) return "";
  for (const NodeSelectorTerm& term : *affinity->required) {
    for (const NodeSelectorRequirement& field : term.match_fields) {
      if (field.values.size() == 1) return field.values.front();
    }
  }
  return "";
}

struct Verdict {
  bool should_run;
  bool may_stay;
};

// Source: NodeShouldRunDaemonPod.
Verdict Judge(const Workload& set, const RequiredNodeAffinity& required,
              const Node& node, const KubernetesRelease& release) {
  if (!required.Matches(node.meta.labels, node.meta.name)) {
    return {false, false};
  }
  Verdict verdict{true, true};
  for (const Taint& taint : node.taints) {
    if (Tolerate(set.pod_template.spec.tolerations, taint,
                 release.taint_comparisons)) {
      continue;
    }
    if (taint.effect == kNoSchedule) verdict.should_run = false;
    if (taint.effect == kNoExecute) verdict = {false, false};
  }
  return verdict;
}

}  // namespace

void SyncDaemonSet(SimulatedCluster& simulated, const Workload& daemon_set) {
  Workload set = daemon_set;
  set.pod_template.spec.tolerations =
      WithDaemonTolerations(std::move(set.pod_template.spec.tolerations));
  if (!set.revision.empty()) {
    set.pod_template.meta.labels.Set(kRevisionHashLabel, set.revision);
  }
  const RequiredNodeAffinity required(set.pod_template.spec.node_selector,
                                      NodeAffinityOf(set.pod_template));
  std::map<std::string, std::vector<ObjectKey>> pods;
  for (const ObjectKey& key : simulated.PodsOf(KeyOf(set))) {
    pods[TargetOf(simulated, key)].push_back(key);
  }
  std::int64_t unavailable = 0;
  std::int64_t wanted = 0;
  std::vector<ObjectKey> outdated;
  for (const NodeInfo* info : simulated.cluster().Nodes()) {
    const std::string name = info->Name();
    const Verdict verdict =
        Judge(set, required, *info->node, simulated.cluster().release());
    const std::vector<ObjectKey> here = std::move(pods[name]);
    pods.erase(name);
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (i > 0 || !verdict.may_stay) simulated.DeletePod(here[i]);
    }
    if (!verdict.should_run) continue;
    ++wanted;
    if (here.empty()) {
      Pod pod = PodFromTemplate(
          set,
          simulated.NewPodName(set.meta.namespace_name, set.meta.name + "-"));
      PinTo(name, pod);
      simulated.CreatePod(std::move(pod), KeyOf(set), set.pod_facts);
      ++unavailable;
      continue;
    }
    const ObjectKey& key = here.front();
    if (simulated.FindPod(key)->node.empty()) ++unavailable;
    const Labels labels = simulated.LabelsOf(key);
    const std::string* revision = labels.Find(kRevisionHashLabel);
    if (!set.revision.empty() && !set.on_delete &&
        (revision == nullptr || *revision != set.revision)) {
      outdated.push_back(key);
    }
  }
  // Of nodes that are no longer there.
  for (const auto& [node, keys] : pods) {
    for (const ObjectKey& key : keys) simulated.DeletePod(key);
  }
  const std::int64_t limit =
      std::max<std::int64_t>(1, set.max_unavailable.Of(wanted, true));
  for (const ObjectKey& key : outdated) {
    // Those that wait already are replaced for nothing.
    const bool waits = simulated.FindPod(key)->node.empty();
    if (!waits && unavailable >= limit) continue;
    if (!waits) ++unavailable;
    simulated.DeletePod(key);
  }
}

}  // namespace vicinal
