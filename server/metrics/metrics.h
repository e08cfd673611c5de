// The metrics of the process, in Prometheus' conventions.
#ifndef VICINAL_SERVER_METRICS_METRICS_H_
#define VICINAL_SERVER_METRICS_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <string>

namespace vicinal {

// Thread-safe.
class Metrics {
 public:
  Metrics();

  // One answered request of the extender.
  void CountRequest(const std::string& verb, unsigned code, double seconds);

  // Of one watched resource, such as "pods".
  struct Resource {
    prometheus::Gauge& resource_version;
    prometheus::Counter& lists;
    prometheus::Counter& watch_starts;
    prometheus::Counter& disconnects;
    prometheus::Counter& decode_errors;
  };
  Resource ForResource(const std::string& resource);

  prometheus::Gauge& index_nodes() { return index_nodes_; }
  prometheus::Gauge& index_pods() { return index_pods_; }

  // All of them in the text exposition format.
  std::string Render() const;

 private:
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>& requests_;
  prometheus::Family<prometheus::Histogram>& request_durations_;
  prometheus::Family<prometheus::Gauge>& resource_versions_;
  prometheus::Family<prometheus::Counter>& lists_;
  prometheus::Family<prometheus::Counter>& watch_starts_;
  prometheus::Family<prometheus::Counter>& disconnects_;
  prometheus::Family<prometheus::Counter>& decode_errors_;
  prometheus::Gauge& index_nodes_;
  prometheus::Gauge& index_pods_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_METRICS_METRICS_H_
