#include "server/decisions/rotating_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace vicinal {

absl::Status RotatingFile::Append(std::string_view line) {
  if (size_ > 0 && size_ + line.size() > max_bytes_) {
    if (absl::Status rotated = Rotate(); !rotated.ok()) return rotated;
  }
  if (fd_ < 0) {
    if (absl::Status opened = Open(); !opened.ok()) return opened;
  }
  const ssize_t written = ::write(fd_, line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) {
    size_ += line.size();
    return absl::OkStatus();
  }
  if (written > 0) {
    // Half a line would spoil the next one, too.
    if (::ftruncate(fd_, static_cast<off_t>(size_)) != 0) {
      return Failed("cannot take back half a line");
    }
    errno = ENOSPC;
  }
  return Failed("cannot be written");
}

absl::Status RotatingFile::Open() {
  constexpr mode_t kOnlyTheOwner = 0600;
  fd_ = ::open(path_.c_str(),
               O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK,
               kOnlyTheOwner);
  if (fd_ < 0) return Failed("cannot be opened");
  struct stat status {};
  if (::fstat(fd_, &status) != 0) return Failed("cannot be looked at");
  size_ =
      S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
  return absl::OkStatus();
}

absl::Status RotatingFile::Rotate() {
  const std::string older = path_ + ".1";
  // ENOENT: somebody has taken it away already.
  if (std::rename(path_.c_str(), older.c_str()) != 0 && errno != ENOENT) {
    return Failed("cannot be renamed");
  }
  Close();
  return absl::OkStatus();
}

void RotatingFile::Close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  size_ = 0;
}

absl::Status RotatingFile::Failed(std::string_view what) {
  const int error = errno;
  Close();
  return absl::UnavailableError(
      absl::StrCat(path_, ": ", std::string(what), ": ", std::strerror(error)));
}

}  // namespace vicinal
