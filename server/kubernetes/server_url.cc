#include "server/kubernetes/server_url.h"

#include <algorithm>
#include <charconv>

#include "absl/status/status.h"

namespace vicinal {
namespace {

bool IsHostCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool IsIpv6Character(char c) {
  return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') ||
         (c >= '0' && c <= '9') || c == ':' || c == '.';
}

bool IsPathCharacter(char c) { return c > 0x20 && c < 0x7f; }

}  // namespace

absl::StatusOr<uint16_t> ParsePort(std::string_view text) {
  uint16_t port = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) {
    return absl::InvalidArgumentError(
        "the port must be a number from 1 to 65535");
  }
  return port;
}

absl::StatusOr<ServerUrl> ParseServerUrl(std::string_view url) {
  ServerUrl result;
  if (url.starts_with("https://")) {
    url.remove_prefix(8);
  } else if (url.starts_with("http://")) {
    url.remove_prefix(7);
    result.tls = false;
    result.port = 80;
  } else {
    return absl::InvalidArgumentError("must begin with https:// or http://");
  }
  if (url.find_first_of("?#") != std::string_view::npos) {
    return absl::InvalidArgumentError(
        "must have neither a query nor a fragment");
  }
  const size_t slash = std::min(url.find('/'), url.size());
  std::string_view authority = url.substr(0, slash);
  std::string_view path = url.substr(slash);
  if (authority.find('@') != std::string_view::npos) {
    return absl::InvalidArgumentError(
        "must not contain a user name or password");
  }

  std::string_view host;
  if (authority.starts_with('[')) {
    const size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) {
      return absl::InvalidArgumentError("the host lacks a closing ']'");
    }
    host = authority.substr(1, bracket - 1);
    authority.remove_prefix(bracket + 1);
    if (host.empty() ||
        !std::all_of(host.begin(), host.end(), IsIpv6Character)) {
      return absl::InvalidArgumentError("the host is not an IPv6 address");
    }
  } else {
    host = authority.substr(0, authority.find(':'));
    authority.remove_prefix(host.size());
    if (host.empty()) return absl::InvalidArgumentError("the host is missing");
    if (!std::all_of(host.begin(), host.end(), IsHostCharacter)) {
      return absl::InvalidArgumentError(
          "the host is not a DNS name or IP address");
    }
  }
  result.host = host;

  if (!authority.empty()) {
    if (!authority.starts_with(':')) {
      return absl::InvalidArgumentError("a port must follow the host");
    }
    const absl::StatusOr<uint16_t> port = ParsePort(authority.substr(1));
    if (!port.ok()) return port.status();
    result.port = *port;
  }

  if (!std::all_of(path.begin(), path.end(), IsPathCharacter)) {
    return absl::InvalidArgumentError(
        "the path contains a character that a URL must not");
  }
  while (path.ends_with('/')) path.remove_suffix(1);
  result.path_prefix = path;
  return result;
}

}  // namespace vicinal
