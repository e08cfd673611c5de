#include "core/engine/default_profile.h"

#include <cstdint>
#include <memory>

#include "core/plugins/imagelocality/imagelocality.h"
#include "core/plugins/interpodaffinity/interpodaffinity.h"
#include "core/plugins/nodeaffinity/nodeaffinity.h"
#include "core/plugins/nodename/nodename.h"
#include "core/plugins/noderesources/balanced_allocation.h"
#include "core/plugins/noderesources/fit.h"
#include "core/plugins/nodeunschedulable/nodeunschedulable.h"
#include "core/plugins/podtopologyspread/podtopologyspread.h"
#include "core/plugins/tainttoleration/tainttoleration.h"

namespace vicinal {
namespace {

class Builder {
 public:
  template <typename Plugin, typename... Args>
  void Filter(const Args&... args) {
    profile_.filters.push_back(std::make_unique<Plugin>(args...));
  }
  template <typename Plugin, typename... Args>
  void Score(std::int64_t weight, const Args&... args) {
    profile_.scores.push_back({std::make_unique<Plugin>(args...), weight});
  }

  Profile Build() { return std::move(profile_); }

 private:
  Profile profile_;
};

}  // namespace

Profile DefaultProfile(const PluginConfig& config) {
  Builder profile;
  profile.Filter<NodeName>();
  profile.Filter<NodeUnschedulable>();
  profile.Filter<TaintToleration>();
  profile.Filter<NodeAffinityPlugin>(config.node_affinity);
  profile.Filter<NodeResourcesFit>(config.node_resources_fit);
  profile.Filter<PodTopologySpread>(config.pod_topology_spread);
  profile.Filter<InterPodAffinity>(config.inter_pod_affinity);
  profile.Score<TaintToleration>(3);
  profile.Score<NodeAffinityPlugin>(2, config.node_affinity);
  profile.Score<NodeResourcesFit>(1, config.node_resources_fit);
  profile.Score<PodTopologySpread>(2, config.pod_topology_spread);
  profile.Score<InterPodAffinity>(2, config.inter_pod_affinity);
  profile.Score<NodeResourcesBalancedAllocation>(
      1, config.node_resources_balanced_allocation);
  profile.Score<ImageLocality>(1);
  return profile.Build();
}

}  // namespace vicinal
