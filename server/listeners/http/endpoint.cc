#include "server/listeners/http/endpoint.h"

#include <boost/asio/ip/address.hpp>
#include <charconv>

#include "absl/status/status.h"

namespace vicinal {

std::string Endpoint::ToString() const {
  const bool is_v6 = host.find(':') != std::string::npos;
  return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

bool Endpoint::IsLoopback() const {
  boost::system::error_code error;
  const auto ip = boost::asio::ip::make_address(host, error);
  return !error && ip.is_loopback();
}

absl::StatusOr<Endpoint> ParseEndpoint(const std::string& address) {
  const auto invalid = [&] {
    return absl::InvalidArgumentError("address \"" + address +
                                      "\": must be <IP address>:<port>");
  };
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) return invalid();
  std::string host = address.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  std::uint16_t port = 0;
  const char* const end = address.data() + address.size();
  const auto parsed = std::from_chars(address.data() + colon + 1, end, port);
  if (parsed.ec != std::errc() || parsed.ptr != end) return invalid();
  boost::system::error_code error;
  const auto ip = boost::asio::ip::make_address(host, error);
  if (error) return invalid();
  return Endpoint{ip.to_string(), port};
}

}  // namespace vicinal
