#ifndef VICINAL_SERVER_KUBERNETES_CLIENT_CONFIG_H_
#define VICINAL_SERVER_KUBERNETES_CLIENT_CONFIG_H_

#include <cstdint>
#include <string>

namespace vicinal {

// Where an API server is and how to be known to it. A plain value;
// LoadKubeconfig and InClusterConfig make checked ones.
struct ClientConfig {
  // Where all of this came from, to be read again; empty if from no kubeconfig.
  std::string kubeconfig_file;
  std::string kubeconfig_context;

  bool tls = true;
  std::string host;  // DNS name or IP address, IPv6 without brackets
  uint16_t port = 443;
  std::string path_prefix;  // "" or "/k8s/c1": no slash at the end

  // Trust anchors. Empty: those of the machine. The file, if they came from
  // one, is read again.
  std::string certificate_authority_pem;
  std::string certificate_authority_file;
  // Sent as SNI and compared with the server's certificate instead of `host`,
  // unless empty.
  std::string tls_server_name;
  bool insecure_skip_tls_verify = false;

  // Client certificate (chain) and its key: both or neither. The files, if they
  // came from files, are read again.
  std::string client_certificate_pem;
  std::string client_certificate_file;
  std::string client_key_pem;
  std::string client_key_file;

  // Bearer token. The file is read again while it changes, and wins over
  // `token`.
  std::string token;
  std::string token_file;

  bool operator==(const ClientConfig&) const = default;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_CLIENT_CONFIG_H_
