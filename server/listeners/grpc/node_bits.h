// Bitmaps of nodes in messages: a bit for each number of a node, the lowest bit
// of byte 0 is number 0. Bytes at the end that are 0 may be left out.
#ifndef VICINAL_SERVER_LISTENERS_GRPC_NODE_BITS_H_
#define VICINAL_SERVER_LISTENERS_GRPC_NODE_BITS_H_

#include <bit>
#include <cstddef>
#include <string>
#include <string_view>

namespace vicinal {

inline constexpr std::size_t kBitsPerByte = 8;

// Calls `use(number)` for each bit that is 1, the lowest number first. Cost:
// O(bytes + bits that are 1).
template <typename Use>
void ForEachBit(std::string_view bits, Use use) {
  for (std::size_t i = 0; i < bits.size(); ++i) {
    for (unsigned rest = static_cast<unsigned char>(bits[i]); rest != 0;
         rest &= rest - 1) {
      use(i * kBitsPerByte + static_cast<std::size_t>(std::countr_zero(rest)));
    }
  }
}

// How many bits are 1. Cost: O(bytes).
inline std::size_t CountBits(std::string_view bits) {
  std::size_t count = 0;
  for (const char byte : bits) {
    count += static_cast<std::size_t>(
        std::popcount(static_cast<unsigned char>(byte)));
  }
  return count;
}

// Makes the bit of `number` 1, and adds the bytes before it that are missing.
inline void SetBit(std::size_t number, std::string& bits) {
  const std::size_t byte = number / kBitsPerByte;
  if (bits.size() <= byte) bits.resize(byte + 1, '\0');
  bits[byte] = static_cast<char>(static_cast<unsigned char>(bits[byte]) |
                                 1U << number % kBitsPerByte);
}

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_GRPC_NODE_BITS_H_
