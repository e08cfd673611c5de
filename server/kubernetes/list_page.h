#ifndef VICINAL_SERVER_KUBERNETES_LIST_PAGE_H_
#define VICINAL_SERVER_KUBERNETES_LIST_PAGE_H_

#include <simdjson.h>

#include <functional>
#include <string>

#include "absl/status/statusor.h"

namespace vicinal {

// What a page of a list says about the list.
struct ListPage {
  std::string resource_version;  // never empty
  std::string continue_token;    // empty on the last page
};

// Splits one page of a Kubernetes list ({"metadata":{…},"items":[…]}) and calls
// `item` for each, in order, with its raw JSON, a view into `body` that is
// padded for simdjson. `body` needs SIMDJSON_PADDING bytes of spare capacity.
// The items' insides are skipped, not checked.
//
// Error: not such a list; items may have been given before it is found out.
absl::StatusOr<ListPage> SplitListPage(
    const std::string& body,
    const std::function<void(simdjson::padded_string_view)>& item);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_LIST_PAGE_H_
