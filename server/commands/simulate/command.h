// The subcommand `simulate`.
#ifndef VICINAL_SERVER_COMMANDS_SIMULATE_COMMAND_H_
#define VICINAL_SERVER_COMMANDS_SIMULATE_COMMAND_H_

#include <CLI/CLI.hpp>
#include <functional>

#include "absl/status/status.h"

namespace vicinal {

// Adds the subcommand; if it is chosen, `action` becomes what it does. It sets
// `exit_code`, which is 0 before, to 3 if an expectation does not hold.
void AddSimulate(CLI::App& app, std::function<absl::Status()>& action,
                 int& exit_code);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_SIMULATE_COMMAND_H_
