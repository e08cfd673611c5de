// Writes the decisions of the process to a file: --decision-log.
#ifndef VICINAL_SERVER_DECISIONS_DECISION_WRITER_H_
#define VICINAL_SERVER_DECISIONS_DECISION_WRITER_H_

#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "core/sync/mutex.h"
#include "server/decisions/decision_ring.h"
#include "server/decisions/rotating_file.h"

namespace vicinal {

// A thread that takes decisions from the ring and appends them as lines of
// JSON. Those who decide never wait for it. While the file cannot be written it
// tries again; what the ring has forgotten by then is lost, and counted. A file
// system that hangs holds that thread, and the end of the process.
// Thread-safe.
class DecisionWriter {
 public:
  struct Options {
    std::string path;
    std::uint64_t max_bytes = 64 << 20;  // See RotatingFile.
    // Between two looks at the ring, and between two attempts after an error.
    std::chrono::milliseconds interval{100};
    std::chrono::milliseconds retry_interval{1000};
  };

  // The ring must outlive it. Opens the file on its thread.
  DecisionWriter(const DecisionRing& ring, const Options& options);
  // Writes what it can of what is left.
  ~DecisionWriter();

  // Decisions that were forgotten before they could be written.
  double lost() const { return lost_.Value(); }
  // The same in Prometheus' text format.
  std::string RenderMetrics() const;

 private:
  void Run();
  // Writes what is new.
  absl::Status Write();

  const DecisionRing& ring_;
  const Options options_;
  prometheus::Registry registry_;
  prometheus::Counter& lost_;

  // Only the thread's.
  RotatingFile file_;
  std::uint64_t written_ = 0;  // The number of the last decision.
  bool fails_ = false;

  Mutex mutex_;
  CondVar changed_;  // With mutex_.
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_DECISIONS_DECISION_WRITER_H_
