// The subcommand `replay`.
#ifndef VICINAL_SERVER_COMMANDS_REPLAY_COMMAND_H_
#define VICINAL_SERVER_COMMANDS_REPLAY_COMMAND_H_

#include <CLI/CLI.hpp>
#include <functional>

#include "absl/status/status.h"

namespace vicinal {

// Adds the subcommand; if it is chosen, `action` becomes what it does, and
// `exit_code` becomes 4 if --fail-on-difference is set and a choice differs.
void AddReplay(CLI::App& app, std::function<absl::Status()>& action,
               int& exit_code);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_REPLAY_COMMAND_H_
