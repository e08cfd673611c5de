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

// Which seeds a property test takes: VICINAL_SEED alone, one that failed; or,
// if it is 0 or not set, the first VICINAL_HISTORIES, which are 10,000 by
// default.
struct Seeds {
  std::uint64_t first;
  std::uint64_t count;
  bool is_replay;  // Of one seed.

  static Seeds FromEnvironment() {
    const std::uint64_t one = Number("VICINAL_SEED", 0);
    if (one != 0) return {one, 1, true};
    return {1, Number("VICINAL_HISTORIES", 10'000), false};
  }

 private:
  static std::uint64_t Number(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
  }
};

}  // namespace vicinal

#endif  // VICINAL_CORE_TESTING_DICE_H_
