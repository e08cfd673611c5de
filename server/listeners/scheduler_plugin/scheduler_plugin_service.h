// The service SchedulerPlugin: a Session over gRPC.
#ifndef VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_SCHEDULER_PLUGIN_SERVICE_H_
#define VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_SCHEDULER_PLUGIN_SERVICE_H_

#include <atomic>

#include "server/metrics/plugin_metrics.h"
#include "server/scheduler_config/scheduler_config.h"
#include "vicinal/v1/scheduler_plugin.grpc.pb.h"

namespace vicinal {

// Thread-safe. proto/vicinal/v1/scheduler_plugin.proto says what the call
// means.
class SchedulerPluginService : public v1::SchedulerPlugin::Service {
 public:
  // Both must outlive the service.
  SchedulerPluginService(const SchedulerConfig& config, PluginMetrics& metrics)
      : config_(config), metrics_(metrics) {}

  grpc::Status Attach(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<v1::VicinalMessage, v1::SchedulerMessage>*
          stream) override;

 private:
  const SchedulerConfig& config_;
  PluginMetrics& metrics_;
  std::atomic<bool> attached_ = false;  // A stream is open.
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_SCHEDULER_PLUGIN_SERVICE_H_
