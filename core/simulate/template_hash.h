// The hash that tells the revisions of a workload's pod template apart.
#ifndef VICINAL_CORE_SIMULATE_TEMPLATE_HASH_H_
#define VICINAL_CORE_SIMULATE_TEMPLATE_HASH_H_

#include <string>
#include <string_view>

#include "core/simulate/simulated_workload.h"

namespace vicinal {

inline constexpr char kPodTemplateHashLabel[] = "pod-template-hash";
inline constexpr char kRevisionHashLabel[] = "controller-revision-hash";

// The letters that generated names are made of.
// Source: k8s.io/apimachinery/pkg/util/rand.
inline constexpr std::string_view kSafeLetters = "bcdfghjklmnpqrstvwxz2456789";

// `5d9f7b6c8`: of a form like upstream's, but not the same number, since it is
// made from the fields that vicinal knows. Restarts count.
std::string TemplateHash(const Workload& workload);

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_TEMPLATE_HASH_H_
