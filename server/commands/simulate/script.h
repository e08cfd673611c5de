// Turns the arguments of `vicinal simulate` into steps, and reads the files
// that they name.
#ifndef VICINAL_SERVER_COMMANDS_SIMULATE_SCRIPT_H_
#define VICINAL_SERVER_COMMANDS_SIMULATE_SCRIPT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/simulate/scenario.h"

namespace vicinal {

// All arguments as one scenario. An argument is a word, or several words that
// begin with an action; a word in an action's place that ends in .yaml, .yml or
// .json is a script, whose steps come in its place and whose file names are
// relative to it. Each action outside of scripts is a step of its own. The
// manifests are read; kinds in them that do not matter are named in `notes`.
// Errors: a word that is no action, files, two clusters.
absl::StatusOr<Scenario> ReadScript(const std::vector<std::string>& arguments,
                                    const std::string& namespace_name,
                                    std::vector<std::string>& notes);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_SIMULATE_SCRIPT_H_
