#include "server/listeners/http/testing/raw_client.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace vicinal {
namespace {

constexpr timeval kPatience = {.tv_sec = 10, .tv_usec = 0};

}  // namespace

int ConnectSocket(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  addrinfo hints = {};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), address.substr(colon + 1).c_str(), &hints,
                  &found) != 0) {
    return -1;
  }
  int connection = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection >= 0) {
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &kPatience,
               sizeof kPatience);
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &kPatience,
               sizeof kPatience);
    if (connect(connection, found->ai_addr, found->ai_addrlen) != 0) {
      close(connection);
      connection = -1;
    }
  }
  freeaddrinfo(found);
  return connection;
}

std::string RawResponse::Field(std::string_view name) const {
  const std::string start = "\r\n" + std::string(name) + ": ";
  const std::size_t begin = head.find(start);
  if (begin == std::string::npos) return "";
  const std::size_t value = begin + start.size();
  return head.substr(value, head.find("\r\n", value) - value);
}

RawClient::RawClient(const std::string& address)
    : socket_(ConnectSocket(address)) {}

RawClient::~RawClient() {
  if (socket_ >= 0) close(socket_);
}

bool RawClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent =
        send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void RawClient::ShutdownSend() { shutdown(socket_, SHUT_WR); }

RawClient::Read RawClient::ReadSome() {
  char buffer[64 << 10];
  ssize_t size = 0;
  do {
    size = recv(socket_, buffer, sizeof buffer, 0);
  } while (size < 0 && errno == EINTR);
  if (size < 0) return Read::kError;
  received_.append(buffer, static_cast<std::size_t>(size));
  return size > 0 ? Read::kData : Read::kEnd;
}

std::optional<RawResponse> RawClient::ReceiveHead() {
  constexpr std::string_view kHeadEnd = "\r\n\r\n";
  std::size_t end = 0;
  while ((end = received_.find(kHeadEnd)) == std::string::npos) {
    if (ReadSome() != Read::kData) return std::nullopt;
  }
  RawResponse response;
  response.head = received_.substr(0, end + 2);
  received_.erase(0, end + kHeadEnd.size());
  if (!response.head.starts_with("HTTP/1.")) return std::nullopt;
  response.status =
      std::atoi(response.head.c_str() + response.head.find(' ') + 1);
  return response;
}

std::optional<RawResponse> RawClient::Receive() {
  std::optional<RawResponse> response = ReceiveHead();
  if (!response) return std::nullopt;
  const std::size_t length =
      std::strtoull(response->Field("Content-Length").c_str(), nullptr, 10);
  while (received_.size() < length) {
    if (ReadSome() != Read::kData) return std::nullopt;
  }
  response->body = received_.substr(0, length);
  received_.erase(0, length);
  return response;
}

bool RawClient::IsAtEnd() {
  return received_.empty() && ReadSome() == Read::kEnd;
}

std::optional<std::string> RawClient::ReceiveAll() {
  Read read = Read::kData;
  while (read == Read::kData) read = ReadSome();
  const bool closed = read == Read::kEnd || errno == ECONNRESET;
  if (!closed) return std::nullopt;
  return std::exchange(received_, {});
}

bool CanConnect(const std::string& address) {
  return RawClient(address).connected();
}

std::string Post(std::string_view target, std::string_view body) {
  std::string request = "POST ";
  request.append(target).append(" HTTP/1.1\r\nHost: vicinal\r\n");
  request += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  return request.append(body);
}

}  // namespace vicinal
