#ifndef VICINAL_SERVER_KUBERNETES_REFLECTOR_H_
#define VICINAL_SERVER_KUBERNETES_REFLECTOR_H_

#include <simdjson.h>

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/kubernetes/api_client.h"
#include "server/kubernetes/backoff.h"
#include "server/kubernetes/list_pages.h"
#include "server/kubernetes/reflector_options.h"
#include "server/kubernetes/resource_handler.h"
#include "server/kubernetes/watch_event.h"

namespace vicinal {

// Lists one kind of object and then watches it, for ever, as client-go's
// reflector does (client-go tools/cache/reflector.go):
//
//   list --complete--> watch --ended or cut--> watch again, from the last
//    ^ |                 |                     resource version seen
//    | +-- failed        |
//    +-------------------+-- 410, 400, an ERROR event, what is no event
//
// The list is a consistent read (no resourceVersion), so that it never goes
// back behind what the handler has seen. It comes as the first events of the
// watch (sendInitialEvents), up to the bookmark that ends them, which costs the
// API server far less memory. A server that refuses that (400, 422) is asked
// for pages from then on. After a stream that has begun and not come to that
// bookmark the next list comes in pages, too: they need not begin anew. A page
// that does not come is asked for again (see ListPages); only one that is
// answered 410 or 400 (its continue token has expired, or is not understood)
// starts the list over. ERROR events that only mean an overload (429, 503, 504)
// resume the watch.
//
// Before each retry it waits (see Backoff), at least as long as a Retry-After
// says, up to five minutes. A watch that has lived for
// ReflectorOptions::healthy_after resets the backoff; if the server then ends
// it in an orderly way, there is no wait. Nor is there one before the list that
// the first 410 since a healthy watch asks for: a server that was away for long
// enough to forget is back.
//
// A watch may rightly be silent for a minute (bookmarks come that often), and
// its connection may be dead all the same, while others work. So a watch that
// is silent for ReflectorOptions::silent_after is renewed: the same watch is
// asked for over a second connection, from the resource version seen, and takes
// the place of the first once it is answered. If it is not, the watch is broken
// since the last byte that came.
//
// A failure is logged when it differs from the last one, and its end is logged.
class Reflector {
 public:
  // The clients are of the same server; the handler must outlive the reflector.
  Reflector(std::unique_ptr<ApiClient> client, std::unique_ptr<ApiClient> spare,
            std::string path, std::string field_selector,
            const ReflectorOptions& options, ResourceHandler& handler);

  // Does not return; ends by being destroyed.
  boost::asio::awaitable<void> Run();

 private:
  // How a list or watch ended.
  struct Outcome {
    absl::Status status;
    bool relist = false;
    bool expired = false;  // 410
    bool invalid = false;  // 400 or 422
    bool answered = true;  // by the server, with whatever
    std::optional<std::chrono::seconds> retry_after;
  };

  // A list that the watch follows in the same stream; the outcome is that of
  // both.
  boost::asio::awaitable<Outcome> ListAndWatch();
  boost::asio::awaitable<Outcome> List();
  boost::asio::awaitable<Outcome> Watch();
  // Asks for a watch after a while. OK: it has begun.
  boost::asio::awaitable<Outcome> StartWatch(ApiClient& client,
                                             std::chrono::milliseconds after);
  // Reads the watch of client_ to its end, and renews it when it is silent.
  boost::asio::awaitable<Outcome> FollowWatch();
  // Reads the watch of client_ to its end.
  boost::asio::awaitable<Outcome> ReadWatch();
  // Waits until the watch of client_ is silent. OK: spare_ has another, from
  // the resource version renewed_from_. A list cannot be renewed.
  boost::asio::awaitable<Outcome> Renew();
  boost::asio::awaitable<Outcome> TryToRenew();
  // Not OK at the end of the time if no byte has come meanwhile.
  boost::asio::awaitable<Outcome> StaySilent();
  boost::asio::awaitable<Outcome> GiveUpLater();
  boost::asio::awaitable<void> Sleep(std::chrono::nanoseconds time);
  void OnWatchEnd(const absl::Status& why);
  // Hands the events of whole lines or frames to the handler. Not OK: the watch
  // must end.
  Outcome HandleLines(simdjson::padded_string_view lines);
  Outcome HandleFrames(std::string_view frames);
  Outcome HandleEvent(const absl::StatusOr<WatchEvent>& event);
  void EndList(std::string_view resource_version, std::size_t items);
  void OnFailure(const absl::Status& why);
  std::chrono::milliseconds DelayAfter(const Outcome& outcome,
                                       std::chrono::nanoseconds lived);
  void LogFailure(const absl::Status& status);
  ListRequest MakeListRequest() const;
  ListCallbacks MakeListCallbacks();
  std::string WatchTarget();

  std::unique_ptr<ApiClient> client_;  // lists, and has the watch
  std::unique_ptr<ApiClient> spare_;
  const std::string path_;
  const std::string field_selector_;
  const ReflectorOptions options_;
  ResourceHandler& handler_;

  std::mt19937_64 random_;
  Backoff backoff_;
  // A new one for each watch: it keeps the size of the largest event.
  simdjson::ondemand::parser event_parser_;
  std::string resource_version_;  // the last seen; empty: must list
  bool all_in_pages_;             // the lists, or
  bool next_in_pages_ = false;    // the next one
  std::size_t listed_ = 0;        // objects, by the stream that is being read
  bool expired_before_ = false;   // since the last healthy watch
  std::string renewed_from_;
  std::string logged_failure_;  // empty: the last attempt went well
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_REFLECTOR_H_
