// What the process takes from its host.
#ifndef VICINAL_SERVER_METRICS_PROCESS_METRICS_H_
#define VICINAL_SERVER_METRICS_PROCESS_METRICS_H_

#include <prometheus/metric_family.h>

#include <vector>

namespace vicinal {

// The metrics of this process under the names that all Prometheus client
// libraries use: process_resident_memory_bytes, process_cpu_seconds_total,
// process_open_fds, process_max_fds, process_start_time_seconds. What the
// kernel does not tell is left out. Thread-safe. Cost: a few files of /proc,
// and O(open files).
std::vector<prometheus::MetricFamily> ProcessMetrics();

}  // namespace vicinal

#endif  // VICINAL_SERVER_METRICS_PROCESS_METRICS_H_
