// --kubernetes-release and --feature-gates.
#ifndef VICINAL_SERVER_COMMANDS_RELEASE_RELEASE_FLAGS_H_
#define VICINAL_SERVER_COMMANDS_RELEASE_RELEASE_FLAGS_H_

#include <CLI/CLI.hpp>
#include <string>

#include "server/commands/release/scheduler_release.h"

namespace vicinal {

// Adds both, in a group of the help text. `options` must outlive the app.
void AddReleaseFlags(CLI::App* app, const std::string& group,
                     ReleaseOptions& options);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_RELEASE_RELEASE_FLAGS_H_
