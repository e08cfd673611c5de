// `vicinal simulate`: what if?
#ifndef VICINAL_SERVER_COMMANDS_SIMULATE_SIMULATE_H_
#define VICINAL_SERVER_COMMANDS_SIMULATE_SIMULATE_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/commands/release/scheduler_release.h"
#include "server/commands/terminal/terminal.h"

namespace vicinal {

struct SimulateOptions {
  // Where the cluster comes from: one of these, or a script names a file.
  std::string cluster_file;
  std::string kubeconfig;
  std::string context;
  // Actions in words, one or several arguments each, and scripts.
  std::vector<std::string> script;
  // Of what does not say it itself; "": the context's, or default.
  std::string namespace_name;
  std::string output = "table";  // Or json.
  std::uint64_t seed = 0;
  ReleaseOptions release;
  bool until_stable = false;
  bool all_pods = false;
  bool domains = false;  // Print the tables of domains.
  Terminal terminal;     // What `out` is.
  // Configurations of the scheduler; empty: the default one. All pods are
  // placed by the profile default-scheduler.
  std::string scheduler_config;
  std::string against;     // Simulate by this one too, and compare; empty: no.
  std::string trace_file;  // Empty: none.
  std::string html;        // Where to write a picture; empty: nowhere.
};

// Runs the script and writes the result to `out`, progress and what is not as
// the script expects to `log`. Sets `as_expected` to whether all expectations
// hold, and `pending` to how many pods are pending in the end, by the worse of
// two configurations. Errors: files, actions and scripts that cannot be used.
absl::Status Simulate(const SimulateOptions& options, std::ostream& out,
                      std::ostream& log, bool* as_expected,
                      std::int64_t* pending = nullptr);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_SIMULATE_SIMULATE_H_
