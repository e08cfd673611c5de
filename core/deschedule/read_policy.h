// Reads a policy in the descheduler's own format:
//
//   apiVersion: descheduler/v1alpha2
//   kind: DeschedulerPolicy
//   maxNoOfPodsToEvictPerNode: 2
//   profiles:
//   - name: default
//     pluginConfig:
//     - name: DefaultEvictor
//       args: {minReplicas: 2, podProtections: {extraEnabled: [PodsWithPVC]}}
//     plugins:
//       deschedule: {enabled: [RemovePodsViolatingNodeTaints]}
//       balance: {enabled: [vicinal.SoftAntiAffinity]}
//
// Source: sigs.k8s.io/descheduler v0.36.0, pkg/api/v1alpha2 and the types.go
// and validation.go of the plugins.
#ifndef VICINAL_CORE_DESCHEDULE_READ_POLICY_H_
#define VICINAL_CORE_DESCHEDULE_READ_POLICY_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "core/deschedule/policy.h"

namespace vicinal {

// YAML or JSON; or a ConfigMap that has such a text under the key policy.yaml,
// as the descheduler's own manifests have it. Refused, with the path of the
// field: unknown fields, what upstream's validation refuses, and what vicinal
// cannot do: PodsWithoutPDB, storage classes, priority classes by name other
// than the system's, metrics, sorting plugins.
//
// Strategies that vicinal does not have, or not with these args, are refused
// all at once (Unimplemented), or with `skip_unsupported` left out and told of
// in Policy::skipped. What restricts evictions is never left out.
//
// `vicinal.maxNoOfPodsToEvictPerOwner` beside `maxNoOfPodsToEvictPerNode` is an
// extension; 0: no limit. So are the plugins with `vicinal.` in their names,
// which may stand in deschedule or balance.
//
// nodeFit and topologyBalanceNodeFit say nothing new to the strategies about
// where a pod is: it is evicted only if its replacement fits elsewhere.
absl::StatusOr<Policy> ReadPolicy(std::string_view text,
                                  bool skip_unsupported = false);

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_READ_POLICY_H_
