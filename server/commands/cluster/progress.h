// Says now and then how far something long has come.
#ifndef VICINAL_SERVER_COMMANDS_CLUSTER_PROGRESS_H_
#define VICINAL_SERVER_COMMANDS_CLUSTER_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>

namespace vicinal {

class Progress {
 public:
  static constexpr std::chrono::seconds kInterval{2};

  // `what` follows the number: `pods placed so far`. `log` must outlive this.
  Progress(std::ostream& log, std::string what,
           std::chrono::steady_clock::duration interval = kInterval)
      : log_(log),
        what_(std::move(what)),
        interval_(interval),
        next_(std::chrono::steady_clock::now() + interval) {}

  // One more is done: writes a line if the last is an interval old.
  void Count() {
    ++count_;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + interval_;
    log_ << "vicinal: " << count_ << " " << what_ << std::endl;
  }

 private:
  std::ostream& log_;
  const std::string what_;
  const std::chrono::steady_clock::duration interval_;
  std::chrono::steady_clock::time_point next_;
  std::int64_t count_ = 0;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_CLUSTER_PROGRESS_H_
