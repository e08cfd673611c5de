#include "server/commands/deschedule/deschedule_metrics.h"

#include <prometheus/text_serializer.h>

namespace vicinal {

DescheduleMetrics::DescheduleMetrics()
    : passes_(prometheus::BuildCounter()
                  .Name("vicinal_deschedule_passes_total")
                  .Help("Passes, by how they ended: ok or error.")
                  .Register(registry_)),
      evictions_(prometheus::BuildCounter()
                     .Name("vicinal_deschedule_evictions_total")
                     .Help("Evictions that were tried, by strategy and "
                           "outcome: evicted, changed (the pod is not what "
                           "was planned for), refused (by a "
                           "PodDisruptionBudget), failed or unreachable.")
                     .Register(registry_)),
      cost_(prometheus::BuildGauge()
                .Name("vicinal_deschedule_cluster_cost")
                .Help("What the last plan found, by part: hard_violations, "
                      "skew, soft (negated score).")
                .Register(registry_)),
      kept_(prometheus::BuildGauge()
                .Name("vicinal_deschedule_kept_pods")
                .Help("Pods that break a rule and stay, by the last plan.")
                .Register(registry_)
                .Add({})),
      leader_(prometheus::BuildGauge()
                  .Name("vicinal_deschedule_leader")
                  .Help("1 if this process evicts, 0 if it waits for the "
                        "lease.")
                  .Register(registry_)
                  .Add({})),
      plan_seconds_(prometheus::BuildHistogram()
                        .Name("vicinal_deschedule_plan_duration_seconds")
                        .Help("Time to read the cluster and to make a plan.")
                        .Register(registry_)
                        .Add({}, prometheus::Histogram::BucketBoundaries{
                                     0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60})) {
  passes_.Add({{"result", "ok"}});
  passes_.Add({{"result", "error"}});
}

void DescheduleMetrics::CountPlan(const Plan& plan, double seconds) {
  plan_seconds_.Observe(seconds);
  kept_.Set(static_cast<double>(plan.kept.size()));
  cost_.Add({{"part", "hard_violations"}})
      .Set(static_cast<double>(plan.before.hard_violations));
  cost_.Add({{"part", "skew"}}).Set(static_cast<double>(plan.before.skew));
  cost_.Add({{"part", "soft"}}).Set(static_cast<double>(plan.before.soft));
}

void DescheduleMetrics::CountEviction(const PlannedEviction& planned,
                                      EvictResult::Outcome outcome) {
  evictions_
      .Add({{"strategy", std::string(NameOf(planned.strategy))},
            {"result", NameOf(outcome)}})
      .Increment();
}

void DescheduleMetrics::CountPass(bool ok) {
  passes_.Add({{"result", ok ? "ok" : "error"}}).Increment();
}

std::string DescheduleMetrics::Render() const {
  return prometheus::TextSerializer().Serialize(registry_.Collect());
}

}  // namespace vicinal
