// Writes Kubernetes objects as protobuf, as the API server does, for tests of
// what reads them.
#ifndef VICINAL_CORE_TESTING_ENCODE_PROTOBUF_H_
#define VICINAL_CORE_TESTING_ENCODE_PROTOBUF_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "core/model/fields.h"

namespace vicinal {

inline void AppendVarint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) {
    out += static_cast<char>((value & 0x7f) | 0x80);
  }
  out += static_cast<char>(value);
}

// A field with a number.
inline std::string WireNumber(std::uint32_t number, std::uint64_t value) {
  std::string out;
  AppendVarint(std::uint64_t{number} << 3, out);
  AppendVarint(value, out);
  return out;
}

// A field with a string or a message.
inline std::string WireBytes(std::uint32_t number, std::string_view bytes) {
  std::string out;
  AppendVarint((std::uint64_t{number} << 3) | 2, out);
  AppendVarint(bytes.size(), out);
  out += bytes;
  return out;
}

inline std::string WireTime(std::uint32_t number, std::int64_t seconds) {
  return WireBytes(number, WireNumber(1, static_cast<std::uint64_t>(seconds)) +
                               WireNumber(2, 0));
}

// EncodeField(number, value) is the field with that value; "" if it is absent.
inline std::string EncodeField(std::uint32_t number, const std::string& value) {
  return WireBytes(number, value);
}
inline std::string EncodeField(std::uint32_t number, bool value) {
  return WireNumber(number, value ? 1 : 0);
}
inline std::string EncodeField(std::uint32_t number, std::int32_t value) {
  return WireNumber(number, static_cast<std::uint64_t>(std::int64_t{value}));
}
inline std::string EncodeField(std::uint32_t number, std::int64_t value) {
  return WireNumber(number, static_cast<std::uint64_t>(value));
}
inline std::string EncodeField(std::uint32_t number, const Labels& labels) {
  std::string out;
  for (const auto& [key, value] : labels) {
    out += WireBytes(number, WireBytes(1, key) + WireBytes(2, value));
  }
  return out;
}
// The amounts must be whole thousandths.
inline std::string EncodeField(std::uint32_t number, const ResourceList& list) {
  std::string out;
  for (const auto& [key, amount] : list) {
    const std::string text = std::to_string(amount.MilliValue()) + "m";
    out +=
        WireBytes(number, WireBytes(1, key) + WireBytes(2, WireBytes(1, text)));
  }
  return out;
}
inline std::string EncodeTimeText(std::uint32_t number,
                                  const std::string& text) {
  absl::Time time;
  if (!absl::ParseTime(absl::RFC3339_full, text, &time, nullptr)) return "";
  return WireTime(number, absl::ToUnixSeconds(time));
}
template <typename Seconds>
std::string EncodeField(std::uint32_t number, const TimeField<Seconds>& field) {
  return field.seconds ? WireTime(number, *field.seconds) : "";
}
template <typename Text>
std::string EncodeField(std::uint32_t number,
                        const TimeTextField<Text>& field) {
  return field.text ? EncodeTimeText(number, *field.text) : "";
}
template <typename Texts>
std::string EncodeField(std::uint32_t number,
                        const TimeTextsField<Texts>& field) {
  std::string out;
  for (const auto& [key, text] : field.texts) {
    out += WireBytes(number, WireBytes(1, key) + EncodeTimeText(2, text));
  }
  return out;
}
template <typename Terms>
std::string EncodeField(std::uint32_t number,
                        const NodeSelectorField<Terms>& field);
template <HasFields T>
std::string EncodeField(std::uint32_t number, const T& object);
template <typename T>
std::string EncodeField(std::uint32_t number, const std::optional<T>& value) {
  return value ? EncodeField(number, *value) : "";
}
template <typename T>
std::string EncodeField(std::uint32_t number, const std::vector<T>& values) {
  std::string out;
  for (const T& value : values) out += EncodeField(number, value);
  return out;
}
template <typename Terms>
std::string EncodeField(std::uint32_t number,
                        const NodeSelectorField<Terms>& field) {
  if (!field.terms) return "";
  return WireBytes(number, EncodeField(1, *field.terms));
}

// The message with all fields that VisitFields visits.
template <HasFields T>
std::string EncodeProtobuf(const T& object) {
  std::string out;
  VisitFields(object, [&out](std::string_view, std::uint32_t number,
                             const auto& member) {
    out += EncodeField(number, member);
  });
  return out;
}
template <HasFields T>
std::string EncodeField(std::uint32_t number, const T& object) {
  return WireBytes(number, EncodeProtobuf(object));
}

}  // namespace vicinal

#endif  // VICINAL_CORE_TESTING_ENCODE_PROTOBUF_H_
