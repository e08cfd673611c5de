#include "server/kubernetes/program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

extern "C" char** environ;

namespace vicinal {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxOutput = std::size_t{4} << 20;

bool IsExecutable(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

std::vector<std::string> EnvironmentOf(const Program& program) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    const bool is_replaced = std::any_of(
        program.environment.begin(), program.environment.end(),
        [name](const auto& variable) { return variable.first == name; });
    if (!is_replaced) all.emplace_back(text);
  }
  for (const auto& [name, value] : program.environment) {
    all.push_back(name + "=" + value);
  }
  return all;
}

std::vector<char*> PointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Starts it with its output in `pipe_end`.
absl::StatusOr<pid_t> Start(const Program& program, int pipe_end) {
  std::vector<std::string> arguments = {program.path};
  arguments.insert(arguments.end(), program.arguments.begin(),
                   program.arguments.end());
  std::vector<std::string> environment = EnvironmentOf(program);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_end, STDOUT_FILENO);
  if (!program.reads_input) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
  }
  pid_t child = 0;
  const int error =
      posix_spawn(&child, program.path.c_str(), &actions, nullptr,
                  PointersTo(arguments).data(), PointersTo(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot be started: ", std::strerror(error)));
  }
  return child;
}

// Milliseconds that are left, for poll(2).
int Left(Clock::time_point end) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1 << 30));
}

absl::Status ReadOutput(int descriptor, Clock::time_point end,
                        std::string& output) {
  for (;;) {
    pollfd waiting = {descriptor, POLLIN, 0};
    const int ready = poll(&waiting, 1, Left(end));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return absl::DeadlineExceededError("has not ended in time");
    char buffer[16 << 10];
    const ssize_t n = read(descriptor, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return absl::UnknownError(std::strerror(errno));
    if (n == 0) return absl::OkStatus();
    output.append(buffer, static_cast<std::size_t>(n));
    if (output.size() > kMaxOutput) {
      return absl::InvalidArgumentError("prints more than 4 MiB");
    }
  }
}

// What waitpid(2) says; absent if the child still runs at `end`. Its output has
// ended, so that the end is near.
std::optional<int> AwaitEnd(pid_t child, Clock::time_point end) {
  for (;;) {
    int state = 0;
    const pid_t ended = waitpid(child, &state, WNOHANG);
    if (ended == child) return state;
    if (ended < 0 && errno != EINTR) return 0;
    if (Clock::now() >= end) return std::nullopt;
    poll(nullptr, 0, 5);
  }
}

void Kill(pid_t child) {
  kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

std::string FindProgram(const std::string& command) {
  if (command.find('/') != std::string::npos) {
    return IsExecutable(command) ? command : "";
  }
  const char* const path = std::getenv("PATH");
  if (path == nullptr) return "";
  for (const std::string& folder :
       std::vector<std::string>(absl::StrSplit(path, ':'))) {
    if (!folder.starts_with('/')) continue;
    std::string file = folder + "/" + command;
    if (IsExecutable(file)) return file;
  }
  return "";
}

absl::StatusOr<ProgramResult> RunProgram(const Program& program) {
  const Clock::time_point end = Clock::now() + program.timeout;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return absl::UnknownError(std::strerror(errno));
  }
  const absl::StatusOr<pid_t> child = Start(program, ends[1]);
  close(ends[1]);
  if (!child.ok()) {
    close(ends[0]);
    return child.status();
  }
  ProgramResult result;
  absl::Status status = ReadOutput(ends[0], end, result.output);
  close(ends[0]);
  if (!status.ok()) {
    Kill(*child);
    return status;
  }
  const std::optional<int> state = AwaitEnd(*child, end);
  if (!state) {
    Kill(*child);
    return absl::DeadlineExceededError("has not ended in time");
  }
  result.exit_status =
      WIFSIGNALED(*state) ? 128 + WTERMSIG(*state) : WEXITSTATUS(*state);
  return result;
}

}  // namespace vicinal
