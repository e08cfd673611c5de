#include "core/deschedule/policy.h"

#include <algorithm>
#include <utility>

namespace vicinal {

bool LooksAtFinishedPods(const Policy& policy) {
  return std::ranges::any_of(policy.profiles, [](const PolicyProfile& profile) {
    return std::ranges::any_of(
        profile.strategies,
        [](const Strategy& strategy) { return IsAboutStatus(strategy.kind); });
  });
}

Policy DefaultPolicy() {
  PolicyProfile profile;
  profile.name = "default";
  for (const StrategyKind kind :
       {StrategyKind::kNodeTaints, StrategyKind::kNodeAffinity,
        StrategyKind::kRequiredPodAffinity, StrategyKind::kInterPodAntiAffinity,
        StrategyKind::kTopologySpread}) {
    Strategy strategy;
    strategy.kind = kind;
    profile.strategies.push_back(std::move(strategy));
  }
  Policy policy;
  policy.profiles.push_back(std::move(profile));
  return policy;
}

}  // namespace vicinal
