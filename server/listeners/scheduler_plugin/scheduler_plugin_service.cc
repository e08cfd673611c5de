#include "server/listeners/scheduler_plugin/scheduler_plugin_service.h"

#include <glog/logging.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/listeners/grpc/grpc_status.h"
#include "server/listeners/scheduler_plugin/record_answer.h"
#include "server/listeners/scheduler_plugin/session.h"

namespace vicinal {
namespace {

using Clock = std::chrono::steady_clock;

std::string KindOf(const v1::Change& change) {
  const auto* const descriptor = v1::Change::descriptor();
  const auto* const field = descriptor->FindFieldByNumber(change.kind_case());
  return field == nullptr ? "none" : field->name();
}

// Counts what a stream does.
class StreamMetrics {
 public:
  explicit StreamMetrics(PluginMetrics& metrics) : metrics_(metrics) {}
  StreamMetrics(const StreamMetrics&) = delete;
  StreamMetrics& operator=(const StreamMetrics&) = delete;
  ~StreamMetrics() {
    metrics_.synced().Set(0);
    metrics_.nodes().Set(0);
    metrics_.pods().Set(0);
    metrics_.waiting_pods().Set(0);
  }

  void Count(const v1::SchedulerMessage& message, const Session& session,
             Clock::duration duration) {
    for (const v1::Change& change : message.changes()) {
      prometheus::Counter*& counter = changes_[change.kind_case()];
      if (counter == nullptr) counter = &metrics_.Changes(KindOf(change));
      counter->Increment();
    }
    if (message.synced()) {
      metrics_.synced().Set(1);
      metrics_.syncs().Increment();
    }
    if (message.has_question()) {
      metrics_.Questions(KindOfQuestion(message.question()))
          .Observe(std::chrono::duration<double>(duration).count());
    }
    const auto set = [](prometheus::Gauge& gauge, std::size_t value) {
      gauge.Set(static_cast<double>(value));
    };
    set(metrics_.nodes(), session.cluster().state().Nodes().size());
    set(metrics_.pods(), session.cluster().placed_pods());
    set(metrics_.waiting_pods(), session.cluster().waiting_pods());
  }

 private:
  PluginMetrics& metrics_;
  std::map<v1::Change::KindCase, prometheus::Counter*> changes_;
};

}  // namespace

grpc::Status SchedulerPluginService::Attach(
    grpc::ServerContext*,
    grpc::ServerReaderWriter<v1::VicinalMessage, v1::SchedulerMessage>*
        stream) {
  if (attached_.exchange(true)) {
    return {grpc::StatusCode::RESOURCE_EXHAUSTED, "another stream is open"};
  }
  const absl::Cleanup detach = [this] { attached_ = false; };
  LOG(INFO) << "a scheduler attaches itself";
  Session session(config_, std::random_device()());
  StreamMetrics metrics(metrics_);
  cluster_.Open(session);
  const absl::Cleanup close = [this, &session] {
    cluster_.Close();
    if (freshness_ == nullptr || !session.synced()) return;
    freshness_->OnDisconnected(kResource, Freshness::Clock::now());
  };
  std::uint64_t changes = 0;
  absl::Status status;
  v1::SchedulerMessage message;
  while (stream->Read(&message)) {
    const Clock::time_point start = Clock::now();
    const absl::StatusOr<std::optional<v1::VicinalMessage>> answer =
        cluster_.Handle(message);
    status = answer.status();
    if (!status.ok()) break;
    if (*answer && !stream->Write(**answer)) break;  // The scheduler has gone.
    const Clock::duration took = Clock::now() - start;
    changes += static_cast<std::uint64_t>(message.changes_size());
    // The scheduler has its answer.
    if (decisions_ != nullptr && message.has_question()) {
      Record(message.question(), (*answer)->answer(), session, changes, took);
    }
    metrics.Count(message, session, took);
    if (message.synced()) {
      if (freshness_ != nullptr) {
        freshness_->OnListed(kResource);
        freshness_->OnConnected(kResource);
      }
      LOG(INFO) << "the scheduler has told the whole cluster: "
                << session.cluster().state().Nodes().size() << " nodes, "
                << session.cluster().placed_pods() << " pods on them, "
                << session.cluster().waiting_pods() << " that wait";
    }
  }
  const grpc::Status end = ToGrpcStatus(status);
  metrics_.CountStreamEnd(NameOf(end.error_code()));
  if (status.ok()) {
    LOG(INFO) << "the scheduler has gone";
  } else {
    LOG(WARNING) << "the scheduler's stream ends: " << status.message();
  }
  return end;
}

void SchedulerPluginService::Record(const v1::Question& question,
                                    const v1::Answer& answer,
                                    const Session& session,
                                    std::uint64_t changes,
                                    std::chrono::steady_clock::duration took) {
  DecisionRecord record = RecordAnswer(question, answer, session);
  record.time = std::chrono::time_point_cast<std::chrono::milliseconds>(
      std::chrono::system_clock::now());
  record.took = std::chrono::duration_cast<std::chrono::microseconds>(took);
  record.generation = changes;
  decisions_->Add(std::move(record));
}

}  // namespace vicinal
