// Which plugins run for a pod, in which order and with which weights.
#ifndef VICINAL_CORE_ENGINE_PROFILE_H_
#define VICINAL_CORE_ENGINE_PROFILE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "core/plugins/framework.h"
#include "core/plugins/interpodaffinity/interpodaffinity_args.h"
#include "core/plugins/podtopologyspread/podtopologyspread_args.h"

namespace vicinal {

struct WeightedScorePlugin {
  std::unique_ptr<ScorePlugin> plugin;
  std::int64_t weight = 1;
};

struct Profile {
  std::vector<std::unique_ptr<FilterPlugin>> filters;
  std::vector<WeightedScorePlugin> scores;
};

// The two plugins that vicinal takes over from the scheduler, each with its
// default weight.
Profile TopologyProfile(const PodTopologySpreadArgs& spread,
                        const InterPodAffinityArgs& affinity);

}  // namespace vicinal

#endif  // VICINAL_CORE_ENGINE_PROFILE_H_
