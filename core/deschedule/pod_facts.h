// What decides whether a pod may be evicted and is of no use to the scheduler,
// so that the index does not keep it.
#ifndef VICINAL_CORE_DESCHEDULE_POD_FACTS_H_
#define VICINAL_CORE_DESCHEDULE_POD_FACTS_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "core/index/cluster_state.h"

namespace vicinal {

// In the order in which pods of equal priority are evicted.
enum class QosClass : std::uint8_t { kBestEffort, kBurstable, kGuaranteed };

// Source: sigs.k8s.io/descheduler pkg/utils/pod.go.
struct PodFacts {
  QosClass qos = QosClass::kBestEffort;
  bool mirror = false;         // Annotation kubernetes.io/config.mirror.
  bool is_static = false;      // kubernetes.io/config.source is not "api".
  bool local_storage = false;  // A volume emptyDir or hostPath.
  bool pvc = false;            // A volume persistentVolumeClaim.
  bool resource_claims = false;
  // Annotations descheduler.alpha.kubernetes.io/evict and …/prefer-no-eviction.
  bool evict_annotation = false;
  bool prefer_no_eviction = false;

  friend bool operator==(const PodFacts&, const PodFacts&) = default;
};

struct ObjectKeyHash {
  std::size_t operator()(const ObjectKey& key) const {
    return absl::HashOf(key.namespace_name, key.name);
  }
};

// Pods that are not in it have the facts of a PodFacts().
using PodFactsMap = absl::flat_hash_map<ObjectKey, PodFacts, ObjectKeyHash>;

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_POD_FACTS_H_
