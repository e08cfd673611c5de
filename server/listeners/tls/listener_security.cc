#include "server/listeners/tls/listener_security.h"

#include "server/listeners/http/endpoint.h"

namespace vicinal {

absl::Status CheckTlsFlags(const ListenerSecurity& security) {
  const TlsOptions& tls = security.tls;
  if (tls.cert_file.empty() != tls.private_key_file.empty()) {
    return absl::InvalidArgumentError(
        "--tls-cert-file and --tls-private-key-file go together");
  }
  if (!tls.client_ca_file.empty() && !security.HasTls()) {
    return absl::InvalidArgumentError("--client-ca-file needs --tls-cert-file");
  }
  if (!tls.client_crl_file.empty() && tls.client_ca_file.empty()) {
    return absl::InvalidArgumentError(
        "--client-crl-file needs --client-ca-file");
  }
  return absl::OkStatus();
}

absl::Status CheckListenAddress(const char* flag, const std::string& address,
                                const ListenerSecurity& security) {
  const absl::StatusOr<Endpoint> endpoint = ParseEndpoint(address);
  if (!endpoint.ok()) {
    return absl::InvalidArgumentError(std::string(flag) + ": " +
                                      std::string(endpoint.status().message()));
  }
  if (endpoint->IsLoopback() || security.allow_insecure_listen ||
      security.HasTls()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      std::string(flag) + ": " + address +
      " can be reached from other machines, without TLS: set --tls-cert-file "
      "and --tls-private-key-file, or --allow-insecure-listen");
}

absl::StatusOr<std::unique_ptr<ServerTls>> LoadTls(
    const ListenerSecurity& security) {
  if (!security.HasTls()) return nullptr;
  return ServerTls::Load(security.tls);
}

}  // namespace vicinal
