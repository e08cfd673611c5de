#include "server/listeners/http/server_context.h"

#include <glog/logging.h>
#include <simdjson.h>

#include <boost/asio/post.hpp>
#include <cstddef>
#include <string_view>
#include <utility>

namespace vicinal {
namespace {

HttpRequest ToRequest(const ServerContext::Question& question) {
  const std::string_view target = question.target;
  return {question.method,       target.substr(0, target.find('?')),
          question.body,         question.has_client_certificate,
          *question.client_name, question.if_none_match};
}

}  // namespace

ServerContext::ServerContext(const HttpOptions& options, HttpHandler handler)
    : options(options),
      handler(std::move(handler)),
      connection_budget(options.max_connections),
      unsent_budget(options.max_unsent_bytes),
      handler_threads(static_cast<std::size_t>(options.threads)) {}

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

void ServerContext::Ask(Question question, const HttpCaller& caller,
                        HttpAnswer answer) {
  question.body.reserve(question.body.size() + simdjson::SIMDJSON_PADDING);
  if (options.async_handler != nullptr &&
      options.async_handler(ToRequest(question), caller, answer)) {
    return;
  }
  boost::asio::post(handler_threads, [this, question = std::move(question),
                                      answer = std::move(answer)] {
    answer(handler(ToRequest(question)));
  });
}

}  // namespace vicinal
