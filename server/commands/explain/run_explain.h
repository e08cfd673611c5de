// `vicinal explain`: why a pod can or cannot go to each node.
#ifndef VICINAL_SERVER_COMMANDS_EXPLAIN_RUN_EXPLAIN_H_
#define VICINAL_SERVER_COMMANDS_EXPLAIN_RUN_EXPLAIN_H_

#include <cstddef>
#include <iosfwd>
#include <string>

#include "absl/status/status.h"
#include "server/commands/release/scheduler_release.h"

namespace vicinal {

struct ExplainOptions {
  // What is asked about: exactly one of these.
  std::string manifest;  // A file; "-" for the standard input.
  std::string pod;       // namespace/name, of a pod of the cluster.
  std::string object;    // KIND/NAME, a pod or workload of the cluster.
  // Of what does not say it itself; "": the context's, or default.
  std::string namespace_name;
  // Where the cluster comes from: see ClusterSource.
  std::string cluster_file;
  std::string kubeconfig;
  std::string context;
  // The scheduler's KubeSchedulerConfiguration; "": the default profile.
  std::string scheduler_config;
  ReleaseOptions release;

  std::string output = "table";  // Or "json", "yaml".
  std::size_t max_nodes = 20;    // Of each table; 0: all.
  std::string html;              // Where to write a picture; "": nowhere.
};

// Writes the answer to `out`, and warnings to `err`. Sets `fits` to whether
// each pod that was asked about and each of its replicas fits on some node, and
// `checked`, unless null, to whether all was checked that bears on that.
// Errors: what is asked cannot be answered, with the file, the field and the
// value.
absl::Status RunExplain(const ExplainOptions& options, std::ostream& out,
                        std::ostream& err, bool* fits, bool* checked = nullptr);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_EXPLAIN_RUN_EXPLAIN_H_
