#include "server/kubernetes/watch_event.h"

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace vicinal {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;
using simdjson::SUCCESS;

std::optional<WatchEvent::Type> TypeOf(std::string_view name) {
  if (name == "ADDED") return WatchEvent::Type::kAdded;
  if (name == "MODIFIED") return WatchEvent::Type::kModified;
  if (name == "DELETED") return WatchEvent::Type::kDeleted;
  if (name == "BOOKMARK") return WatchEvent::Type::kBookmark;
  if (name == "ERROR") return WatchEvent::Type::kError;
  return {};
}

error_code ReadObject(ondemand::object object,
                      simdjson::padded_string_view line, WatchEvent& event) {
  // Absent in the Status of an error.
  const error_code found =
      object["metadata"]["resourceVersion"].get_string().get(
          event.resource_version);
  if (found != SUCCESS && found != simdjson::NO_SUCH_FIELD) return found;
  if (const error_code error = object.reset().error()) return error;
  std::string_view raw;
  if (const error_code error = object.raw_json().get(raw)) return error;
  const size_t begin = static_cast<size_t>(raw.data() - line.data());
  event.object = simdjson::padded_string_view(raw.data(), raw.size(),
                                              line.capacity() - begin);
  return SUCCESS;
}

error_code ReadEvent(simdjson::padded_string_view line,
                     ondemand::parser& parser, std::string_view& type,
                     WatchEvent& event) {
  ondemand::document document;
  if (const error_code error = parser.iterate(line).get(document)) return error;
  ondemand::object fields;
  if (const error_code error = document.get_object().get(fields)) return error;
  for (auto field : fields) {
    std::string_view key;
    if (const error_code error = field.unescaped_key().get(key)) return error;
    if (key == "type") {
      if (const error_code error = field.value().get_string().get(type))
        return error;
    } else if (key == "object") {
      ondemand::object object;
      if (const error_code error = field.value().get_object().get(object))
        return error;
      if (const error_code error = ReadObject(object, line, event))
        return error;
    }
  }
  const bool at_end =
      document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  return at_end ? SUCCESS : simdjson::TRAILING_CONTENT;
}

// Whether it has the annotation that the server ends a list by which it tells
// as events (metav1.InitialEventsAnnotationKey).
bool EndsInitialEvents(simdjson::padded_string_view bookmark) {
  ondemand::parser parser;  // The one of the line still holds its version.
  ondemand::document document;
  if (parser.iterate(bookmark).get(document) != SUCCESS) return false;
  std::string_view value;
  return document["metadata"]["annotations"]["k8s.io/initial-events-end"]
                 .get_string()
                 .get(value) == SUCCESS &&
         value == "true";
}

// Both are optional; what is missing, or behind something that is no JSON,
// stays 0 or "".
void ReadStatus(ondemand::parser& parser, WatchEvent& event) {
  ondemand::document document;
  ondemand::object status;
  if (parser.iterate(event.object).get(document) != SUCCESS) return;
  if (document.get_object().get(status) != SUCCESS) return;
  for (auto field : status) {
    std::string_view key;
    if (field.unescaped_key().get(key) != SUCCESS) return;
    if (key == "code") {
      int64_t code = 0;
      if (field.value().get_int64().get(code) == SUCCESS) {
        event.error_code = static_cast<int>(code);
      }
    } else if (key == "message") {
      std::string_view message;
      if (field.value().get_string().get(message) == SUCCESS) {
        event.error_message = message;
      }
    }
  }
}

}  // namespace

absl::StatusOr<WatchEvent> ParseWatchEvent(simdjson::padded_string_view line,
                                           simdjson::ondemand::parser& parser) {
  WatchEvent event;
  std::string_view type;
  std::string problem;
  if (const error_code error = ReadEvent(line, parser, type, event)) {
    problem = simdjson::error_message(error);
  } else if (const std::optional<WatchEvent::Type> known = TypeOf(type);
             !known.has_value()) {
    problem = "type is unknown";
  } else if (event.object.data() == nullptr) {
    problem = "object is missing";
  } else {
    event.type = *known;
    if (event.type == WatchEvent::Type::kError) {
      ReadStatus(parser, event);
      return event;
    }
    if (event.type == WatchEvent::Type::kBookmark) {
      event.ends_initial_events = EndsInitialEvents(event.object);
    }
    if (!event.resource_version.empty()) return event;
    problem = "object.metadata.resourceVersion is missing";
  }
  const std::string start(line.substr(0, 80));
  return absl::DataLossError(absl::StrCat("not a watch event: ", problem,
                                          " (it begins: ", absl::CEscape(start),
                                          ")"));
}

}  // namespace vicinal
