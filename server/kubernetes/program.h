// Runs another program, never through a shell.
#ifndef VICINAL_SERVER_KUBERNETES_PROGRAM_H_
#define VICINAL_SERVER_KUBERNETES_PROGRAM_H_

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace vicinal {

struct Program {
  std::string path;  // Absolute.
  std::vector<std::string> arguments;
  // In addition to this process's; they win.
  std::vector<std::pair<std::string, std::string>> environment;
  // Gives it this process's standard input; otherwise that is empty.
  bool reads_input = false;
  std::chrono::milliseconds timeout{60000};
};

struct ProgramResult {
  int exit_status = 0;  // 128 + the signal that ended it, as shells say.
  std::string output;
};

// The program's file: `command` itself if it has a slash, or the first of that
// name in the absolute folders of $PATH that can be executed. Empty: none.
std::string FindProgram(const std::string& command);

// Runs it to its end and returns what it has printed; its standard error is
// this process's. Errors: it cannot be started; DeadlineExceeded: it has not
// ended in time, or its output has not, and is killed; it prints more than
// 4 MiB. Blocks.
absl::StatusOr<ProgramResult> RunProgram(const Program& program);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_PROGRAM_H_
