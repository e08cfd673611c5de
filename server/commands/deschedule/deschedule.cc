#include "server/commands/deschedule/deschedule.h"

#include <glog/logging.h>

#include <chrono>

#include "absl/strings/str_cat.h"
#include "core/deschedule/plan.h"
#include "core/deschedule/read_policy.h"
#include "core/engine/default_profile.h"
#include "core/plugins/plugin_config.h"
#include "server/commands/deschedule/deschedule_cluster.h"
#include "server/commands/deschedule/print_plan.h"
#include "server/kubernetes/in_cluster_config.h"
#include "server/kubernetes/kubeconfig.h"
#include "server/kubernetes/read_file.h"
#include "server/state/cluster_file.h"
#include "server/state/cluster_snapshot.h"

namespace vicinal {
namespace {

// `api_server`: null for a cluster file.
absl::Status Read(const DescheduleOptions& options,
                  const ClientConfig* api_server, DescheduleCluster& out) {
  if (api_server != nullptr) {
    return ReadClusterFromApi(*api_server, out.Loader());
  }
  const std::string& file = options.cluster_file;
  absl::Status status = ReadClusterFile(file, out.Loader());
  if (!status.ok()) return status;
  return out.state.Nodes().empty() ? NoNodesInFile(file) : absl::OkStatus();
}

}  // namespace

absl::StatusOr<ClientConfig> ClientConfigOf(const DescheduleOptions& options) {
  return options.in_cluster ? InClusterConfig()
                            : LoadKubeconfig(options.kubeconfig);
}

absl::StatusOr<Policy> PolicyOf(const DescheduleOptions& options) {
  Policy policy = DefaultPolicy();
  if (!options.policy_file.empty()) {
    const absl::StatusOr<std::string> text = ReadSmallFile(options.policy_file);
    absl::Status status = text.status();
    if (text.ok()) {
      absl::StatusOr<Policy> read = ReadPolicy(*text, options.skip_unsupported);
      status = read.status();
      if (read.ok()) policy = *std::move(read);
      if (absl::IsUnimplemented(status)) {
        status = absl::UnimplementedError(absl::StrCat(
            status.message(),
            "\n--skip-unsupported leaves out the strategies among these"));
      }
    }
    if (!status.ok()) {
      return absl::Status(status.code(), absl::StrCat(options.policy_file, ": ",
                                                      status.message()));
    }
  }
  if (options.max_per_owner) {
    policy.max_per_owner =
        *options.max_per_owner == 0 ? std::nullopt : options.max_per_owner;
  }
  return policy;
}

absl::Status PrintPlanFor(const DescheduleOptions& options, std::ostream& out) {
  const absl::StatusOr<Policy> policy = PolicyOf(options);
  if (!policy.ok()) return policy.status();
  absl::StatusOr<ClientConfig> config;
  if (options.cluster_file.empty()) {
    config = ClientConfigOf(options);
    if (!config.ok()) return config.status();
  }
  const ClientConfig* const api_server =
      options.cluster_file.empty() ? &*config : nullptr;
  const absl::StatusOr<SchedulerRelease> release =
      ReleaseFor(options.release, api_server);
  if (!release.ok()) return release.status();
  LOG_IF(WARNING, !release->mismatch.empty()) << release->mismatch;
  DescheduleCluster cluster(release->release);
  if (absl::Status status = Read(options, api_server, cluster); !status.ok()) {
    return status;
  }
  PlanOptions plan_options;
  plan_options.policy = *policy;
  plan_options.now = std::chrono::duration_cast<std::chrono::seconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
  plan_options.finished = std::move(cluster.finished);
  PluginConfig plugin_config;
  plugin_config.release = release->release;
  const Plan plan = MakePlan(DefaultProfile(plugin_config), plan_options,
                             cluster.facts, cluster.state);
  if (options.output == "json") {
    PrintJson(*policy, plan, out);
  } else {
    PrintTable(*policy, plan, out);
  }
  out.flush();
  if (!out) return absl::DataLossError("the plan cannot be written");
  return absl::OkStatus();
}

}  // namespace vicinal
