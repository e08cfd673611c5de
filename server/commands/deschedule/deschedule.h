// `vicinal deschedule`: which running pods break the rules, and how few
// evictions mend it.
#ifndef VICINAL_SERVER_COMMANDS_DESCHEDULE_DESCHEDULE_H_
#define VICINAL_SERVER_COMMANDS_DESCHEDULE_DESCHEDULE_H_

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/deschedule/policy.h"
#include "server/commands/release/scheduler_release.h"
#include "server/kubernetes/client_config.h"

namespace vicinal {

struct DescheduleOptions {
  // Where the cluster comes from: exactly one of these.
  std::string cluster_file;
  std::string kubeconfig;
  bool in_cluster = false;

  ReleaseOptions release;  // Of the scheduler, which places the pods anew.

  std::string policy_file;  // Empty: DefaultPolicy.
  // Strategies that vicinal does not have are left out, not refused.
  bool skip_unsupported = false;
  // Instead of the policy's; 0: no limit.
  std::optional<std::int64_t> max_per_owner;
  std::string output = "table";  // Or "json".
};

// The policy of the options. Errors name the file and the field.
absl::StatusOr<Policy> PolicyOf(const DescheduleOptions& options);

// Where the API server is, if there is no cluster file.
absl::StatusOr<ClientConfig> ClientConfigOf(const DescheduleOptions& options);

// Makes one plan and prints it; nothing is evicted. Errors: files that cannot
// be used, and those of the API server.
absl::Status PrintPlanFor(const DescheduleOptions& options, std::ostream& out);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_DESCHEDULE_DESCHEDULE_H_
