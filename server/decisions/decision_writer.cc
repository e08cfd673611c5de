#include "server/decisions/decision_writer.h"

#include <glog/logging.h>
#include <prometheus/text_serializer.h>

#include "server/decisions/decision_json.h"

namespace vicinal {

DecisionWriter::DecisionWriter(const DecisionRing& ring, const Options& options)
    : ring_(ring),
      options_(options),
      lost_(prometheus::BuildCounter()
                .Name("vicinal_decision_log_lost_total")
                .Help("Decisions that were forgotten before they could be "
                      "written to --decision-log.")
                .Register(registry_)
                .Add({})),
      file_(options.path, options.max_bytes),
      thread_([this] { Run(); }) {}

DecisionWriter::~DecisionWriter() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
}

std::string DecisionWriter::RenderMetrics() const {
  return prometheus::TextSerializer().Serialize(registry_.Collect());
}

void DecisionWriter::Run() {
  while (true) {
    const absl::Status status = Write();
    if (!status.ok() && !fails_) {
      LOG(ERROR) << "--decision-log " << status.message()
                 << " (decisions go on; this is tried again)";
    }
    if (status.ok() && fails_) {
      LOG(INFO) << "--decision-log " << options_.path << ": is written again";
    }
    fails_ = !status.ok();
    const auto next = std::chrono::steady_clock::now() +
                      (fails_ ? options_.retry_interval : options_.interval);
    const MutexLock lock(mutex_);
    while (!stopping_ && changed_.WaitUntil(mutex_, next)) {
    }
    if (stopping_) break;
  }
  (void)Write();
}

absl::Status DecisionWriter::Write() {
  for (const auto& decision : ring_.After(written_)) {
    const std::uint64_t missing = decision->number - written_ - 1;
    if (missing > 0) lost_.Increment(static_cast<double>(missing));
    written_ = decision->number - 1;
    absl::Status status = file_.Append(ToJsonLine(*decision));
    if (!status.ok()) return status;
    written_ = decision->number;
  }
  return absl::OkStatus();
}

}  // namespace vicinal
