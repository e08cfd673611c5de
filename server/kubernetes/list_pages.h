#ifndef VICINAL_SERVER_KUBERNETES_LIST_PAGES_H_
#define VICINAL_SERVER_KUBERNETES_LIST_PAGES_H_

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/kubernetes/api_client.h"
#include "server/kubernetes/raw_object.h"

namespace vicinal {

struct ListRequest {
  std::string path;            // "/api/v1/pods"
  std::string field_selector;  // "" for none; not encoded
  int page_size = 500;
  // Between two attempts to get the same page; see Backoff.
  std::chrono::milliseconds initial_backoff{100};
  std::chrono::milliseconds max_backoff{5'000};
};

// What ListPages calls, on its thread, in this order:
//   { failed } start { item } { { failed } { item } }
struct ListCallbacks {
  // The first page has come.
  std::function<void()> start;
  // Valid during the call; the object's inside has not been checked. An error
  // ends the list.
  std::function<absl::Status(const RawObject&)> item;
  // An attempt to get a page has failed, the so many-th in a row of this page.
  // True: it is asked for again. Not called for what ends the list.
  std::function<bool(const absl::Status& why, int attempts)> failed;
};

struct ListedPages {
  std::string resource_version;
  std::size_t items = 0;
};

// Lists one kind of object in pages, as of one resource version. A page that
// does not come whole (429, 5xx, a cut connection, an answer that is no list)
// is asked for again with the same continue token, after a wait (see Backoff)
// that is at least as long as a Retry-After, up to five minutes. The server
// prepares a page while the one before is read.
//
// Errors: OutOfRange (410: the continue token has expired) and InvalidArgument
// (400: it is not understood), after which only a new list can help; what
// `item` returns; a failure after which `failed` does not want to go on.
boost::asio::awaitable<absl::StatusOr<ListedPages>> ListPages(
    ApiClient& client, const ListRequest& request,
    const ListCallbacks& callbacks);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_LIST_PAGES_H_
