#include "server/listeners/http/testing/http2_connection.h"

#include <openssl/ssl.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "absl/status/status.h"
#include "server/kubernetes/tls_context.h"
#include "server/listeners/http/testing/raw_client.h"

namespace vicinal {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{10};

}  // namespace

void Http2Connection::Deleter::operator()(ssl_ctx_st* context) const {
  SSL_CTX_free(context);
}

void Http2Connection::Deleter::operator()(ssl_st* connection) const {
  SSL_free(connection);
}

Http2Connection::Http2Connection(const std::string& address,
                                 const TestCertificate& certificate,
                                 const std::vector<std::string>& protocols,
                                 std::int32_t window)
    : socket_(ConnectSocket(address)),
      context_(SSL_CTX_new(TLS_client_method())),
      client_(window) {
  // OpenSSL writes to sockets that the server has closed.
  std::signal(SIGPIPE, SIG_IGN);
  if (socket_ < 0) return;
  if (!certificate.key_pem.empty() &&
      !UseCertificate(*context_, certificate.certificate_pem,
                      certificate.key_pem)
           .ok()) {
    return;
  }
  ssl_.reset(SSL_new(context_.get()));
  std::string offered;
  for (const std::string& protocol : protocols) {
    offered += static_cast<char>(protocol.size()) + protocol;
  }
  SSL_set_alpn_protos(ssl_.get(),
                      reinterpret_cast<const unsigned char*>(offered.data()),
                      static_cast<unsigned>(offered.size()));
  SSL_set_fd(ssl_.get(), socket_);
  if (SSL_connect(ssl_.get()) != 1) ssl_ = nullptr;
}

Http2Connection::~Http2Connection() {
  ssl_ = nullptr;
  if (socket_ >= 0) close(socket_);
}

std::string Http2Connection::protocol() const {
  if (ssl_ == nullptr) return "";
  const unsigned char* protocol = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &protocol, &size);
  return {reinterpret_cast<const char*>(protocol), size};
}

bool Http2Connection::Await(const std::function<bool()>& condition) {
  const steady_clock::time_point limit = steady_clock::now() + kPatience;
  while (true) {
    const std::string output = client_.Output();
    if (!output.empty() && !SendRaw(output)) return false;
    if (condition()) return true;
    if (steady_clock::now() > limit) return false;
    pollfd readable{socket_, POLLIN, 0};
    if (SSL_pending(ssl_.get()) == 0 && poll(&readable, 1, 10) == 0) continue;
    const std::string received = ReceiveRaw();
    if (received.empty()) return condition();
    client_.Receive(received);
  }
}

const Http2Answer& Http2Connection::Await(std::int32_t stream) {
  Await([&] { return client_.answer(stream).closed; });
  return client_.answer(stream);
}

bool Http2Connection::AwaitEnd() {
  const steady_clock::time_point begin = steady_clock::now();
  Await([] { return false; });
  return steady_clock::now() - begin < kPatience;
}

bool Http2Connection::SendRaw(std::string_view bytes) {
  return ssl_ != nullptr && SSL_write(ssl_.get(), bytes.data(),
                                      static_cast<int>(bytes.size())) > 0;
}

std::string Http2Connection::ReceiveRaw() {
  std::string bytes(64 << 10, '\0');
  const int size = ssl_ == nullptr ? 0
                                   : SSL_read(ssl_.get(), bytes.data(),
                                              static_cast<int>(bytes.size()));
  bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return bytes;
}

}  // namespace vicinal
