// What the connections of an HTTP server share.
#ifndef VICINAL_SERVER_LISTENERS_HTTP_SERVER_CONTEXT_H_
#define VICINAL_SERVER_LISTENERS_HTTP_SERVER_CONTEXT_H_

#include <boost/asio/thread_pool.hpp>
#include <memory>
#include <string>

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

  // A whole request.
  struct Question {
    std::string method;
    std::string target;  // With the query.
    std::string body;
    bool has_client_certificate;
    std::shared_ptr<const std::string> client_name;
    std::string if_none_match;  // The header.
  };

  // Has it answered: at once by the options' async_handler, or by the handler,
  // on one of the handlers' threads. Does not block. `answer` is called as an
  // AsyncHttpHandler does; it is destroyed without a call if the server ends
  // before.
  void Ask(Question question, const HttpCaller& caller, HttpAnswer answer);

  const HttpOptions options;
  const HttpHandler handler;
  Budget connection_budget;
  Budget unsent_budget;
  Connections connections;
  // Last, since what runs there uses the others.
  boost::asio::thread_pool handler_threads;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_HTTP_SERVER_CONTEXT_H_
