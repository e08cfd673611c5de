// A connection that speaks HTTP/2: many requests at a time.
#ifndef VICINAL_SERVER_LISTENERS_HTTP_HTTP2_H_
#define VICINAL_SERVER_LISTENERS_HTTP_HTTP2_H_

#include <boost/asio/awaitable.hpp>

#include "server/listeners/http/connections.h"
#include "server/listeners/http/peer.h"
#include "server/listeners/http/server_context.h"
#include "server/listeners/http/streams.h"

namespace vicinal {

// Answers requests until the connection is at its end, without closing it; the
// handshake has been made, and HTTP/2 chosen in it (ALPN). Runs on the stream's
// thread, handlers on others. The options' limits hold for
// each request, but max_body_bytes for all of the connection that are not
// answered yet. All arguments must outlive it.
boost::asio::awaitable<void> ServeHttp2(ServerContext& context,
                                        Connections::Connection& connection,
                                        Peer& peer, TlsStream& stream);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_HTTP_HTTP2_H_
