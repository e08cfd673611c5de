#include "server/metrics/process_metrics.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace vicinal {
namespace {

std::map<std::string, double> Read() {
  std::map<std::string, double> values;
  for (const prometheus::MetricFamily& family : ProcessMetrics()) {
    const prometheus::ClientMetric& metric = family.metric.at(0);
    values[family.name] = family.type == prometheus::MetricType::Counter
                              ? metric.counter.value
                              : metric.gauge.value;
  }
  return values;
}

TEST(ProcessMetricsTest, MemoryGrowsWithWhatIsUsed) {
  const double before = Read().at("process_resident_memory_bytes");
  EXPECT_GT(before, 1e6);
  const std::vector<char> used(64 << 20, 'x');
  EXPECT_GE(Read().at("process_resident_memory_bytes") - before, 60 << 20)
      << used.back();
}

TEST(ProcessMetricsTest, CountsOpenFiles) {
  const double before = Read().at("process_open_fds");
  const std::ifstream one("/proc/self/stat");
  const std::ifstream another("/proc/self/stat");
  EXPECT_EQ(Read().at("process_open_fds"), before + 2);
  EXPECT_GT(Read().at("process_max_fds"), before + 2);
}

TEST(ProcessMetricsTest, StartedALittleWhileAgo) {
  const double now = std::chrono::duration<double>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
  const double start = Read().at("process_start_time_seconds");
  EXPECT_LT(start, now + 1);
  EXPECT_GT(start, now - 600);
}

TEST(ProcessMetricsTest, ProcessorTimeGoesOn) {
  const double before = Read().at("process_cpu_seconds_total");
  const auto begin = std::chrono::steady_clock::now();
  while (Read().at("process_cpu_seconds_total") < before + 0.05) {
    ASSERT_LT(std::chrono::steady_clock::now() - begin,
              std::chrono::seconds(30));
  }
}

}  // namespace
}  // namespace vicinal
