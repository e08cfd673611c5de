#ifndef VICINAL_SERVER_KUBERNETES_WATCH_EVENT_H_
#define VICINAL_SERVER_KUBERNETES_WATCH_EVENT_H_

#include <simdjson.h>

#include <string_view>

#include "absl/status/statusor.h"
#include "server/kubernetes/raw_object.h"

namespace vicinal {

// One event of a watch: a line {"type":"ADDED","object":{…}}, or a frame with a
// metav1.WatchEvent. The views end with the line or the frame, or with the
// parser's next use.
struct WatchEvent {
  enum class Type { kAdded, kModified, kDeleted, kBookmark, kError };

  Type type = Type::kError;
  RawObject object;
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
// The same for what a frame has after its header.
absl::StatusOr<WatchEvent> ParseProtobufWatchEvent(std::string_view frame);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_WATCH_EVENT_H_
