#include "core/model/json_writer.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace vicinal {
namespace {

// The length of the well-formed UTF-8 sequence at the start of `text`, whose
// first byte is not ASCII; 0 if there is none.
std::size_t Utf8SequenceLength(std::string_view text) {
  const auto byte = [text](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto continues = [&](std::size_t i) {
    return (byte(i) & 0xC0) == 0x80;
  };
  const unsigned first = byte(0);
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!continues(1) || !continues(2)) return 0;
    if (first == 0xE0 && byte(1) < 0xA0) return 0;   // overlong
    if (first == 0xED && byte(1) >= 0xA0) return 0;  // surrogates
    return 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (first == 0xF0 && byte(1) < 0x90) return 0;   // overlong
    if (first == 0xF4 && byte(1) >= 0x90) return 0;  // above U+10FFFF
    return 4;
  }
  return 0;
}

// Whether a byte stands for itself in a string.
constexpr std::array<bool, 256> kIsPlain = [] {
  std::array<bool, 256> plain = {};
  for (std::size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

// Whether each of eight bytes stands for itself. May deny it when it is so.
bool ArePlain(const char* bytes) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  constexpr std::uint64_t kHigh = kEach * 0x80;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  // The high bit of each byte: whether a byte is less than `limit`, which is at
  // most 0x80 (what is borrowed from a neighbour can only deny).
  const auto less = [](std::uint64_t x, std::uint64_t limit) {
    return (x - kEach * limit) & ~x & kHigh;
  };
  return ((word & kHigh) | less(word, 0x20) | less(word ^ (kEach * '"'), 1) |
          less(word ^ (kEach * '\\'), 1)) == 0;
}

}  // namespace

void AppendJsonString(std::string_view text, std::string& out) {
  constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  std::size_t plain = 0;  // Start of the run that needs no escape.
  for (std::size_t i = 0; i < text.size();) {
    if (i + 8 <= text.size() && ArePlain(text.data() + i)) {
      i += 8;
      continue;
    }
    // The last bytes, and some before them that have been looked at.
    if (i + 8 > text.size() && text.size() >= 8 &&
        ArePlain(text.data() + text.size() - 8)) {
      break;
    }
    const auto c = static_cast<unsigned char>(text[i]);
    if (kIsPlain[c]) {
      ++i;
      continue;
    }
    if (c >= 0x80) {
      if (const std::size_t length = Utf8SequenceLength(text.substr(i))) {
        i += length;
        continue;
      }
    }
    out.append(text, plain, i - plain);
    if (c >= 0x80) {
      out += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 0xF];
    }
    plain = ++i;
  }
  out.append(text, plain);
  out += '"';
}

void AppendJsonNumber(std::int64_t number, std::string& out) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

}  // namespace vicinal
