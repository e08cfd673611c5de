// The feature gates that kube-scheduler knows, by release.
// Source: pkg/features/kube_features.go, and the gates of k8s.io/apiserver,
// client-go and component-base, which are registered with them.
#ifndef VICINAL_CORE_MODEL_FEATURE_GATE_TABLE_H_
#define VICINAL_CORE_MODEL_FEATURE_GATE_TABLE_H_

#include <optional>
#include <string_view>

namespace vicinal {

enum class FeatureStage { kAlpha, kBeta, kGenerallyAvailable, kDeprecated };

struct FeatureGate {
  FeatureStage stage = FeatureStage::kAlpha;
  bool is_on = false;      // By default.
  bool is_locked = false;  // To the default.
};

// Empty if the release's kube-scheduler has no gate of that name. `release` is
// KubernetesRelease::name. Cost: O(log gates). Thread-safe.
std::optional<FeatureGate> FindFeatureGate(std::string_view release,
                                           std::string_view gate);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_FEATURE_GATE_TABLE_H_
