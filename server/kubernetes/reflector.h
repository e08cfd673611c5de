#ifndef VICINAL_SERVER_KUBERNETES_REFLECTOR_H_
#define VICINAL_SERVER_KUBERNETES_REFLECTOR_H_

#include <simdjson.h>

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "absl/status/status.h"
#include "server/kubernetes/api_client.h"
#include "server/kubernetes/backoff.h"
#include "server/kubernetes/list_pages.h"
#include "server/kubernetes/reflector_options.h"
#include "server/kubernetes/resource_handler.h"

namespace vicinal {

// Lists one kind of object in pages and then watches it, for ever, as
// client-go's reflector does (client-go tools/cache/reflector.go):
//
//   list --complete--> watch --ended or cut--> watch again, from the last
//    ^ |                 |                     resource version seen
//    | +-- failed        |
//    +-------------------+-- 410, 400, an ERROR event, a line that is no event
//
// The list is a consistent read (no resourceVersion), so that it never goes
// back behind what the handler has seen. A page that does not come is asked for
// again (see ListPages); only one that is answered 410 or 400 (its continue
// token has expired, or is not understood) starts the list over. ERROR events
// that only mean an overload (429, 503, 504) resume the watch.
//
// Before each retry it waits (see Backoff), at least as long as a Retry-After
// says, up to five minutes. A watch that has lived for
// ReflectorOptions::healthy_after resets the backoff; if the server then ends
// it in an orderly way, there is no wait. Nor is there one before the list that
// the first 410 since a healthy watch asks for: a server that was away for long
// enough to forget is back.
//
// A failure is logged when it differs from the last one, and its end is logged.
class Reflector {
 public:
  // The handler must outlive it.
  Reflector(std::unique_ptr<ApiClient> client, std::string path,
            std::string field_selector, const ReflectorOptions& options,
            ResourceHandler& handler);

  // Does not return; ends by being destroyed.
  boost::asio::awaitable<void> Run();

 private:
  // How a list or watch ended.
  struct Outcome {
    absl::Status status;
    bool relist = false;
    bool expired = false;  // 410
    std::optional<std::chrono::seconds> retry_after;
  };

  boost::asio::awaitable<Outcome> List();
  boost::asio::awaitable<Outcome> Watch();
  // Hands the events of whole lines to the handler. Not OK: the watch must end.
  Outcome HandleLines(simdjson::padded_string_view lines);
  Outcome HandleEvent(simdjson::padded_string_view line);
  std::chrono::milliseconds DelayAfter(const Outcome& outcome,
                                       std::chrono::nanoseconds lived);
  void LogFailure(const absl::Status& status);
  ListRequest MakeListRequest() const;
  ListCallbacks MakeListCallbacks();
  std::string WatchTarget();

  const std::unique_ptr<ApiClient> client_;
  const std::string path_;
  const std::string field_selector_;
  const ReflectorOptions options_;
  ResourceHandler& handler_;

  std::mt19937_64 random_;
  Backoff backoff_;
  // A new one for each watch: it keeps the size of the largest event.
  simdjson::ondemand::parser event_parser_;
  std::string resource_version_;  // the last seen; empty: must list
  bool expired_before_ = false;   // since the last healthy watch
  std::string logged_failure_;    // empty: the last attempt went well
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_REFLECTOR_H_
