#include "server/listeners/tls/server_tls.h"

#include <glog/logging.h>
#include <openssl/ssl.h>

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "server/kubernetes/read_file.h"
#include "server/kubernetes/tls_context.h"

namespace vicinal {
namespace {

absl::Status At(const std::string& place, const absl::Status& status) {
  return absl::InvalidArgumentError(place + ": " +
                                    std::string(status.message()));
}

absl::Status ReadInto(const char* flag, const std::string& path,
                      std::string* out) {
  absl::StatusOr<std::string> content = ReadSmallFile(path);
  if (!content.ok()) {
    return At(std::string(flag) + " " + path, content.status());
  }
  *out = *std::move(content);
  return absl::OkStatus();
}

constexpr std::string_view kHttp2 = "h2";
// Each with its length before it; the best first.
constexpr std::string_view kProtocols = "\x02h2\x08http/1.1";

// Chooses a protocol from those that the client offers (RFC 7301). Who offers
// none of ours is spoken to as one who offers nothing.
int ChooseProtocol(SSL* /*connection*/, const unsigned char** chosen,
                   unsigned char* chosen_size, const unsigned char* offered,
                   unsigned offered_size, void* /*argument*/) {
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(
          &found, chosen_size,
          reinterpret_cast<const unsigned char*>(kProtocols.data()),
          kProtocols.size(), offered, offered_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

absl::StatusOr<ServerTls::Contents> ServerTls::Read(const TlsOptions& options) {
  Contents contents;
  absl::Status status =
      ReadInto("--tls-cert-file", options.cert_file, &contents.certificate_pem);
  if (status.ok()) {
    status = ReadInto("--tls-private-key-file", options.private_key_file,
                      &contents.key_pem);
  }
  if (status.ok() && !options.client_ca_file.empty()) {
    status = ReadInto("--client-ca-file", options.client_ca_file,
                      &contents.client_ca_pem);
  }
  if (status.ok() && !options.client_crl_file.empty()) {
    status = ReadInto("--client-crl-file", options.client_crl_file,
                      &contents.client_crl_pem);
  }
  if (!status.ok()) return status;
  return contents;
}

absl::StatusOr<std::shared_ptr<ssl_ctx_st>> ServerTls::MakeContext(
    const TlsOptions& options, const Contents& contents) {
  TlsContext context(SSL_CTX_new(TLS_server_method()));
  SSL_CTX_set_min_proto_version(
      context.get(),
      options.min_version == TlsVersion::k13 ? TLS1_3_VERSION : TLS1_2_VERSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
  // Connections live long; a resumed session would not be verified anew.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_alpn_select_cb(context.get(), ChooseProtocol, nullptr);
  absl::Status status =
      UseCertificate(*context, contents.certificate_pem, contents.key_pem);
  if (!status.ok()) {
    return At("--tls-cert-file " + options.cert_file +
                  " with --tls-private-key-file " + options.private_key_file,
              status);
  }
  if (!options.client_ca_file.empty()) {
    status = TrustCertificates(*context, contents.client_ca_pem);
    if (!status.ok()) {
      return At("--client-ca-file " + options.client_ca_file, status);
    }
    if (!options.client_crl_file.empty()) {
      status = UseRevocationLists(*context, contents.client_crl_pem);
      if (!status.ok()) {
        return At("--client-crl-file " + options.client_crl_file, status);
      }
    }
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  }
  return std::shared_ptr<ssl_ctx_st>(std::move(context));
}

absl::StatusOr<std::unique_ptr<ServerTls>> ServerTls::Load(TlsOptions options) {
  absl::StatusOr<Contents> contents = Read(options);
  if (!contents.ok()) return contents.status();
  absl::StatusOr<std::shared_ptr<ssl_ctx_st>> context =
      MakeContext(options, *contents);
  if (!context.ok()) return context.status();
  return std::unique_ptr<ServerTls>(new ServerTls(
      std::move(options), *std::move(contents), *std::move(context)));
}

ServerTls::ServerTls(TlsOptions options, Contents contents,
                     std::shared_ptr<ssl_ctx_st> context)
    : options_(std::move(options)),
      contents_(std::move(contents)),
      context_(std::move(context)) {
  reloading_ = std::thread([this] {
    const MutexLock lock(mutex_);
    while (true) {
      const auto next = std::chrono::steady_clock::now() + kReloadPeriod;
      while (!stopping_ && stop_.WaitUntil(mutex_, next)) {
      }
      if (stopping_) return;
      mutex_.Unlock();
      Reload();
      mutex_.Lock();
    }
  });
}

ServerTls::~ServerTls() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  stop_.NotifyAll();
  reloading_.join();
}

std::shared_ptr<ssl_ctx_st> ServerTls::context() const {
  const MutexLock lock(mutex_);
  return context_;
}

absl::Status ServerTls::CheckClient(
    ssl_st& connection, std::shared_ptr<ssl_ctx_st>& believed_by) const {
  std::shared_ptr<ssl_ctx_st> newest = context();
  if (newest == believed_by) return absl::OkStatus();
  const std::unique_ptr<X509, void (*)(X509*)> certificate(
      SSL_get1_peer_certificate(&connection), X509_free);
  // Who has shown none is not believed to be anybody.
  if (certificate != nullptr) {
    absl::Status status = VerifyClient(*newest, *certificate,
                                       SSL_get_peer_cert_chain(&connection));
    if (!status.ok()) return status;
  }
  believed_by = std::move(newest);
  return absl::OkStatus();
}

absl::Status ServerTls::CheckClient(const std::string& pem) const {
  std::shared_ptr<ssl_ctx_st> newest;
  {
    const MutexLock lock(mutex_);
    if (!pem.empty() && believed_pem_ == pem) return absl::OkStatus();
    newest = context_;
  }
  absl::Status status = VerifyClient(*newest, pem);
  const MutexLock lock(mutex_);
  if (status.ok() && newest == context_) believed_pem_ = pem;
  return status;
}

void ServerTls::Reload() {
  absl::StatusOr<Contents> contents = Read(options_);
  if (contents.ok() && *contents == contents_) {
    last_problem_.clear();
    return;
  }
  absl::StatusOr<std::shared_ptr<ssl_ctx_st>> context =
      contents.ok() ? MakeContext(options_, *contents) : contents.status();
  if (!context.ok()) {
    // Half of a pair may have been written, the other may follow.
    const std::string problem(context.status().message());
    if (problem != last_problem_) {
      LOG(ERROR) << "the changed certificate is not used: " << problem;
      last_problem_ = problem;
    }
    return;
  }
  contents_ = *std::move(contents);
  last_problem_.clear();
  LOG(INFO) << "the changed certificates are used from now on: "
            << options_.cert_file;
  const MutexLock lock(mutex_);
  context_ = *std::move(context);
  believed_pem_.clear();
}

bool HasChosenHttp2(const ssl_st& connection) {
  const unsigned char* protocol = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(&connection, &protocol, &size);
  return std::string_view(reinterpret_cast<const char*>(protocol), size) ==
         kHttp2;
}

}  // namespace vicinal
