#ifndef VICINAL_SERVER_KUBERNETES_LIST_PAGE_H_
#define VICINAL_SERVER_KUBERNETES_LIST_PAGE_H_

#include <simdjson.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace vicinal {

// A page of a Kubernetes list.
struct ListPage {
  std::string resource_version;  // never empty
  std::string continue_token;    // empty on the last page
  // The raw JSON of each item, in order: a view into the body, padded for
  // simdjson.
  std::vector<simdjson::padded_string_view> items;
};

// Takes a page ({"metadata":{…},"items":[…]}) apart. `body` needs
// SIMDJSON_PADDING bytes of spare capacity, and must outlive the page. The
// items' insides are skipped, not checked. Error: not such a list.
// Cost: O(bytes), little of what reading the items takes.
absl::StatusOr<ListPage> ReadListPage(const std::string& body);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_LIST_PAGE_H_
