#include "server/commands/deschedule/command.h"

#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "core/model/api_resources.h"
#include "server/commands/deschedule/deschedule.h"
#include "server/commands/deschedule/live.h"
#include "server/commands/flags/flags.h"
#include "server/commands/release/release_flags.h"

namespace vicinal {
namespace {

constexpr int kExitNotAllEvicted = 3;

// "90s", "5m", "1h30m".
std::chrono::milliseconds ParseDuration(const std::string& flag,
                                        const std::string& text) {
  absl::Duration duration;
  if (!absl::ParseDuration(text, &duration) ||
      duration < absl::ZeroDuration() || duration > absl::Hours(24 * 365)) {
    throw CLI::ValidationError(
        flag, "must be a duration such as 90s or 5m, got " + text);
  }
  return std::chrono::milliseconds(absl::ToInt64Milliseconds(duration));
}

void AddCluster(CLI::App* deschedule, DescheduleOptions& options) {
  const std::string cluster = "The cluster (exactly one)";
  CLI::Option* cluster_file =
      deschedule
          ->add_option(
              "--cluster-file", options.cluster_file,
              "a List, JSON or YAML, as made by " + ClusterFileCommand())
          ->group(cluster);
  CLI::Option* kubeconfig =
      deschedule
          ->add_option("--kubeconfig", options.kubeconfig,
                       "the cluster of this file's current context")
          ->group(cluster);
  CLI::Option* in_cluster = deschedule
                                ->add_flag("--in-cluster", options.in_cluster,
                                           "the cluster this pod runs in")
                                ->group(cluster);
  cluster_file->excludes(kubeconfig)->excludes(in_cluster);
  kubeconfig->excludes(in_cluster);
}

void AddLive(CLI::App* deschedule, LiveOptions& live) {
  const std::string group = "On a live cluster";
  CLI::Option* evict =
      deschedule
          ->add_flag("--evict", live.evict,
                     "evict the pods of the plan through the Eviction API")
          ->group(group);
  deschedule
      ->add_flag_callback(
          "--dry-run", [&live] { live.evict = false; },
          "only print the plan [default; a loop wants this or --evict]")
      ->group(group)
      ->excludes(evict);
  deschedule
      ->add_option_function<std::string>(
          "--interval",
          [&live](const std::string& text) {
            live.interval = ParseDuration("--interval", text);
          },
          "make a pass every so often, such as 5m, until SIGTERM")
      ->group(group);
  deschedule
      ->add_option_function<std::string>(
          "--eviction-interval",
          [&live](const std::string& text) {
            live.eviction_interval = ParseDuration("--eviction-interval", text);
          },
          "at least so long between two evictions")
      ->default_str(
          absl::FormatDuration(absl::FromChrono(live.eviction_interval)))
      ->group(group);
  deschedule
      ->add_flag("--leader-elect", live.leader_elect,
                 "work only while holding a Lease, so that of several replicas "
                 "one does")
      ->group(group);
  deschedule
      ->add_option("--leader-elect-resource-namespace", live.lease_namespace,
                   "of the Lease")
      ->capture_default_str()
      ->group(group);
  deschedule
      ->add_option("--leader-elect-resource-name", live.lease_name,
                   "of the Lease")
      ->capture_default_str()
      ->group(group);
  deschedule
      ->add_option("--admin-listen-address", live.admin_listen_address,
                   "<IP>:<port> of /healthz and /metrics; default: none")
      ->group(group);
  AddListenerSecurity(deschedule, live.security);
}

void CheckOptions(const CLI::App& app, const DescheduleOptions& options,
                  const LiveOptions& live) {
  const bool has_api = !options.kubeconfig.empty() || options.in_cluster;
  if (options.cluster_file.empty() && !has_api) {
    throw CLI::ValidationError("deschedule",
                               "exactly one of --cluster-file, --kubeconfig "
                               "and --in-cluster is wanted");
  }
  if (!has_api && (live.evict || live.interval || live.leader_elect ||
                   !live.admin_listen_address.empty())) {
    throw CLI::ValidationError(
        "deschedule",
        "--evict, --interval, --leader-elect and --admin-listen-address want "
        "a live cluster");
  }
  if (live.interval && !live.evict && app.count("--dry-run") == 0) {
    throw CLI::ValidationError("--interval", "wants --evict or --dry-run");
  }
  if (live.leader_elect && !live.interval) {
    throw CLI::ValidationError("--leader-elect", "wants --interval");
  }
}

}  // namespace

void AddDeschedule(CLI::App& app, std::function<absl::Status()>& action,
                   int& exit_code) {
  CLI::App* deschedule = app.add_subcommand(
      "deschedule",
      "Find running pods that break the rules now, and the few evictions that "
      "mend it.");
  const auto options = std::make_shared<DescheduleOptions>();
  const auto live = std::make_shared<LiveOptions>();
  AddCluster(deschedule, *options);
  const std::string what = "What is looked for";
  deschedule
      ->add_option("--policy", options->policy_file,
                   "a DeschedulerPolicy (descheduler/v1alpha2), or a ConfigMap "
                   "with one under policy.yaml; default: every hard rule")
      ->group(what);
  deschedule
      ->add_flag("--skip-unsupported", options->skip_unsupported,
                 "leave out, and list, the strategies of the policy that "
                 "vicinal does not have")
      ->group(what);
  deschedule
      ->add_option_function<std::int64_t>(
          "--max-evictions-per-owner",
          [options](std::int64_t count) { options->max_per_owner = count; },
          "of the pods of one ReplicaSet, StatefulSet, … in one pass, 0 for no "
          "limit; default: the policy's, or 1")
      ->check(CLI::NonNegativeNumber)
      ->group(what);
  AddReleaseFlags(deschedule, "The scheduler", options->release);
  AddLive(deschedule, *live);
  deschedule->add_option("-o,--output", options->output, "table or json")
      ->capture_default_str()
      ->check(CLI::IsMember({"table", "json"}))
      ->group("Output");
  deschedule->footer(
      "Without --evict the plan is printed, and nothing is evicted.\n\nExit "
      "codes: 0 done; 1 a file or field that cannot be read, no connection; 2 "
      "usage;\n3 with --evict, a planned eviction was refused or failed.");
  deschedule->callback([&action, &exit_code, deschedule, options, live] {
    CheckOptions(*deschedule, *options, *live);
    if (!options->cluster_file.empty()) {
      action = [options] { return PrintPlanFor(*options, std::cout); };
      return;
    }
    action = [&exit_code, options, live] {
      bool all_evicted = true;
      absl::Status status = RunLive(*options, *live, std::cout, &all_evicted);
      if (!all_evicted) exit_code = kExitNotAllEvicted;
      return status;
    };
  });
}

}  // namespace vicinal
