// Who may reach the listeners of a process, as its flags say.
#ifndef VICINAL_SERVER_LISTENERS_TLS_LISTENER_SECURITY_H_
#define VICINAL_SERVER_LISTENERS_TLS_LISTENER_SECURITY_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/listeners/tls/server_tls.h"

namespace vicinal {

// Of all listeners of a process.
struct ListenerSecurity {
  TlsOptions tls;  // Without a certificate the listeners have no TLS.
  // Other machines may reach listeners without TLS.
  bool allow_insecure_listen = false;

  bool HasTls() const { return !tls.cert_file.empty(); }
};

// InvalidArgument, naming the flag: a certificate without its key, a key
// without its certificate, a client CA without both, or revocation lists
// without a client CA. Reads no file.
absl::Status CheckTlsFlags(const ListenerSecurity& security);

// InvalidArgument, naming `flag` and the address: no "<IP address>:<port>", or
// an address that other machines reach without TLS although
// allow_insecure_listen is not set.
absl::Status CheckListenAddress(const char* flag, const std::string& address,
                                const ListenerSecurity& security);

// Null without a certificate. Errors: those of ServerTls::Load.
absl::StatusOr<std::unique_ptr<ServerTls>> LoadTls(
    const ListenerSecurity& security);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_TLS_LISTENER_SECURITY_H_
