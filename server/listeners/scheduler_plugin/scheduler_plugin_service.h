// The service SchedulerPlugin: a Session over gRPC.
#ifndef VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_SCHEDULER_PLUGIN_SERVICE_H_
#define VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_SCHEDULER_PLUGIN_SERVICE_H_

#include <atomic>
#include <chrono>
#include <cstdint>

#include "server/decisions/decision_ring.h"
#include "server/listeners/scheduler_plugin/attached_cluster.h"
#include "server/metrics/plugin_metrics.h"
#include "server/scheduler_config/scheduler_config.h"
#include "server/state/freshness.h"
#include "vicinal/v1/scheduler_plugin.grpc.pb.h"

namespace vicinal {

// Thread-safe. proto/vicinal/v1/scheduler_plugin.proto says what the call
// means.
class SchedulerPluginService : public v1::SchedulerPlugin::Service {
 public:
  // The one of its `Freshness` that a stream makes fresh.
  static constexpr char kResource[] = "scheduler";

  // All must outlive the service. Without `decisions` none are recorded; a
  // record is made when its answer has been sent. `freshness` learns when a
  // scheduler has told the whole cluster, and when it goes.
  SchedulerPluginService(const SchedulerConfig& config, PluginMetrics& metrics,
                         DecisionRing* decisions = nullptr,
                         Freshness* freshness = nullptr)
      : config_(config),
        metrics_(metrics),
        decisions_(decisions),
        freshness_(freshness) {}

  // What the scheduler that is attached has told.
  const AttachedCluster& cluster() const { return cluster_; }

  grpc::Status Attach(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<v1::VicinalMessage, v1::SchedulerMessage>*
          stream) override;

 private:
  void Record(const v1::Question& question, const v1::Answer& answer,
              const Session& session, std::uint64_t changes,
              std::chrono::steady_clock::duration took);

  const SchedulerConfig& config_;
  PluginMetrics& metrics_;
  DecisionRing* const decisions_;
  Freshness* const freshness_;
  AttachedCluster cluster_;
  std::atomic<bool> attached_ = false;  // A stream is open.
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_SCHEDULER_PLUGIN_SERVICE_H_
