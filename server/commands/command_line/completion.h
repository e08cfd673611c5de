// The subcommand `completion`, and what it calls.
#ifndef VICINAL_SERVER_COMMANDS_COMMAND_LINE_COMPLETION_H_
#define VICINAL_SERVER_COMMANDS_COMMAND_LINE_COMPLETION_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace vicinal {

// `vicinal completion bash` prints a script for `source <(…)`, which calls
// `vicinal __complete WORD…`. The same program under the name
// kubectl_complete-vicinal completes for kubectl.
void AddCompletion(CLI::App& app, std::function<absl::Status()>& action);

// Whether the program was called to complete a command line: then prints what
// can stand in the place of the last word, one a line, and at last what
// kubectl wants (spf13/cobra, its shell completion directives): `:0`, try the
// names of files if there was nothing. `arguments` begin with the program.
bool CompleteIfAsked(const CLI::App& app,
                     const std::vector<std::string>& arguments,
                     std::ostream& out);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_COMMAND_LINE_COMPLETION_H_
