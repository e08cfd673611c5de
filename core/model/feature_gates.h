// The feature gates of the scheduler that change the plugins' answers, as the
// scheduler's own flag sets them.
#ifndef VICINAL_CORE_MODEL_FEATURE_GATES_H_
#define VICINAL_CORE_MODEL_FEATURE_GATES_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "core/model/kubernetes_release.h"

namespace vicinal {

// The release with the gates set that `gates` names, in the form of
// kube-scheduler's --feature-gates: "A=true,B=false", also "kube:A=true". Gates
// without influence on the plugins change nothing; a later mention of a gate
// counts. AllAlpha and AllBeta are for the gates that are not named.
//
// InvalidArgument names the gate and its value: a malformed pair, a gate that
// the release does not have or has locked, or one that changes answers in a way
// that vicinal does not follow. Cost: O(gates). Thread-safe.
// Source: k8s.io/component-base/featuregate/feature_gate.go.
absl::StatusOr<KubernetesRelease> WithFeatureGates(
    const KubernetesRelease& release, std::string_view gates);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_FEATURE_GATES_H_
