#include "server/listeners/http/http_server.h"

#include <glog/logging.h>
#include <openssl/ssl.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "server/listeners/http/budget.h"
#include "server/listeners/http/connections.h"
#include "server/listeners/http/endpoint.h"
#include "server/listeners/http/http1.h"
#include "server/listeners/http/http2.h"
#include "server/listeners/http/io_threads.h"
#include "server/listeners/http/peer.h"
#include "server/listeners/http/server_context.h"
#include "server/listeners/http/streams.h"
#include "server/listeners/tls/server_tls.h"

namespace vicinal {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// An asio context on the same SSL_CTX. A connection made from it keeps what it
// needs of it.
asio::ssl::context ContextFor(ssl_ctx_st& context) {
  SSL_CTX_up_ref(&context);
  return asio::ssl::context(&context);
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(const Options& options, HttpHandler handler)
      : context_(options, std::move(handler)),
        options_(context_.options),
        // Boost.Beast throws for some of what a client may send, such as a
        // trailer of more than 64 KiB: that ends the connection, whose
        // coroutine goes with what has thrown, and nothing else.
        threads_(options_.threads,
                 [this](const std::exception& thrown) {
                   LOG_EVERY_N(WARNING, 100)
                       << options_.address
                       << ": a connection is closed: " << thrown.what() << " ("
                       << google::COUNTER << " so far; each 100th is logged)";
                 }),
        acceptor_(threads_.Next()) {}

  // Returns the address that was bound.
  absl::StatusOr<std::string> Start() {
    const absl::StatusOr<Endpoint> address = ParseEndpoint(options_.address);
    if (!address.ok()) return address.status();
    boost::system::error_code error;
    const tcp::endpoint endpoint(asio::ip::make_address(address->host, error),
                                 address->port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) {
      acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    }
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) {
      acceptor_.listen(asio::socket_base::max_listen_connections, error);
    }
    if (error) {
      return absl::UnavailableError("cannot listen on " + options_.address +
                                    ": " + error.message());
    }
    const std::uint16_t port = acceptor_.local_endpoint().port();
    asio::co_spawn(acceptor_.get_executor(), Accept(), asio::detached);
    threads_.Start();
    return Endpoint{address->host, port}.ToString();
  }

  void Drain(std::chrono::steady_clock::duration patience) {
    context_.connections.Drain();
    asio::post(acceptor_.get_executor(), [this] {
      boost::system::error_code ignored;
      acceptor_.close(ignored);
    });
    context_.connections.Await(patience);
  }

  // A handler that runs is let finish. Coroutines, and with them the
  // connections, end with their io_contexts.
  ~Impl() {
    threads_.Stop();
    context_.handler_threads.stop();
    context_.handler_threads.join();
  }

 private:
  asio::awaitable<void> Accept() {
    while (true) {
      tcp::socket socket(threads_.Next());
      boost::system::error_code error;
      co_await acceptor_.async_accept(socket, Redirected(error));
      if (context_.connections.draining()) co_return;
      if (error) {
        // Out of descriptors, most likely: others must close first.
        LOG_EVERY_N(WARNING, 100) << "accept: " << error.message();
        asio::steady_timer timer(acceptor_.get_executor(),
                                 std::chrono::milliseconds(100));
        co_await timer.async_wait(Redirected(error));
        continue;
      }
      Budget::Share share = context_.connection_budget.Take(1);
      if (!share.ok()) {
        context_.Refused("connections");
        continue;
      }
      socket.set_option(tcp::no_delay(true), error);
      const auto executor = socket.get_executor();
      PlainStream stream(std::move(socket));
      if (options_.tls == nullptr) {
        asio::co_spawn(executor, Serve(std::move(stream), std::move(share)),
                       asio::detached);
      } else {
        asio::co_spawn(executor, ServeTls(std::move(stream), std::move(share)),
                       asio::detached);
      }
    }
  }

  // The share is held while the connection lasts.
  asio::awaitable<void> Serve(PlainStream stream, Budget::Share /*share*/) {
    Connections::Connection connection(context_.connections, stream.socket());
    Peer peer;
    co_await ServeHttp1(context_, connection, peer, stream);
    boost::system::error_code ignored;
    stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  asio::awaitable<void> ServeTls(PlainStream plain, Budget::Share /*share*/) {
    std::shared_ptr<ssl_ctx_st> believed_by = options_.tls->context();
    asio::ssl::context context = ContextFor(*believed_by);
    TlsStream stream(std::move(plain), context);
    ssl_st& ssl = *stream.native_handle();
    PlainStream& lowest = boost::beast::get_lowest_layer(stream);
    Connections::Connection connection(context_.connections, lowest.socket());
    if (!options_.tls->options().client_ca_file.empty()) {
      SSL_set_verify(&ssl,
                     SSL_VERIFY_PEER | (options_.require_client_certificate
                                            ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT
                                            : 0),
                     nullptr);
    }
    boost::system::error_code error;
    lowest.expires_after(options_.handshake_timeout);
    co_await stream.async_handshake(asio::ssl::stream_base::server,
                                    Redirected(error));
    if (error) {
      LOG_EVERY_N(WARNING, 100)
          << "TLS handshake with a client: " << error.message() << " ("
          << google::COUNTER << " so far; each 100th is logged)";
      co_return;
    }
    Peer peer(*options_.tls, ssl, std::move(believed_by));
    if (HasChosenHttp2(ssl)) {
      co_await ServeHttp2(context_, connection, peer, stream);
    } else {
      co_await ServeHttp1(context_, connection, peer, stream);
    }
    lowest.expires_after(std::chrono::seconds(1));
    co_await stream.async_shutdown(Redirected(error));
  }

  ServerContext context_;
  const HttpOptions& options_;
  IoThreads threads_;
  tcp::acceptor acceptor_;
};

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(
    const Options& options, HttpHandler handler) {
  auto impl = std::make_unique<Impl>(options, std::move(handler));
  absl::StatusOr<std::string> address = impl->Start();
  if (!address.ok()) return address.status();
  return std::unique_ptr<HttpServer>(
      new HttpServer(*std::move(address), std::move(impl)));
}

HttpServer::HttpServer(std::string address, std::unique_ptr<Impl> impl)
    : address_(std::move(address)), impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

void HttpServer::Drain(std::chrono::steady_clock::duration patience) {
  if (impl_ != nullptr) impl_->Drain(patience);
}

void HttpServer::Stop() { impl_.reset(); }

}  // namespace vicinal
