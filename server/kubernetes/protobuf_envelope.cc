#include "server/kubernetes/protobuf_envelope.h"

#include "core/model/wire_reader.h"

namespace vicinal {
namespace {

constexpr std::string_view kPrefix("k8s\0", 4);

}  // namespace

std::optional<ProtobufEnvelope> OpenProtobuf(std::string_view bytes) {
  if (!bytes.starts_with(kPrefix)) return std::nullopt;
  ProtobufEnvelope envelope;
  WireReader unknown(bytes.substr(kPrefix.size()));
  WireField field;
  while (unknown.Next(field)) {
    if (field.type != WireType::kBytes) continue;
    if (field.number == 1) {
      WireReader type_meta(field.bytes);
      WireField inner;
      while (type_meta.Next(inner)) {
        if (inner.number == 2) envelope.kind = inner.bytes;
      }
      if (!type_meta.ok()) return std::nullopt;
    } else if (field.number == 2) {
      envelope.message = field.bytes;
    } else if (field.number == 3 && !field.bytes.empty()) {
      return std::nullopt;  // Compressed, or whatever: no server does that.
    }
  }
  if (!unknown.ok()) return std::nullopt;
  return envelope;
}

ProtobufStatus ReadProtobufStatus(std::string_view message) {
  ProtobufStatus status;
  WireReader reader(message);
  WireField field;
  while (reader.Next(field)) {
    if (field.number == 3 && field.type == WireType::kBytes) {
      status.message = field.bytes;
    } else if (field.number == 6 && field.type == WireType::kVarint) {
      status.code = static_cast<int>(field.varint);
    }
  }
  return status;
}

}  // namespace vicinal
