#include "core/engine/profile.h"

#include "core/plugins/interpodaffinity/interpodaffinity.h"
#include "core/plugins/podtopologyspread/podtopologyspread.h"

namespace vicinal {

Profile TopologyProfile(const PodTopologySpreadArgs& spread,
                        const InterPodAffinityArgs& affinity) {
  Profile profile;
  profile.filters.push_back(std::make_unique<PodTopologySpread>(spread));
  profile.filters.push_back(std::make_unique<InterPodAffinity>(affinity));
  profile.scores.push_back({std::make_unique<PodTopologySpread>(spread), 2});
  profile.scores.push_back({std::make_unique<InterPodAffinity>(affinity), 2});
  return profile;
}

}  // namespace vicinal
