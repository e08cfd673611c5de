// v1.TopologySpreadConstraint as written in a pod or in plugin arguments.
#ifndef VICINAL_CORE_MODEL_TOPOLOGY_SPREAD_CONSTRAINT_H_
#define VICINAL_CORE_MODEL_TOPOLOGY_SPREAD_CONSTRAINT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/label_selector.h"

namespace vicinal {

inline constexpr char kDoNotSchedule[] = "DoNotSchedule";
inline constexpr char kScheduleAnyway[] = "ScheduleAnyway";

// nodeAffinityPolicy and nodeTaintsPolicy.
inline constexpr char kHonor[] = "Honor";
inline constexpr char kIgnore[] = "Ignore";

struct TopologySpreadConstraint {
  std::int32_t max_skew = 0;
  std::string topology_key;
  std::string when_unsatisfiable;  // kDoNotSchedule or kScheduleAnyway.
  std::optional<LabelSelector> label_selector;
  std::optional<std::int32_t> min_domains;          // Absent: 1.
  std::optional<std::string> node_affinity_policy;  // Absent: kHonor.
  std::optional<std::string> node_taints_policy;    // Absent: kIgnore.
  std::vector<std::string> match_label_keys;

  friend bool operator==(const TopologySpreadConstraint&,
                         const TopologySpreadConstraint&) = default;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_TOPOLOGY_SPREAD_CONSTRAINT_H_
