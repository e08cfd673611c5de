// What vicinal tells about its work for a scheduler's plugin.
#ifndef VICINAL_SERVER_METRICS_PLUGIN_METRICS_H_
#define VICINAL_SERVER_METRICS_PLUGIN_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <string>

namespace vicinal {

// Thread-safe.
class PluginMetrics {
 public:
  PluginMetrics();

  // 1 while a scheduler is attached and has told the whole cluster.
  prometheus::Gauge& synced() { return synced_; }
  // Times that a scheduler has told the whole cluster.
  prometheus::Counter& syncs() { return syncs_; }
  prometheus::Gauge& nodes() { return nodes_; }
  prometheus::Gauge& pods() { return pods_; }
  prometheus::Gauge& waiting_pods() { return waiting_pods_; }

  // `kind` is the field of Change. To be kept by who counts often.
  prometheus::Counter& Changes(const std::string& kind);
  // `kind` is the field of Question, or several, joined by "+".
  prometheus::Histogram& Questions(const std::string& kind);
  // `code` is the name of the status with which a stream ended.
  void CountStreamEnd(const std::string& code);

  // The text format, with the metrics of the process.
  std::string Render() const;

 private:
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>& changes_;
  prometheus::Family<prometheus::Histogram>& questions_;
  prometheus::Family<prometheus::Counter>& stream_ends_;
  prometheus::Gauge& synced_;
  prometheus::Counter& syncs_;
  prometheus::Gauge& nodes_;
  prometheus::Gauge& pods_;
  prometheus::Gauge& waiting_pods_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_METRICS_PLUGIN_METRICS_H_
