// What decides whether a pod may be evicted and is of no use to the scheduler,
// so that the index does not keep it.
#ifndef VICINAL_CORE_DESCHEDULE_POD_FACTS_H_
#define VICINAL_CORE_DESCHEDULE_POD_FACTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "core/index/cluster_state.h"

namespace vicinal {

// In the order in which pods of equal priority are evicted.
enum class QosClass : std::uint8_t { kBestEffort, kBurstable, kGuaranteed };

// What a container's status says of how it fares.
struct ContainerFacts {
  enum class Kind : std::uint8_t { kMain, kInit, kEphemeral };

  Kind kind = Kind::kMain;
  std::int64_t restarts = 0;              // restartCount
  std::string waiting_reason;             // state.waiting.reason
  std::string terminated_reason;          // state.terminated.reason
  std::optional<std::int64_t> exit_code;  // state.terminated.exitCode

  friend bool operator==(const ContainerFacts&,
                         const ContainerFacts&) = default;
};

// An entry of status.conditions.
struct ConditionFacts {
  std::string type;
  std::string status;
  std::string reason;
  std::optional<std::int64_t> last_transition;  // In seconds since 1970.

  friend bool operator==(const ConditionFacts&,
                         const ConditionFacts&) = default;
};

// How long a pod has been there, and how it fares. About a KiB.
struct PodStatusFacts {
  // metadata.creationTimestamp, in seconds since 1970.
  std::optional<std::int64_t> creation_time;
  std::string phase;
  std::string reason;
  std::vector<ContainerFacts> containers;  // Those that have a status.
  std::vector<ConditionFacts> conditions;

  friend bool operator==(const PodStatusFacts&,
                         const PodStatusFacts&) = default;
};

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
  // Null: nothing is known, as of a pod that is not there yet. Shared, since
  // facts are copied for each plan; compared by identity.
  std::shared_ptr<const PodStatusFacts> status = nullptr;

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
