// What many pods have in common, kept once for all of them.
#ifndef VICINAL_CORE_INDEX_POD_TEMPLATE_H_
#define VICINAL_CORE_INDEX_POD_TEMPLATE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/index/topology_index.h"
#include "core/model/labels.h"
#include "core/model/pod.h"
#include "core/model/pod_resources.h"

namespace vicinal {

// What is a pod's own. All the rest it shares with the other pods of its
// controller, as a rule.
struct OwnFields {
  std::string name;
  std::string uid;
  Labels labels;
  std::optional<std::string> deletion_timestamp;
  std::optional<std::int64_t> start_time;
  std::string node_name;
  std::string phase;
  std::string nominated_node_name;
  std::uint64_t scheduling_failure = 0;
  std::uint64_t resource_version = 0;

  // Exchanges the fields with those of a pod: takes them out of it, or gives
  // them back.
  void SwapWith(Pod& pod);
};

// Made and kept by PodTemplates.
struct PodTemplate {
  Pod pod;  // Without its own fields.
  PodResource resource;
  std::vector<CarriedTerm*> terms;  // Of the affinity, those that parse.
  std::size_t holders = 0;
};

// The hash of what is left of a pod when its own fields are taken. Equal pods
// have equal hashes; some fields that seldom differ alone are left out.
// Cost: O(containers + terms).
std::size_t HashOfTemplate(const Pod& pod);

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_POD_TEMPLATE_H_
