#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/simulate/controllers.h"
#include "core/simulate/pod_from_template.h"
#include "core/simulate/template_hash.h"

namespace vicinal {
namespace {

// The pods by ordinal; those of other names are left alone.
std::map<std::int64_t, ObjectKey> ByOrdinal(const SimulatedCluster& simulated,
                                            const Workload& set) {
  std::map<std::int64_t, ObjectKey> pods;
  const std::string prefix = set.meta.name + "-";
  for (const ObjectKey& key : simulated.PodsOf(KeyOf(set))) {
    std::int64_t ordinal = 0;
    if (key.name.starts_with(prefix) &&
        absl::SimpleAtoi(key.name.substr(prefix.size()), &ordinal)) {
      pods[ordinal] = key;
    }
  }
  return pods;
}

void Create(SimulatedCluster& simulated, const Workload& set,
            std::int64_t ordinal) {
  Workload numbered = set;
  const std::string name = absl::StrCat(set.meta.name, "-", ordinal);
  Labels& labels = numbered.pod_template.meta.labels;
  labels.Set("statefulset.kubernetes.io/pod-name", name);
  labels.Set("apps.kubernetes.io/pod-index", std::to_string(ordinal));
  if (!set.revision.empty()) labels.Set(kRevisionHashLabel, set.revision);
  simulated.CreatePod(PodFromTemplate(numbered, name), KeyOf(set),
                      set.pod_facts);
}

bool IsUpToDate(const SimulatedCluster& simulated, const Workload& set,
                const ObjectKey& pod) {
  if (set.revision.empty()) return true;
  const Labels labels = simulated.LabelsOf(pod);
  const std::string* revision = labels.Find(kRevisionHashLabel);
  return revision != nullptr && *revision == set.revision;
}

}  // namespace

void SyncStatefulSet(SimulatedCluster& simulated, const Workload& set) {
  const std::map<std::int64_t, ObjectKey> pods = ByOrdinal(simulated, set);
  const auto runs = [&simulated](const ObjectKey& key) {
    return !simulated.FindPod(key)->node.empty();
  };
  // In order, each waits for the one before it.
  for (std::int64_t ordinal = 0; ordinal < set.replicas; ++ordinal) {
    const auto it = pods.find(ordinal);
    if (it != pods.end() && runs(it->second)) continue;
    if (it == pods.end()) Create(simulated, set, ordinal);
    if (!set.parallel) return;
  }
  bool scaled_down = false;
  for (auto it = pods.rbegin(); it != pods.rend(); ++it) {
    if (it->first < set.replicas) break;
    simulated.DeletePod(it->second);
    scaled_down = true;
  }
  if (scaled_down || set.on_delete) return;
  // The last one first, each waits for the one after it.
  for (std::int64_t ordinal = set.replicas; ordinal-- > 0;) {
    const auto it = pods.find(ordinal);
    if (it == pods.end()) return;
    if (!IsUpToDate(simulated, set, it->second)) {
      return simulated.DeletePod(it->second);
    }
    if (!runs(it->second)) return;
  }
}

}  // namespace vicinal
