// Versions of Kubernetes as the API server, images and people write them.
#ifndef VICINAL_CORE_MODEL_KUBERNETES_VERSION_H_
#define VICINAL_CORE_MODEL_KUBERNETES_VERSION_H_

#include <optional>
#include <string_view>

namespace vicinal {

// The minor version: 36 for "1.36", "v1.36.3" and "v1.36.3-gke.100"; empty for
// what is no version of Kubernetes 1. Thread-safe.
std::optional<int> KubernetesMinorOf(std::string_view version);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_KUBERNETES_VERSION_H_
