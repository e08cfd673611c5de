// What the connections of an HTTP server share.
#ifndef VICINAL_SERVER_LISTENERS_HTTP_SERVER_CONTEXT_H_
#define VICINAL_SERVER_LISTENERS_HTTP_SERVER_CONTEXT_H_

#include <boost/asio/io_context.hpp>
#include <cstddef>

#include "absl/status/status.h"
#include "server/listeners/http/budget.h"
#include "server/listeners/http/connections.h"
#include "server/listeners/http/http_handler.h"
#include "server/listeners/http/http_options.h"
#include "server/listeners/http/peer.h"

namespace vicinal {

// Thread-safe.
struct ServerContext {
  ServerContext(const HttpOptions& options, HttpHandler handler);

  // Called when a limit of the options refuses something.
  void Refused(const char* limit) const;

  // The room that an answer takes until it is sent. Without room the answer
  // becomes one that says so.
  Budget::Share TakeUnsent(HttpResponse& answer);

  // Whether a client is still to be answered; if not, the log says why.
  bool IsBelieved(Peer& peer) const;

  const HttpOptions options;
  const HttpHandler handler;
  Budget connection_budget;
  Budget unsent_budget;
  Connections connections;
  // Last, since its coroutines and tasks use the others.
  boost::asio::io_context io;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_HTTP_SERVER_CONTEXT_H_
