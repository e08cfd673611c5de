#include "server/kubernetes/in_cluster_config.h"

#include <cstdlib>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/kubernetes/read_file.h"
#include "server/kubernetes/server_url.h"
#include "server/kubernetes/tls_context.h"

namespace vicinal {
namespace {

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

InClusterEnvironment InClusterEnvironment::OfThisProcess() {
  return {Variable("KUBERNETES_SERVICE_HOST"),
          Variable("KUBERNETES_SERVICE_PORT"),
          "/var/run/secrets/kubernetes.io/serviceaccount"};
}

absl::StatusOr<ClientConfig> InClusterConfig(
    const InClusterEnvironment& environment) {
  if (environment.service_host.empty() || environment.service_port.empty()) {
    return absl::FailedPreconditionError(
        "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT "
        "must be set");
  }
  const absl::StatusOr<uint16_t> port = ParsePort(environment.service_port);
  if (!port.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "KUBERNETES_SERVICE_PORT: value \"", environment.service_port,
        "\": ", port.status().message()));
  }
  const bool ipv6 = environment.service_host.find(':') != std::string::npos;
  const absl::StatusOr<ServerUrl> url =
      ParseServerUrl(ipv6 ? "https://[" + environment.service_host + "]"
                          : "https://" + environment.service_host);
  if (!url.ok() || !url->path_prefix.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "KUBERNETES_SERVICE_HOST: value \"", environment.service_host,
        "\": is not a DNS name or IP address"));
  }

  ClientConfig config;
  config.host = environment.service_host;
  config.port = *port;
  config.token_file = environment.service_account_dir + "/token";
  const absl::StatusOr<std::string> token = ReadSmallFile(config.token_file);
  if (!token.ok()) {
    return absl::Status(
        token.status().code(),
        absl::StrCat(config.token_file, ": ", token.status().message()));
  }
  const std::string authority_path =
      environment.service_account_dir + "/ca.crt";
  const absl::StatusOr<std::string> authority = ReadSmallFile(authority_path);
  if (!authority.ok()) {
    return absl::Status(
        authority.status().code(),
        absl::StrCat(authority_path, ": ", authority.status().message()));
  }
  const absl::Status trusted = TrustCertificates(*NewTlsContext(), *authority);
  if (!trusted.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(authority_path, ": ", trusted.message()));
  }
  config.certificate_authority_pem = *authority;
  config.certificate_authority_file = authority_path;
  return config;
}

}  // namespace vicinal
