#include "server/metrics/process_metrics.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>

namespace vicinal {
namespace {

using prometheus::MetricType;

std::optional<double> ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  if (!(file >> size >> resident)) return std::nullopt;
  return static_cast<double>(resident) *
         static_cast<double>(sysconf(_SC_PAGESIZE));
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) / 1e6;
}

std::optional<double> CpuSeconds() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return std::nullopt;
  return Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
}

std::optional<double> OpenFiles() {
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/self/fd", error);
  if (error) return std::nullopt;
  // Without the one that lists them.
  return static_cast<double>(std::distance(begin(files), end(files)) - 1);
}

std::optional<double> MaxFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::nullopt;
  return static_cast<double>(limit.rlim_cur);
}

// Of the process, as seconds since 1970.
std::optional<double> StartTime() {
  std::ifstream file("/proc/self/stat");
  std::string stat;
  if (!std::getline(file, stat)) return std::nullopt;
  // The second field is the program's name and may contain anything.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::size_t begin = name_end + 1;
  for (int field = 3; field <= 22; ++field) {
    begin = stat.find(' ', begin);
    if (begin == std::string::npos) return std::nullopt;
    ++begin;
  }
  const double ticks = std::strtod(stat.c_str() + begin, nullptr);
  timespec since_boot{};
  if (clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0) return std::nullopt;
  const double now = std::chrono::duration<double>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
  const double boot = now - static_cast<double>(since_boot.tv_sec) -
                      static_cast<double>(since_boot.tv_nsec) / 1e9;
  return boot + ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

std::vector<prometheus::MetricFamily> ProcessMetrics() {
  std::vector<prometheus::MetricFamily> families;
  const auto add = [&families](const char* name, const char* help,
                               MetricType type, std::optional<double> value) {
    if (!value) return;
    prometheus::ClientMetric metric;
    (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) =
        *value;
    families.push_back({name, help, type, {metric}});
  };
  add("process_resident_memory_bytes",
      "Memory in use, as the kernel counts it.", MetricType::Gauge,
      ResidentBytes());
  add("process_cpu_seconds_total", "Processor time used.", MetricType::Counter,
      CpuSeconds());
  add("process_open_fds", "Files and sockets that are open.", MetricType::Gauge,
      OpenFiles());
  add("process_max_fds", "Files and sockets that may be open.",
      MetricType::Gauge, MaxFiles());
  add("process_start_time_seconds", "When the process began, since 1970.",
      MetricType::Gauge, StartTime());
  return families;
}

}  // namespace vicinal
