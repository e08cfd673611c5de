#include "server/metrics/plugin_metrics.h"

#include <prometheus/text_serializer.h>

#include <iterator>
#include <vector>

#include "server/metrics/process_metrics.h"

namespace vicinal {
namespace {

// From 10 µs to 100 ms, long after which the plugin has answered by itself.
const prometheus::Histogram::BucketBoundaries& DurationBuckets() {
  static const auto& buckets = *new prometheus::Histogram::BucketBoundaries{
      0.00001, 0.000025, 0.00005, 0.0001, 0.0002, 0.0005, 0.001,
      0.002,   0.005,    0.01,    0.02,   0.05,   0.1};
  return buckets;
}

prometheus::Gauge& MakeGauge(prometheus::Registry& registry, const char* name,
                             const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add(
      {});
}

prometheus::Family<prometheus::Counter>& Counters(
    prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

}  // namespace

PluginMetrics::PluginMetrics()
    : changes_(Counters(registry_, "vicinal_plugin_changes_total",
                        "Changes that the scheduler's plugin has told, by "
                        "kind.")),
      questions_(prometheus::BuildHistogram()
                     .Name("vicinal_plugin_question_duration_seconds")
                     .Help("Time to answer a question of the scheduler's "
                           "plugin, by what is asked.")
                     .Register(registry_)),
      stream_ends_(Counters(registry_, "vicinal_plugin_streams_ended_total",
                            "Streams of scheduler plugins that have ended, by "
                            "status.")),
      synced_(MakeGauge(registry_, "vicinal_plugin_synced",
                        "1 while a scheduler is attached and has told the "
                        "whole cluster.")),
      syncs_(Counters(registry_, "vicinal_plugin_syncs_total",
                      "Times that a scheduler has told the whole cluster.")
                 .Add({})),
      nodes_(
          MakeGauge(registry_, "vicinal_index_nodes", "Nodes in the index.")),
      pods_(MakeGauge(registry_, "vicinal_index_pods",
                      "Pods in the index, which are on nodes.")),
      waiting_pods_(MakeGauge(registry_, "vicinal_plugin_waiting_pods",
                              "Pods that wait for a node.")) {}

prometheus::Counter& PluginMetrics::Changes(const std::string& kind) {
  return changes_.Add({{"kind", kind}});
}

prometheus::Histogram& PluginMetrics::Questions(const std::string& kind) {
  return questions_.Add({{"kind", kind}}, DurationBuckets());
}

void PluginMetrics::CountStreamEnd(const std::string& code) {
  stream_ends_.Add({{"code", code}}).Increment();
}

std::string PluginMetrics::Render() const {
  std::vector<prometheus::MetricFamily> families = registry_.Collect();
  std::vector<prometheus::MetricFamily> process = ProcessMetrics();
  std::move(process.begin(), process.end(), std::back_inserter(families));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace vicinal
