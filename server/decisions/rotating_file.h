// A file of lines that does not grow without end.
#ifndef VICINAL_SERVER_DECISIONS_ROTATING_FILE_H_
#define VICINAL_SERVER_DECISIONS_ROTATING_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace vicinal {

// Appends lines to a file. When it would become larger than `max_bytes`, it
// gets the name <path>.1, instead of an earlier one of that name, and a new
// file begins: both together take twice that at most. Only the owner can read
// them. Not thread-safe.
class RotatingFile {
 public:
  // Opens nothing yet.
  RotatingFile(std::string path, std::uint64_t max_bytes)
      : path_(std::move(path)), max_bytes_(max_bytes) {}
  RotatingFile(const RotatingFile&) = delete;
  RotatingFile& operator=(const RotatingFile&) = delete;
  ~RotatingFile() { Close(); }

  // Writes the line, which has its end, in whole or not at all; what could be
  // written of it is taken back. Never waits for the reader of a pipe. Errors:
  // Unavailable, with the path and what the system says. Whoever calls again
  // tries again. Cost: a call of the system, which may wait for the disk.
  absl::Status Append(std::string_view line);

 private:
  absl::Status Open();
  absl::Status Rotate();
  void Close();
  // Of the last call of the system. Closes the file.
  absl::Status Failed(std::string_view what);

  const std::string path_;
  const std::uint64_t max_bytes_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_DECISIONS_ROTATING_FILE_H_
