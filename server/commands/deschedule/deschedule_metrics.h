// The metrics of the de-scheduling loop.
#ifndef VICINAL_SERVER_COMMANDS_DESCHEDULE_DESCHEDULE_METRICS_H_
#define VICINAL_SERVER_COMMANDS_DESCHEDULE_DESCHEDULE_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <string>

#include "core/deschedule/plan.h"
#include "server/commands/deschedule/evictor.h"

namespace vicinal {

// Thread-safe.
class DescheduleMetrics {
 public:
  DescheduleMetrics();

  // A plan that was made, from reading the cluster on.
  void CountPlan(const Plan& plan, double seconds);
  void CountEviction(const PlannedEviction& planned,
                     EvictResult::Outcome outcome);
  // A pass that has ended; `ok`: not by an error.
  void CountPass(bool ok);
  void SetLeader(bool leader) { leader_.Set(leader ? 1 : 0); }

  // In the text exposition format.
  std::string Render() const;

 private:
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>& passes_;
  prometheus::Family<prometheus::Counter>& evictions_;
  prometheus::Family<prometheus::Gauge>& cost_;
  prometheus::Gauge& kept_;
  prometheus::Gauge& leader_;
  prometheus::Histogram& plan_seconds_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_DESCHEDULE_DESCHEDULE_METRICS_H_
