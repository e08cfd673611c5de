#include "server/commands/serve/serve.h"

#include <glog/logging.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <iostream>
#include <memory>

#include "absl/status/statusor.h"
#include "server/commands/serve/confirm_release.h"
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
    const int signal = sigtimedwait(&signals_, nullptr, &limit);
    if (signal > 0) LOG(INFO) << "stopping on signal " << signal;
    return signal > 0;
  }

 private:
  sigset_t signals_;
};

}  // namespace

absl::Status Serve(const ServeOptions& options) {
  const TerminationSignals signals;
  const absl::StatusOr<SchedulerRelease> release = FindRelease(options);
  if (!release.ok()) return release.status();
  const absl::StatusOr<std::unique_ptr<Server>> server =
      Server::Start(options, *release);
  if (!server.ok()) return server.status();
  std::cout << "listening " << (*server)->Addresses() << std::endl;
  bool is_over = false;
  absl::Status status = ConfirmRelease(
      options, *release, [&] { return is_over = signals.ComeWithin(2); });
  if (status.ok() && !is_over) signals.Wait();
  (*server)->Stop();
  LOG(INFO) << "stopped";
  return status;
}

}  // namespace vicinal
