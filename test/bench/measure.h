// What a benchmark reads off the process: time and memory.
#ifndef VICINAL_TEST_BENCH_MEASURE_H_
#define VICINAL_TEST_BENCH_MEASURE_H_

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace vicinal {

// Milliseconds.
struct Elapsed {
  double wall = 0;
  double cpu = 0;  // Of the calling thread.

  Elapsed& operator+=(const Elapsed& other) {
    wall += other.wall;
    cpu += other.cpu;
    return *this;
  }
};

class Stopwatch {
 public:
  Stopwatch()
      : cpu_(Now(CLOCK_THREAD_CPUTIME_ID)), wall_(Now(CLOCK_MONOTONIC)) {}

  Elapsed Read() const {
    const double wall = Now(CLOCK_MONOTONIC) - wall_;
    return {wall, Now(CLOCK_THREAD_CPUTIME_ID) - cpu_};
  }

 private:
  static double Now(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e3 +
           static_cast<double>(now.tv_nsec) / 1e6;
  }

  double cpu_;
  double wall_;
};

// `values` must not be empty.
inline double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// VmRSS of the process, in bytes.
inline std::size_t ResidentBytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  unsigned long total = 0, resident = 0;
  if (std::fscanf(file, "%lu %lu", &total, &resident) != 2) resident = 0;
  std::fclose(file);
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace vicinal

#endif  // VICINAL_TEST_BENCH_MEASURE_H_
