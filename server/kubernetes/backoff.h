#ifndef VICINAL_SERVER_KUBERNETES_BACKOFF_H_
#define VICINAL_SERVER_KUBERNETES_BACKOFF_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>

namespace vicinal {

// How long to wait before the next attempt: doubles with every failure up to a
// cap. Each wait is drawn from the upper half of the bound, [d/2, d], so that
// clients which lost the same server do not return together. Not thread safe.
class Backoff {
 public:
  Backoff(std::chrono::milliseconds initial, std::chrono::milliseconds cap,
          uint64_t seed)
      : initial_(initial), cap_(cap), random_(seed), bound_(initial) {}

  std::chrono::milliseconds Next() {
    std::uniform_int_distribution<int64_t> wait(bound_.count() / 2,
                                                bound_.count());
    const std::chrono::milliseconds next(wait(random_));
    bound_ = std::min(bound_ * 2, cap_);
    return next;
  }

  void Reset() { bound_ = initial_; }

 private:
  const std::chrono::milliseconds initial_;
  const std::chrono::milliseconds cap_;
  std::mt19937_64 random_;
  std::chrono::milliseconds bound_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_BACKOFF_H_
