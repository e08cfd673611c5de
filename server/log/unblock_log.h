// A log that stops nobody.
#ifndef VICINAL_SERVER_LOG_UNBLOCK_LOG_H_
#define VICINAL_SERVER_LOG_UNBLOCK_LOG_H_

#include "absl/status/status.h"

namespace vicinal {

// From now on what is written to standard error is lost where it would have to
// wait: if it is a pipe that is full, since nobody reads it, or that has no
// reader any more. A container runtime whose disk hangs does not read, and a
// thread that waits for it may hold a lock that each question needs. Other
// processes that have the same pipe write as before. Lines of at most PIPE_BUF
// (4096) bytes are written whole or not at all.
//
// Does nothing for what is no pipe. An error says why the pipe stays as it was.
// To be called before threads are started, and at most once.
absl::Status UnblockLog();

}  // namespace vicinal

#endif  // VICINAL_SERVER_LOG_UNBLOCK_LOG_H_
