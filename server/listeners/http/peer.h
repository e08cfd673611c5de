// Who is at the other end of a connection.
#ifndef VICINAL_SERVER_LISTENERS_HTTP_PEER_H_
#define VICINAL_SERVER_LISTENERS_HTTP_PEER_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "server/listeners/tls/server_tls.h"

namespace vicinal {

// Not thread-safe.
class Peer {
 public:
  // Somebody without TLS.
  Peer() = default;

  // The client of a connection whose handshake is over, and which was made from
  // the context `believed_by`. `tls` and `connection` must outlive it. Its name
  // is read once: clients cannot renegotiate.
  Peer(const ServerTls& tls, ssl_st& connection,
       std::shared_ptr<ssl_ctx_st> believed_by);

  // Whether it has shown a certificate that the client's authority has signed.
  bool has_certificate() const { return name_.has_value(); }

  // The certificate's common name; "" without one, or with several.
  std::string_view name() const {
    return name_.has_value() ? std::string_view(*name_) : "";
  }

  // Whether it is still to be answered: its certificate may have been revoked
  // since. Unauthenticated, with the reason, if not.
  // Cost: O(1) while the files of `tls` are the same.
  absl::Status Check();

 private:
  const ServerTls* tls_ = nullptr;  // Null: no TLS.
  ssl_st* connection_ = nullptr;
  std::shared_ptr<ssl_ctx_st> believed_by_;
  std::optional<std::string> name_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_HTTP_PEER_H_
