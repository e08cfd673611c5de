#ifndef VICINAL_SERVER_KUBERNETES_TLS_CONTEXT_H_
#define VICINAL_SERVER_KUBERNETES_TLS_CONTEXT_H_

#include <chrono>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/kubernetes/client_config.h"

// OpenSSL's SSL_CTX, SSL, X509 and STACK_OF(X509), without its headers.
struct ssl_ctx_st;
struct ssl_st;
struct stack_st_X509;
struct x509_st;

namespace vicinal {

struct TlsContextDeleter {
  void operator()(ssl_ctx_st* context) const;
};
using TlsContext = std::unique_ptr<ssl_ctx_st, TlsContextDeleter>;

// An empty client context: TLS 1.2 or newer, trusting nobody, certificate
// verification on.
TlsContext NewTlsContext();

// Trusts exactly the certificates in `pem`, be they roots or intermediates. An
// error if there is none or one does not parse.
absl::Status TrustCertificates(ssl_ctx_st& context, const std::string& pem);

// Refuses certificates that their authority has revoked by a list in `pem`, and
// certificates of an authority without a list that is valid now. To be called
// after TrustCertificates. An error if there is no list or one does not parse.
absl::Status UseRevocationLists(ssl_ctx_st& context, const std::string& pem);

// What a handshake with this context would say of a client's certificate,
// given with its chain: OK, or Unauthenticated with OpenSSL's reason. `chain`
// may be empty. Cost: that of checking the signatures.
absl::Status VerifyClient(ssl_ctx_st& context, x509_st& certificate,
                          stack_st_X509* chain);
// The same of PEM; InvalidArgument if there is no certificate in it.
absl::Status VerifyClient(ssl_ctx_st& context, const std::string& pem);

// Presents, to servers or clients, the first certificate of `certificate_pem`,
// followed by the rest as its chain. An error if either does not parse, the key
// is encrypted, or the key is not the certificate's.
absl::Status UseCertificate(ssl_ctx_st& context,
                            const std::string& certificate_pem,
                            const std::string& key_pem);

// When the first certificate of `pem` ends. An error if it does not parse.
absl::StatusOr<std::chrono::sys_seconds> CertificateExpiration(
    const std::string& pem);

// The context that `config` asks for.
absl::StatusOr<TlsContext> MakeTlsContext(const ClientConfig& config);

// Prepares one connection: SNI, and the name or IP address that the server's
// certificate must carry as a subject alternative name (the common name does
// not count).
absl::Status ExpectServerName(ssl_st& connection, const std::string& name);

// Why the peer's certificate was refused: "self-signed certificate", "hostname
// mismatch"; empty if it was not refused.
std::string CertificateProblem(ssl_st& connection);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_TLS_CONTEXT_H_
