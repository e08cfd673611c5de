// Finds what is probably a mistake in the rules of a hand-written pod: fields
// that do not exist, at which a lenient reader only looks away.
#ifndef VICINAL_CORE_MODEL_MANIFEST_CHECK_H_
#define VICINAL_CORE_MODEL_MANIFEST_CHECK_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace vicinal {

// Appends to `warnings` one line for each unknown field in the affinity,
// tolerations and topologySpreadConstraints of a v1.PodSpec, with the name that
// was probably meant, and for each value that no API server accepts there:
//   spec.affinity.podAntiAfinity: unknown field, ignored; did you mean
//   "podAntiAffinity"?
// `path` is that of the spec. Values of a wrong type are left to the decoder.
void CheckPodSpec(const nlohmann::json& spec, const std::string& path,
                  std::vector<std::string>& warnings);

// The same for rules of a pod that stand in the spec of a workload, where they
// have no effect. `template_path` is where they belong.
void CheckWorkloadSpec(const nlohmann::json& spec, const std::string& kind,
                       const std::string& path,
                       const std::string& template_path,
                       std::vector<std::string>& warnings);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_MANIFEST_CHECK_H_
