// Choices of property tests, made from a seed.
#ifndef VICINAL_CORE_TESTING_DICE_H_
#define VICINAL_CORE_TESTING_DICE_H_

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <random>

namespace vicinal {

// The same choices in the same order for the same seed. Not thread-safe.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  std::uint64_t Number() { return random_(); }
  // 0 … limit - 1.
  int Below(int limit) {
    return static_cast<int>(random_() % static_cast<std::uint64_t>(limit));
  }
  bool Chance(int percent) { return Below(100) < percent; }
  template <typename T>
  T Of(std::initializer_list<T> choices) {
    return choices.begin()[Below(static_cast<int>(choices.size()))];
  }

 private:
  std::mt19937_64 random_;
};

// Which seeds a property test takes: VICINAL_SEED, one that failed; or the
// first VICINAL_HISTORIES, 10,000 if it is not set.
struct Seeds {
  std::uint64_t first;
  std::uint64_t count;

  static Seeds FromEnvironment() {
    const char* const one = std::getenv("VICINAL_SEED");
    if (one != nullptr) return {std::strtoull(one, nullptr, 10), 1};
    const char* const count = std::getenv("VICINAL_HISTORIES");
    return {1, count == nullptr ? 10'000 : std::strtoull(count, nullptr, 10)};
  }
};

}  // namespace vicinal

#endif  // VICINAL_CORE_TESTING_DICE_H_
