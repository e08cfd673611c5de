#include "core/deschedule/policy.h"

#include <utility>

namespace vicinal {

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
