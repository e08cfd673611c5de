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
std::map<std::int64_t, ObjectKey> ByOrdinal(const World& world,
                                            const Workload& set) {
  std::map<std::int64_t, ObjectKey> pods;
  const std::string prefix = set.meta.name + "-";
  for (const ObjectKey& key : world.PodsOf(KeyOf(set))) {
    std::int64_t ordinal = 0;
    if (key.name.starts_with(prefix) &&
        absl::SimpleAtoi(key.name.substr(prefix.size()), &ordinal)) {
      pods[ordinal] = key;
    }
  }
  return pods;
}

void Create(World& world, const Workload& set, std::int64_t ordinal) {
  Workload numbered = set;
  const std::string name = absl::StrCat(set.meta.name, "-", ordinal);
  Labels& labels = numbered.pod_template.meta.labels;
  labels.Set("statefulset.kubernetes.io/pod-name", name);
  labels.Set("apps.kubernetes.io/pod-index", std::to_string(ordinal));
  if (!set.revision.empty()) labels.Set(kRevisionHashLabel, set.revision);
  world.CreatePod(PodFromTemplate(numbered, name), KeyOf(set), set.pod_facts);
}

bool IsUpToDate(const World& world, const Workload& set, const ObjectKey& pod) {
  if (set.revision.empty()) return true;
  const Labels labels = world.LabelsOf(pod);
  const std::string* revision = labels.Find(kRevisionHashLabel);
  return revision != nullptr && *revision == set.revision;
}

}  // namespace

void SyncStatefulSet(World& world, const Workload& set) {
  const std::map<std::int64_t, ObjectKey> pods = ByOrdinal(world, set);
  const auto runs = [&world](const ObjectKey& key) {
    return !world.FindPod(key)->node.empty();
  };
  // In order, each waits for the one before it.
  for (std::int64_t ordinal = 0; ordinal < set.replicas; ++ordinal) {
    const auto it = pods.find(ordinal);
    if (it != pods.end() && runs(it->second)) continue;
    if (it == pods.end()) Create(world, set, ordinal);
    if (!set.parallel) return;
  }
  bool scaled_down = false;
  for (auto it = pods.rbegin(); it != pods.rend(); ++it) {
    if (it->first < set.replicas) break;
    world.DeletePod(it->second);
    scaled_down = true;
  }
  if (scaled_down || set.on_delete) return;
  // The last one first, each waits for the one after it.
  for (std::int64_t ordinal = set.replicas; ordinal-- > 0;) {
    const auto it = pods.find(ordinal);
    if (it == pods.end()) return;
    if (!IsUpToDate(world, set, it->second)) {
      return world.DeletePod(it->second);
    }
    if (!runs(it->second)) return;
  }
}

}  // namespace vicinal
