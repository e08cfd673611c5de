// The wire format of protocol buffers, field by field.
// Source: protobuf.dev/programming-guides/encoding.
#ifndef VICINAL_CORE_MODEL_WIRE_READER_H_
#define VICINAL_CORE_MODEL_WIRE_READER_H_

#include <cstdint>
#include <string_view>

namespace vicinal {

// The wire types that proto3 and Kubernetes have: no groups.
enum class WireType { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t varint = 0;  // Of kVarint; else 0.
  std::string_view bytes;    // Of kBytes, a string or a message; else empty.
};

// Reads the fields of one message in the order in which they were written. The
// values of the fields are views into the message. Cost: O(1) a field; what a
// message in the message has is not looked at.
class WireReader {
 public:
  explicit WireReader(std::string_view message)
      : at_(message.data()), end_(message.data() + message.size()) {}

  // False at the end, and when what follows is no field; see ok().
  bool Next(WireField& field);

  // False if the message is cut off or is no message.
  bool ok() const { return ok_; }

 private:
  bool Fail() {
    ok_ = false;
    return false;
  }
  bool ReadVarint(std::uint64_t& value);

  const char* at_;
  const char* const end_;
  bool ok_ = true;
};

inline bool WireReader::ReadVarint(std::uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && at_ != end_; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at_++);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) return true;
  }
  return Fail();
}

inline bool WireReader::Next(WireField& field) {
  if (at_ == end_ || !ok_) return false;
  field = WireField();
  std::uint64_t tag = 0;
  if (!ReadVarint(tag)) return false;
  // Field numbers have 29 bits, and 0 is none.
  if (tag >> 32 != 0 || tag >> 3 == 0) return Fail();
  field.number = static_cast<std::uint32_t>(tag >> 3);
  field.type = static_cast<WireType>(tag & 7);
  const auto left = static_cast<std::uint64_t>(end_ - at_);
  std::uint64_t size = 0;
  switch (field.type) {
    case WireType::kVarint:
      return ReadVarint(field.varint);
    case WireType::kBytes:
      if (!ReadVarint(size) || size > static_cast<std::uint64_t>(end_ - at_)) {
        return Fail();
      }
      field.bytes = std::string_view(at_, size);
      at_ += size;
      return true;
    case WireType::kFixed64:
    case WireType::kFixed32:
      size = field.type == WireType::kFixed64 ? 8 : 4;
      if (size > left) return Fail();
      at_ += size;
      return true;
  }
  return Fail();
}

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_WIRE_READER_H_
