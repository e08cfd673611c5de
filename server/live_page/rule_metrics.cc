#include "server/live_page/rule_metrics.h"

#include <prometheus/gauge.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace vicinal {
namespace {

using Gauges = prometheus::Family<prometheus::Gauge>;

void Set(prometheus::Gauge& gauge, std::int64_t value) {
  gauge.Set(static_cast<double>(value));
}

}  // namespace

std::string RenderRuleMetrics(const RuleReport& report) {
  prometheus::Registry registry;
  Gauges& skew =
      prometheus::BuildGauge()
          .Name("vicinal_spread_skew")
          .Help(
              "Largest skew of the topology spread constraints that running "
              "pods have, by namespace and topology key; of the pairs beyond "
              "the 100 worst with empty labels.")
          .Register(registry);
  Gauges& excess =
      prometheus::BuildGauge()
          .Name("vicinal_spread_excess_pods")
          .Help(
              "Pods that are too many in their domains by constraints with "
              "DoNotSchedule, by namespace and topology key; as above.")
          .Register(registry);
  Gauges& broken =
      prometheus::BuildGauge()
          .Name("vicinal_broken_rule_pods")
          .Help(
              "Running pods that are part of what breaks required pod "
              "affinity or anti-affinity, required node affinity or a "
              "NoSchedule taint, by namespace and by the strategy that "
              "would mend it; of the pairs beyond the 100 worst with an "
              "empty namespace.")
          .Register(registry);
  for (const SpreadGroup& group : report.spread_groups) {
    const prometheus::Labels labels = {{"namespace", group.namespace_name},
                                       {"topology_key", group.topology_key}};
    Set(skew.Add(labels), group.skew);
    Set(excess.Add(labels), group.excess);
  }
  if (report.spread_group_count <= kMostRuleGroups) {
    const prometheus::Labels others = {{"namespace", ""}, {"topology_key", ""}};
    skew.Add(others).Set(0);
    excess.Add(others).Set(0);
  }
  for (const BrokenGroup& group : report.broken_groups) {
    Set(broken.Add({{"namespace", group.namespace_name},
                    {"strategy", std::string(NameOf(group.kind))}}),
        group.pods);
  }
  if (report.broken_group_count <= kMostRuleGroups) {
    broken.Add({{"namespace", ""}, {"strategy", ""}}).Set(0);
  }
  return prometheus::TextSerializer().Serialize(registry.Collect());
}

}  // namespace vicinal
