#include "server/kubernetes/watch_event.h"

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/model/wire_reader.h"
#include "server/kubernetes/protobuf_envelope.h"

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
  event.object.bytes = simdjson::padded_string_view(raw.data(), raw.size(),
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

// The annotation of the bookmark that ends a list which is told as events
// (metav1.InitialEventsAnnotationKey).
constexpr char kInitialEventsEnd[] = "k8s.io/initial-events-end";

bool EndsInitialEvents(simdjson::padded_string_view bookmark) {
  ondemand::parser parser;  // The one of the line still holds its version.
  ondemand::document document;
  if (parser.iterate(bookmark).get(document) != SUCCESS) return false;
  std::string_view value;
  return document["metadata"]["annotations"][kInitialEventsEnd]
                 .get_string()
                 .get(value) == SUCCESS &&
         value == "true";
}

// Both are optional; what is missing, or behind something that is no JSON,
// stays 0 or "".
void ReadStatus(ondemand::parser& parser, WatchEvent& event) {
  ondemand::document document;
  ondemand::object status;
  if (parser.iterate(event.object.bytes).get(document) != SUCCESS) return;
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

// metadata = 1 {resourceVersion = 6, annotations = 12 {key = 1, value = 2}}
bool ReadMetadata(std::string_view message, WatchEvent& event) {
  WireReader metadata(message);
  WireField field;
  while (metadata.Next(field)) {
    if (field.type != WireType::kBytes) continue;
    if (field.number == 6) event.resource_version = field.bytes;
    if (field.number != 12) continue;
    WireReader annotation(field.bytes);
    WireField part;
    std::string_view key;
    std::string_view value;
    while (annotation.Next(part)) {
      if (part.type != WireType::kBytes) continue;
      if (part.number == 1) key = part.bytes;
      if (part.number == 2) value = part.bytes;
    }
    if (key == kInitialEventsEnd && value == "true") {
      event.ends_initial_events = true;
    }
  }
  return metadata.ok();
}

// The object in an event, all of which but a Status have their metadata in
// field 1.
bool ReadObject(std::string_view message, WatchEvent& event) {
  event.object = {Encoding::kProtobuf,
                  simdjson::padded_string_view(message.data(), message.size(),
                                               message.size())};
  if (event.type == WatchEvent::Type::kError) {
    const ProtobufStatus status = ReadProtobufStatus(message);
    event.error_code = status.code;
    event.error_message = status.message;
    return true;
  }
  WireReader object(message);
  WireField field;
  while (object.Next(field)) {
    if (field.number != 1 || field.type != WireType::kBytes) continue;
    const bool read = ReadMetadata(field.bytes, event);
    if (event.type != WatchEvent::Type::kBookmark) {
      event.ends_initial_events = false;
    }
    return read;
  }
  return object.ok();
}

absl::Status NoEvent(std::string_view problem, std::string_view text) {
  return absl::DataLossError(absl::StrCat(
      "not a watch event: ", std::string(problem),
      " (it begins: ", absl::CEscape(std::string(text.substr(0, 80))), ")"));
}

}  // namespace

// metav1.WatchEvent {type = 1, object = 2 {raw = 1}}
absl::StatusOr<WatchEvent> ParseProtobufWatchEvent(std::string_view frame) {
  WatchEvent event;
  std::string_view type;
  std::optional<std::string_view> raw;
  WireReader reader(frame);
  WireField field;
  while (reader.Next(field)) {
    if (field.type != WireType::kBytes) continue;
    if (field.number == 1) type = field.bytes;
    if (field.number != 2) continue;
    WireReader extension(field.bytes);
    WireField inner;
    while (extension.Next(inner)) {
      if (inner.number == 1 && inner.type == WireType::kBytes) {
        raw = inner.bytes;
      }
    }
    if (!extension.ok()) return NoEvent("object is cut off", frame);
  }
  if (!reader.ok()) return NoEvent("no protobuf, or cut off", frame);
  const std::optional<WatchEvent::Type> known = TypeOf(type);
  if (!known) return NoEvent("type is unknown", frame);
  if (!raw) return NoEvent("object is missing", frame);
  const std::optional<ProtobufEnvelope> envelope = OpenProtobuf(*raw);
  if (!envelope) return NoEvent("object is no protobuf, or cut off", frame);
  event.type = *known;
  if (!ReadObject(envelope->message, event)) {
    return NoEvent("object.metadata is no protobuf", frame);
  }
  if (event.type != WatchEvent::Type::kError &&
      event.resource_version.empty()) {
    return NoEvent("object.metadata.resourceVersion is missing", frame);
  }
  return event;
}

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
  } else if (event.object.bytes.data() == nullptr) {
    problem = "object is missing";
  } else {
    event.type = *known;
    if (event.type == WatchEvent::Type::kError) {
      ReadStatus(parser, event);
      return event;
    }
    if (event.type == WatchEvent::Type::kBookmark) {
      event.ends_initial_events = EndsInitialEvents(event.object.bytes);
    }
    if (!event.resource_version.empty()) return event;
    problem = "object.metadata.resourceVersion is missing";
  }
  return NoEvent(problem, line);
}

}  // namespace vicinal
