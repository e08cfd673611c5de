#include "server/log/unblock_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace vicinal {

absl::Status UnblockLog() {
  struct stat error {};
  if (fstat(STDERR_FILENO, &error) != 0 || !S_ISFIFO(error.st_mode)) {
    return absl::OkStatus();
  }
  // Whether writes wait belongs to what open returns: a descriptor that was
  // inherited shares that with other processes.
  const int own =
      open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_APPEND | O_CLOEXEC);
  if (own < 0) {
    return absl::ErrnoToStatus(errno, "standard error: /proc/self/fd/2");
  }
  const bool replaced = dup2(own, STDERR_FILENO) >= 0;
  const int why = errno;
  close(own);
  if (!replaced) return absl::ErrnoToStatus(why, "standard error: dup2");
  std::signal(SIGPIPE, SIG_IGN);
  return absl::OkStatus();
}

}  // namespace vicinal
