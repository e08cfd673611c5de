// Arguments of the InterPodAffinity plugin.
// Source: pkg/scheduler/apis/config/types_pluginargs.go and v1/defaults.go.
#ifndef VICINAL_CORE_PLUGINS_INTERPODAFFINITY_INTERPODAFFINITY_ARGS_H_
#define VICINAL_CORE_PLUGINS_INTERPODAFFINITY_INTERPODAFFINITY_ARGS_H_

#include <cstdint>

namespace vicinal {

struct InterPodAffinityArgs {
  // Weight of existing pods' required affinity in scores, 0 … 100.
  std::int32_t hard_pod_affinity_weight = 1;
  // Do not score by existing pods' preferred terms, unless the incoming pod
  // has preferred terms of its own.
  bool ignore_preferred_terms_of_existing_pods = false;

  friend bool operator==(const InterPodAffinityArgs&,
                         const InterPodAffinityArgs&) = default;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_INTERPODAFFINITY_INTERPODAFFINITY_ARGS_H_
