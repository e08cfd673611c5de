#include "server/commands/serve/serve.h"

#include <glog/logging.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <iostream>
#include <memory>

#include "absl/status/statusor.h"
#include "server/commands/serve/scheduler_release.h"
#include "server/commands/serve/server.h"

namespace vicinal {
namespace {

// SIGTERM and SIGINT, blocked in this thread and those that it starts, so that
// Wait gets them.
class TerminationSignals {
 public:
  TerminationSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }

  void Wait() const {
    int signal = 0;
    sigwait(&signals_, &signal);
    LOG(INFO) << "stopping on signal " << signal;
  }

  // Whether there is one within `seconds`.
  bool ComeWithin(int seconds) const {
    const timespec limit{seconds, 0};
    return sigtimedwait(&signals_, nullptr, &limit) > 0;
  }

 private:
  sigset_t signals_;
};

}  // namespace

absl::Status Serve(const ServeOptions& options) {
  const TerminationSignals signals;
  const absl::StatusOr<SchedulerRelease> release =
      FindRelease(options, [&signals] { return signals.ComeWithin(2); });
  if (!release.ok()) return release.status();
  const absl::StatusOr<std::unique_ptr<Server>> server =
      Server::Start(options, *release);
  if (!server.ok()) return server.status();
  std::cout << "listening " << (*server)->Addresses() << std::endl;
  signals.Wait();
  (*server)->Stop();
  LOG(INFO) << "stopped";
  return absl::OkStatus();
}

}  // namespace vicinal
