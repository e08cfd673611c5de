#include "server/state/read_object_key.h"

#include <string_view>

#include "absl/status/status.h"
#include "core/model/wire_reader.h"
#include "server/kubernetes/encoding.h"

namespace vicinal {
namespace {

// {metadata = 1 {name = 1, namespace = 3, uid = 5}}
std::optional<ObjectKey> ReadFromProtobuf(std::string_view message,
                                          std::string* uid) {
  ObjectKey key;
  WireReader object(message);
  WireField field;
  while (object.Next(field)) {
    if (field.number != 1) continue;
    WireReader metadata(field.bytes);
    WireField inner;
    while (metadata.Next(inner)) {
      if (inner.number == 1) key.name = inner.bytes;
      if (inner.number == 3) key.namespace_name = inner.bytes;
      if (inner.number == 5) *uid = inner.bytes;
    }
  }
  if (key.name.empty()) return std::nullopt;
  return key;
}

std::optional<ObjectKey> ReadFromJson(JsonReader& reader,
                                      simdjson::padded_string_view json,
                                      std::string* uid) {
  ObjectKey key;
  const auto read_name = [&key, uid](std::string_view name, JsonValue field,
                                     const JsonPath& path) {
    if (name == "namespace") return Decode(field, path, &key.namespace_name);
    if (name == "name") return Decode(field, path, &key.name);
    if (name == "uid") return Decode(field, path, uid);
    return absl::OkStatus();
  };
  const absl::Status status = reader.ReadWith(json, [&](JsonValue object) {
    return ForEachField(
        object, JsonPath(),
        [&](std::string_view name, JsonValue field, const JsonPath& path) {
          return name == "metadata" ? ForEachField(field, path, read_name)
                                    : absl::OkStatus();
        });
  });
  if (!status.ok() || key.name.empty()) return std::nullopt;
  return key;
}

}  // namespace

std::optional<ObjectKey> ReadObjectKey(JsonReader& reader,
                                       const RawObject& object,
                                       std::string* uid) {
  return object.encoding == Encoding::kProtobuf
             ? ReadFromProtobuf(object.bytes, uid)
             : ReadFromJson(reader, object.bytes, uid);
}

}  // namespace vicinal
