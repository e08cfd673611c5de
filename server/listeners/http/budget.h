// A bound on what many may use at a time.
#ifndef VICINAL_SERVER_LISTENERS_HTTP_BUDGET_H_
#define VICINAL_SERVER_LISTENERS_HTTP_BUDGET_H_

#include <atomic>
#include <cstddef>
#include <utility>

namespace vicinal {

// Thread-safe.
class Budget {
 public:
  explicit Budget(std::size_t most) : most_(most) {}

  // A part of the budget, which comes back when it is destroyed. Not
  // thread-safe. The budget must outlive it.
  class Share {
   public:
    Share(Share&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)),
          amount_(other.amount_) {}
    Share& operator=(Share&&) = delete;
    ~Share() {
      if (budget_ != nullptr) budget_->used_ -= amount_;
    }

    // Whether there was so much.
    bool ok() const { return budget_ != nullptr; }

   private:
    friend class Budget;
    Share(Budget* budget, std::size_t amount)
        : budget_(budget), amount_(amount) {}

    Budget* budget_;  // Null: nothing was taken.
    std::size_t amount_;
  };

  // Takes all of `amount` or nothing.
  Share Take(std::size_t amount) {
    std::size_t used = used_;
    do {
      if (amount > most_ || used > most_ - amount) return {nullptr, 0};
    } while (!used_.compare_exchange_weak(used, used + amount));
    return {this, amount};
  }

 private:
  const std::size_t most_;
  std::atomic<std::size_t> used_ = 0;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_HTTP_BUDGET_H_
