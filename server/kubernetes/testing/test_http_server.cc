#include "server/kubernetes/testing/test_http_server.h"

#include <glog/logging.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "server/kubernetes/x509.h"

namespace vicinal {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

std::string Decode(const std::string& text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      decoded += static_cast<char>(
          std::strtol(text.substr(i + 1, 2).c_str(), nullptr, 16));
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

std::map<std::string, std::string> ParseQuery(const std::string& text) {
  std::map<std::string, std::string> query;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('&', begin), text.size());
    const std::string pair = text.substr(begin, end - begin);
    const size_t equals = std::min(pair.find('='), pair.size());
    query[Decode(pair.substr(0, equals))] =
        equals < pair.size() ? Decode(pair.substr(equals + 1)) : "";
    begin = end + 1;
  }
  return query;
}

// One connection's bytes, with or without TLS; errors are remembered and end
// the connection.
class Wire {
 public:
  Wire(tcp::socket& socket, asio::ssl::context* tls_context) : socket_(socket) {
    if (tls_context != nullptr) {
      tls_.emplace(socket, *tls_context);
      tls_->handshake(asio::ssl::stream_base::server, error_);
    }
  }

  bool ok() const { return !error_; }
  void Fail() { error_ = asio::error::connection_aborted; }

  bool Read(beast::flat_buffer& buffer,
            http::request<http::string_body>& request) {
    if (!ok()) return false;
    if (tls_.has_value()) {
      http::read(*tls_, buffer, request, error_);
    } else {
      http::read(socket_, buffer, request, error_);
    }
    return ok();
  }

  void Write(const std::string& bytes) {
    if (!ok()) return;
    if (tls_.has_value()) {
      asio::write(*tls_, asio::buffer(bytes), error_);
    } else {
      asio::write(socket_, asio::buffer(bytes), error_);
    }
  }

  // The client sends nothing while it reads an answer, so that the first
  // readable event is its end.
  void WaitUntilGone() {
    if (!ok()) return;
    pollfd descriptor = {socket_.native_handle(), POLLIN | POLLRDHUP, 0};
    poll(&descriptor, 1, -1);
    Fail();
  }

  std::string ClientName() {
    if (!tls_.has_value()) return "";
    X509* const certificate = SSL_get0_peer_certificate(tls_->native_handle());
    return certificate == nullptr ? "" : CommonNameOf(*certificate);
  }

  std::string ServerName() {
    if (!tls_.has_value()) return "";
    const char* const name =
        SSL_get_servername(tls_->native_handle(), TLSEXT_NAMETYPE_host_name);
    return name != nullptr ? name : "";
  }

 private:
  tcp::socket& socket_;
  std::optional<asio::ssl::stream<tcp::socket&>> tls_;
  error_code error_;
};

class Reply : public TestReply {
 public:
  explicit Reply(Wire& wire) : wire_(wire) {}

  void Send(int status, const std::string& body,
            const std::map<std::string, std::string>& headers) override {
    const auto content_type = headers.find("Content-Type");
    std::string head =
        Head(status,
             content_type == headers.end() ? kJson : content_type->second) +
        "Content-Length: " + std::to_string(body.size()) + "\r\n";
    for (const auto& [name, value] : headers) {
      if (name != "Content-Type") head += name + ": " + value + "\r\n";
    }
    wire_.Write(head + "\r\n" + body);
  }

  void StartChunks(int status, const std::string& content_type) override {
    wire_.Write(Head(status, content_type) +
                "Transfer-Encoding: chunked\r\n\r\n");
  }

  void Chunk(const std::string& piece) override {
    char size[32];
    std::snprintf(size, sizeof(size), "%zx\r\n", piece.size());
    wire_.Write(size + piece + "\r\n");
  }

  void EndChunks() override { wire_.Write("0\r\n\r\n"); }
  void SendRaw(const std::string& bytes) override { wire_.Write(bytes); }
  void Cut() override { wire_.Fail(); }
  void WaitUntilGone() override { wire_.WaitUntilGone(); }

 private:
  static constexpr char kJson[] = "application/json";

  static std::string Head(int status, const std::string& content_type) {
    return "HTTP/1.1 " + std::to_string(status) +
           " Any\r\nContent-Type: " + content_type + "\r\n";
  }

  Wire& wire_;
};

}  // namespace

std::string TestRequest::Query(const std::string& key) const {
  const auto found = query.find(key);
  return found == query.end() ? "" : found->second;
}

std::string TestRequest::Header(const std::string& key) const {
  const auto found = headers.find(key);
  return found == headers.end() ? "" : found->second;
}

