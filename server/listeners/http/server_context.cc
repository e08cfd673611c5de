#include "server/listeners/http/server_context.h"

#include <glog/logging.h>

#include <utility>

namespace vicinal {

ServerContext::ServerContext(const HttpOptions& options, HttpHandler handler)
    : options(options),
      handler(std::move(handler)),
      connection_budget(options.max_connections),
      unsent_budget(options.max_unsent_bytes) {}

void ServerContext::Refused(const char* limit) const {
  LOG_EVERY_N(WARNING, 100)
      << options.address << ": too many " << limit << " at a time ("
      << google::COUNTER << " so far; each 100th is logged)";
  if (options.on_refusal != nullptr) options.on_refusal(limit);
}

Budget::Share ServerContext::TakeUnsent(HttpResponse& answer) {
  Budget::Share share = unsent_budget.Take(answer.body.size());
  if (!share.ok()) {
    Refused("answers");
    answer = ErrorResponse(503, "too many answers are not read");
  }
  return share;
}

bool ServerContext::IsBelieved(Peer& peer) const {
  const absl::Status believed = peer.Check();
  LOG_IF_EVERY_N(WARNING, !believed.ok(), 100)
      << options.address
      << ": a client's connection is closed: " << believed.message() << " ("
      << google::COUNTER << " so far; each 100th is logged)";
  return believed.ok();
}

}  // namespace vicinal
