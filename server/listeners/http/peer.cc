#include "server/listeners/http/peer.h"

#include <openssl/ssl.h>

#include <utility>

#include "server/kubernetes/x509.h"

namespace vicinal {

Peer::Peer(const ServerTls& tls, ssl_st& connection,
           std::shared_ptr<ssl_ctx_st> believed_by)
    : tls_(&tls),
      connection_(&connection),
      believed_by_(std::move(believed_by)) {
  X509* const certificate = SSL_get0_peer_certificate(connection_);
  if (certificate != nullptr &&
      SSL_get_verify_result(connection_) == X509_V_OK) {
    name_ = CommonNameOf(*certificate);
  }
}

absl::Status Peer::Check() {
  if (tls_ == nullptr) return absl::OkStatus();
  return tls_->CheckClient(*connection_, believed_by_);
}

}  // namespace vicinal
