// Where a server listens.
#ifndef VICINAL_SERVER_LISTENERS_HTTP_ENDPOINT_H_
#define VICINAL_SERVER_LISTENERS_HTTP_ENDPOINT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace vicinal {

struct Endpoint {
  std::string host;  // An IP address, IPv6 without brackets.
  std::uint16_t port = 0;

  // "127.0.0.1:80", "[::1]:80".
  std::string ToString() const;
  // Whether only this machine can reach it.
  bool IsLoopback() const;
};

// Reads "<IP address>:<port>", IPv6 in brackets. InvalidArgument, naming the
// address, for anything else: there are no host names.
absl::StatusOr<Endpoint> ParseEndpoint(const std::string& address);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_HTTP_ENDPOINT_H_
