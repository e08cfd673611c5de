#include "server/kubernetes/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/status/status.h"

namespace vicinal {
namespace {

constexpr size_t kMaxBytes = 4u << 20;

absl::StatusOr<std::string> ReadDescriptor(int descriptor) {
  struct stat info;
  if (fstat(descriptor, &info) != 0) return absl::UnknownError(strerror(errno));
  if (!S_ISREG(info.st_mode))
    return absl::InvalidArgumentError("not a regular file");
  std::string content;
  char buffer[16384];
  for (;;) {
    const ssize_t n = read(descriptor, buffer, sizeof(buffer));
    if (n == 0) return content;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return absl::UnknownError(strerror(errno));
    content.append(buffer, static_cast<size_t>(n));
    if (content.size() > kMaxBytes)
      return absl::InvalidArgumentError("larger than 4 MiB");
  }
}

}  // namespace

absl::StatusOr<std::string> ReadSmallFile(const std::string& path) {
  // O_NONBLOCK: opening a FIFO must not hang.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return errno == ENOENT ? absl::NotFoundError(strerror(errno))
                           : absl::UnknownError(strerror(errno));
  }
  absl::StatusOr<std::string> content = ReadDescriptor(descriptor);
  close(descriptor);
  return content;
}

}  // namespace vicinal
