#ifndef VICINAL_SERVER_KUBERNETES_WATCH_EVENT_H_
#define VICINAL_SERVER_KUBERNETES_WATCH_EVENT_H_

#include <simdjson.h>

#include <string_view>

#include "absl/status/statusor.h"

namespace vicinal {

// One line of a watch: {"type":"ADDED","object":{…}}. The views end with the
// line or with the parser's next use.
struct WatchEvent {
  enum class Type { kAdded, kModified, kDeleted, kBookmark, kError };

  Type type = Type::kError;
  simdjson::padded_string_view object;  // raw JSON
  // Of the object; never empty, except for errors.
  std::string_view resource_version;
  // Of bookmarks: everything that was there when the watch began has been told.
  bool ends_initial_events = false;
  // Of errors only: what the Status object says.
  int error_code = 0;
  std::string_view error_message;
};

// Reads type and metadata.resourceVersion and skips the rest of the object,
// whose inside is not checked. `line` needs simdjson's padding.
absl::StatusOr<WatchEvent> ParseWatchEvent(simdjson::padded_string_view line,
                                           simdjson::ondemand::parser& parser);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_WATCH_EVENT_H_