class TestHttpServer::Impl {
 public:
  Impl(TestHttpServerOptions options, Handler handler)
      : options_(std::move(options)),
        handler_(std::move(handler)),
        acceptor_(io_) {
    if (!options_.certificate.certificate_pem.empty()) SetUpTls();
    const tcp::endpoint endpoint(asio::ip::address_v4::loopback(),
                                 options_.port);
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(asio::socket_base::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen();
    port_ = acceptor_.local_endpoint().port();
    accepting_ = std::thread([this] { Accept(); });
  }

  ~Impl() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
    accepting_.join();
    CutAll();
    for (std::thread& thread : connections_) thread.join();
  }

  uint16_t port() const { return port_; }

  std::vector<TestRequest> requests() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return requests_;
  }

  bool WaitForRequests(size_t count) const {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20),
                             [&] { return requests_.size() >= count; });
  }

  void CutAll() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const int descriptor : open_) ::shutdown(descriptor, SHUT_RDWR);
  }

 private:
  void SetUpTls() {
    tls_context_.emplace(asio::ssl::context::tls_server);
    const TestCertificate& certificate = options_.certificate;
    tls_context_->use_certificate_chain(
        asio::buffer(certificate.certificate_pem));
    tls_context_->use_private_key(asio::buffer(certificate.key_pem),
                                  asio::ssl::context::pem);
    if (options_.client_authority_pem.empty()) return;
    tls_context_->add_certificate_authority(
        asio::buffer(options_.client_authority_pem));
    tls_context_->set_verify_mode(asio::ssl::verify_peer |
                                  asio::ssl::verify_fail_if_no_peer_cert);
  }

  void Accept() {
    for (int number = 1;; ++number) {
      error_code error;
      auto socket = std::make_unique<tcp::socket>(io_);
      acceptor_.accept(*socket, error);
      const std::lock_guard<std::mutex> lock(mutex_);
      if (error || stopping_) return;
      open_.insert(socket->native_handle());
      connections_.emplace_back(
          [this, number, owned = std::move(socket)] { Serve(number, *owned); });
    }
  }

  void Serve(int number, tcp::socket& socket) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait_for(lock, options_.accept_delay, [&] { return stopping_; });
    }
    socket.set_option(tcp::no_delay(true));
    Wire wire(socket, tls_context_.has_value() ? &*tls_context_ : nullptr);
    beast::flat_buffer buffer;
    for (;;) {
      http::request<http::string_body> message;
      if (!wire.Read(buffer, message)) break;
      const TestRequest request = Record(number, message, wire);
      Reply reply(wire);
      handler_(request, reply);
    }
    // Under the lock: CutAll must not meet a closed descriptor that another
    // socket got.
    const std::lock_guard<std::mutex> lock(mutex_);
    open_.erase(socket.native_handle());
    error_code ignored;
    socket.close(ignored);
  }

  TestRequest Record(int number,
                     const http::request<http::string_body>& message,
                     Wire& wire) {
    TestRequest request;
    request.connection = number;
    request.method = std::string(message.method_string());
    request.target = std::string(message.target());
    request.body = message.body();
    const size_t question =
        std::min(request.target.find('?'), request.target.size());
    request.path = request.target.substr(0, question);
    if (question < request.target.size()) {
      request.query = ParseQuery(request.target.substr(question + 1));
    }
    for (const auto& field : message) {
      std::string name(field.name_string());
      std::transform(name.begin(), name.end(), name.begin(), ::tolower);
      request.headers[name] = std::string(field.value());
    }
    request.client_name = wire.ClientName();
    request.server_name = wire.ServerName();
    request.at = std::chrono::steady_clock::now();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      requests_.push_back(request);
    }
    changed_.notify_all();
    return request;
  }

  const TestHttpServerOptions options_;
  const Handler handler_;
  asio::io_context io_;  // never run: all I/O blocks
  std::optional<asio::ssl::context> tls_context_;
  tcp::acceptor acceptor_;
  uint16_t port_ = 0;
  std::thread accepting_;

  mutable std::mutex mutex_;  // guards all below
  mutable std::condition_variable changed_;
  bool stopping_ = false;
  std::set<int> open_;
  std::vector<std::thread> connections_;
  std::vector<TestRequest> requests_;
};

TestHttpServer::TestHttpServer(TestHttpServerOptions options, Handler handler)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(handler))) {}

TestHttpServer::~TestHttpServer() = default;

uint16_t TestHttpServer::port() const { return impl_->port(); }

std::vector<TestRequest> TestHttpServer::requests() const {
  return impl_->requests();
}

bool TestHttpServer::WaitForRequests(size_t count) const {
  return impl_->WaitForRequests(count);
}

void TestHttpServer::CutAll() { impl_->CutAll(); }

}  // namespace vicinal
