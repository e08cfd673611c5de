// The connections' streams, and how coroutines await them.
#ifndef VICINAL_SERVER_LISTENERS_HTTP_STREAMS_H_
#define VICINAL_SERVER_LISTENERS_HTTP_STREAMS_H_

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <cstddef>

namespace vicinal {

using PlainStream = boost::beast::tcp_stream;
using TlsStream = boost::beast::ssl_stream<PlainStream>;

// Of one read from a connection.
inline constexpr std::size_t kReadBytes = 64 << 10;

// Awaits without exceptions: the error is stored in the given code.
inline auto Redirected(boost::system::error_code& error) {
  return boost::asio::redirect_error(boost::asio::use_awaitable, error);
}

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_HTTP_STREAMS_H_
