// Go's int64 arithmetic on amd64, where C++ has undefined behaviour: results
// are cut to 64 bits. Amounts of resources are summed and multiplied with it,
// so that absurd amounts have the same absurd consequences as upstream.
#ifndef VICINAL_CORE_MODEL_GO_INT64_H_
#define VICINAL_CORE_MODEL_GO_INT64_H_

#include <cstdint>
#include <limits>

namespace vicinal {

inline std::int64_t GoAdd(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) +
                                   static_cast<std::uint64_t>(b));
}

inline std::int64_t GoSubtract(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) -
                                   static_cast<std::uint64_t>(b));
}

inline std::int64_t GoMultiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) *
                                   static_cast<std::uint64_t>(b));
}

// `b` is not 0. The one quotient that does not fit is the dividend.
inline std::int64_t GoDivide(std::int64_t a, std::int64_t b) {
  return b == -1 ? GoSubtract(0, a) : a / b;
}

// int64(x): cut towards zero. What does not fit, and NaN, is the least int64.
inline std::int64_t GoToInt64(double x) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  return x >= -kLimit && x < kLimit ? static_cast<std::int64_t>(x)
                                    : std::numeric_limits<std::int64_t>::min();
}

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_GO_INT64_H_
