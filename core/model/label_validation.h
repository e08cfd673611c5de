// What Kubernetes accepts as a label key and a label value.
// Source: k8s.io/apimachinery/pkg/api/validate/content/kube.go and dns.go.
#ifndef VICINAL_CORE_MODEL_LABEL_VALIDATION_H_
#define VICINAL_CORE_MODEL_LABEL_VALIDATION_H_

#include <string>
#include <string_view>
#include <vector>

namespace vicinal {

// Everything that is wrong with `key` as a label key, in upstream's words;
// empty if it is valid.
std::vector<std::string> LabelKeyErrors(std::string_view key);

// The same for a label value. The empty value is valid.
std::vector<std::string> LabelValueErrors(std::string_view value);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_LABEL_VALIDATION_H_
