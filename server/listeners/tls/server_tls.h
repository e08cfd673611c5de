// The certificate that vicinal's listeners present, and whose clients they
// believe; read again when the files change.
//
//   TlsOptions options;
//   options.cert_file = "tls.crt";
//   options.private_key_file = "tls.key";
//   auto tls = ServerTls::Load(options);
//   … SSL_new((*tls)->context().get()) for each new connection
//
// A connection keeps the certificate that it began with; whether its client is
// still believed can be asked at any time. Files that are changed
// into something that cannot be used are logged and change nothing.
#ifndef VICINAL_SERVER_LISTENERS_TLS_SERVER_TLS_H_
#define VICINAL_SERVER_LISTENERS_TLS_SERVER_TLS_H_

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "core/sync/mutex.h"

// OpenSSL's SSL_CTX and SSL, without its headers.
struct ssl_ctx_st;
struct ssl_st;

namespace vicinal {

enum class TlsVersion { k12, k13 };

struct TlsOptions {
  std::string cert_file;         // PEM, followed by its chain.
  std::string private_key_file;  // PEM, not encrypted.
  std::string client_ca_file;    // Empty: clients need no certificate.
  // Revocation lists, PEM, one of each authority of client_ca_file. Empty: no
  // certificate is revoked.
  std::string client_crl_file;
  TlsVersion min_version = TlsVersion::k12;
};

// Thread-safe.
class ServerTls {
 public:
  // How soon a change of the files is noticed.
  static constexpr std::chrono::seconds kReloadPeriod{1};

  // Reads the files. The error names the flag and the file, and what is wrong.
  static absl::StatusOr<std::unique_ptr<ServerTls>> Load(TlsOptions options);

  ServerTls(const ServerTls&) = delete;
  ServerTls& operator=(const ServerTls&) = delete;
  ~ServerTls();

  const TlsOptions& options() const { return options_; }

  // The context for a new connection, which chooses HTTP/2 if the client offers
  // it, and then HTTP/1.1 (ALPN). With a client CA it verifies the client's
  // certificate, if there is one; whether there must be is the connection's
  // business (SSL_set_verify).
  std::shared_ptr<ssl_ctx_st> context() const;

  // Whether the client of a connection, which was believed by the context
  // `believed_by`, is still believed: its certificate may have been revoked
  // meanwhile, or its authority exchanged. Sets `believed_by` to the newest
  // context then. Unauthenticated, with OpenSSL's reason, if it is not.
  // Cost: O(1) while the files are the same.
  absl::Status CheckClient(ssl_st& connection,
                           std::shared_ptr<ssl_ctx_st>& believed_by) const;
  // The same of a certificate with its chain, PEM.
  absl::Status CheckClient(const std::string& pem) const;

 private:
  // What the files hold.
  struct Contents {
    std::string certificate_pem;
    std::string key_pem;
    std::string client_ca_pem;
    std::string client_crl_pem;

    friend bool operator==(const Contents&, const Contents&) = default;
  };

  ServerTls(TlsOptions options, Contents contents,
            std::shared_ptr<ssl_ctx_st> context);

  static absl::StatusOr<Contents> Read(const TlsOptions& options);
  static absl::StatusOr<std::shared_ptr<ssl_ctx_st>> MakeContext(
      const TlsOptions& options, const Contents& contents);
  void Reload();

  const TlsOptions options_;
  // Of the reloading thread only.
  Contents contents_;
  std::string last_problem_;

  mutable Mutex mutex_;
  std::shared_ptr<ssl_ctx_st> context_ ABSL_GUARDED_BY(mutex_);
  // The latest certificate that context_ believes.
  mutable std::string believed_pem_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  CondVar stop_;
  std::thread reloading_;
};

// Whether HTTP/2 was chosen in the handshake of a connection, which is over.
bool HasChosenHttp2(const ssl_st& connection);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_TLS_SERVER_TLS_H_
