// A connection that speaks HTTP/1.0 or 1.1: one request after the other.
#ifndef VICINAL_SERVER_LISTENERS_HTTP_HTTP1_H_
#define VICINAL_SERVER_LISTENERS_HTTP_HTTP1_H_

#include <boost/asio/awaitable.hpp>

#include "server/listeners/http/connections.h"
#include "server/listeners/http/peer.h"
#include "server/listeners/http/server_context.h"
#include "server/listeners/http/streams.h"

namespace vicinal {

// Answers requests until the connection is at its end, without closing it; with
// TLS the handshake has been made. Runs on the stream's thread, handlers on
// others. All arguments must outlive it.
boost::asio::awaitable<void> ServeHttp1(ServerContext& context,
                                        Connections::Connection& connection,
                                        Peer& peer, PlainStream& stream);
boost::asio::awaitable<void> ServeHttp1(ServerContext& context,
                                        Connections::Connection& connection,
                                        Peer& peer, TlsStream& stream);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_HTTP_HTTP1_H_
