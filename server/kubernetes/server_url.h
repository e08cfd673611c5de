#ifndef VICINAL_SERVER_KUBERNETES_SERVER_URL_H_
#define VICINAL_SERVER_KUBERNETES_SERVER_URL_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace vicinal {

// The parts of a kubeconfig's `server`.
struct ServerUrl {
  bool tls = true;
  std::string host;  // IPv6 without brackets
  uint16_t port = 443;
  std::string path_prefix;  // without a slash at the end; "" for none
};

// "https://10.0.0.1:6443/k8s/c1" and the like. The scheme is required; the port
// defaults to the scheme's. User info, query and fragment are refused. Errors
// do not repeat the URL.
absl::StatusOr<ServerUrl> ParseServerUrl(std::string_view url);

// A whole decimal number from 1 to 65535.
absl::StatusOr<uint16_t> ParsePort(std::string_view text);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_SERVER_URL_H_
