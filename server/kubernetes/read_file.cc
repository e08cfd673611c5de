#include "server/kubernetes/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace vicinal {
namespace {

constexpr std::size_t kMaxSmallBytes = 4u << 20;
constexpr std::size_t kPadding = 64;  // simdjson::SIMDJSON_PADDING

absl::Status Error() {
  return errno == ENOENT ? absl::NotFoundError(std::strerror(errno))
                         : absl::UnknownError(std::strerror(errno));
}

bool IsRegular(int descriptor, std::size_t* size) {
  struct stat info;
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) return false;
  *size = static_cast<std::size_t>(info.st_size);
  return true;
}

// `size` is what the content is expected to have.
absl::Status ReadDescriptor(int descriptor, std::size_t size,
                            std::size_t max_bytes, std::string& content) {
  content.reserve(size + kPadding);
  char buffer[64 << 10];
  for (;;) {
    const ssize_t n = read(descriptor, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error();
    if (n == 0) break;
    content.append(buffer, static_cast<std::size_t>(n));
    if (content.size() > max_bytes) {
      return absl::InvalidArgumentError("larger than 4 MiB");
    }
  }
  content.reserve(content.size() + kPadding);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadSmallFile(const std::string& path) {
  // O_NONBLOCK: opening a FIFO must not hang.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return Error();
  std::string content;
  std::size_t size = 0;
  const absl::Status status =
      IsRegular(descriptor, &size)
          ? ReadDescriptor(descriptor, 0, kMaxSmallBytes, content)
          : absl::InvalidArgumentError("not a regular file");
  close(descriptor);
  if (!status.ok()) return status;
  return content;
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path) {
  const bool is_input = path == "-";
  const int descriptor =
      is_input ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::string content;
  absl::Status status;
  if (descriptor < 0) {
    status = Error();
  } else {
    std::size_t size = 0;
    IsRegular(descriptor, &size);
    status = ReadDescriptor(descriptor, size,
                            std::numeric_limits<std::size_t>::max(), content);
    if (!is_input) close(descriptor);
  }
  if (status.ok()) return content;
  return absl::Status(status.code(),
                      absl::StrCat(path, ": ", status.message()));
}

}  // namespace vicinal
