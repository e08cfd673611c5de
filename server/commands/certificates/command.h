// The subcommand `certificates`.
#ifndef VICINAL_SERVER_COMMANDS_CERTIFICATES_COMMAND_H_
#define VICINAL_SERVER_COMMANDS_CERTIFICATES_COMMAND_H_

#include <CLI/CLI.hpp>
#include <functional>

#include "absl/status/status.h"

namespace vicinal {

// Adds the subcommand; if it is chosen, `action` becomes what it does.
void AddCertificates(CLI::App& app, std::function<absl::Status()>& action);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_CERTIFICATES_COMMAND_H_
