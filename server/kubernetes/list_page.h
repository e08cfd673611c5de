#ifndef VICINAL_SERVER_KUBERNETES_LIST_PAGE_H_
#define VICINAL_SERVER_KUBERNETES_LIST_PAGE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/kubernetes/encoding.h"
#include "server/kubernetes/raw_object.h"

namespace vicinal {

// A page of a Kubernetes list.
struct ListPage {
  std::string resource_version;  // never empty
  std::string continue_token;    // empty on the last page
  std::vector<RawObject> items;  // In order: views into the body.
};

// Takes a page ({"metadata":{…},"items":[…]}) apart. JSON in `body` needs
// SIMDJSON_PADDING bytes of spare capacity, and must outlive the page. The
// items' insides are skipped, not checked. Error: not such a list.
// Cost: O(bytes), little of what reading the items takes.
absl::StatusOr<ListPage> ReadListPage(Encoding encoding,
                                      const std::string& body);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_LIST_PAGE_H_
