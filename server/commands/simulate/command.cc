#include "server/commands/simulate/command.h"

#include <unistd.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

#include "core/model/api_resources.h"
#include "core/simulate/action.h"
#include "server/commands/release/release_flags.h"
#include "server/commands/simulate/simulate.h"
#include "server/commands/terminal/terminal.h"

namespace vicinal {

namespace {

constexpr int kExitNotAsExpected = 3;
constexpr int kExitPending = 4;

}  // namespace

void AddSimulate(CLI::App& app, std::function<absl::Status()>& action,
                 int& exit_code) {
  CLI::App* simulate = app.add_subcommand(
      "simulate",
      "What if: do to a copy of a cluster what a script says, let controllers "
      "and scheduler work, and show where every pod goes.");
  const auto options = std::make_shared<SimulateOptions>();
  simulate
      ->add_option(
          "script", options->script,
          "actions, in quotes if they have flags (\"drain -l zone=a\"), "
          "and scripts")
      ->required();
  CLI::Option* const cluster_file = simulate->add_option(
      "--cluster-file", options->cluster_file,
      "a List, JSON or YAML, - for the standard input, as made by " +
          ClusterFileCommand() +
          "; "
          "with deployments,daemonsets,jobs too these are known as well");
  simulate
      ->add_option("--kubeconfig", options->kubeconfig,
                   "list the cluster of this file's current context; default: "
                   "$KUBECONFIG, or ~/.kube/config, unless a script names a "
                   "cluster. Workloads that may not be listed are left out, "
                   "with a note")
      ->excludes(cluster_file);
  simulate
      ->add_option("--context", options->context,
                   "the context of the kubeconfig; default: the current one")
      ->excludes(cluster_file);
  simulate->add_option("-n,--namespace", options->namespace_name,
                       "of the workloads that actions name, and of what of "
                       "manifests does not say; default: the context's");
  simulate->add_option("-o,--output", options->output, "table or json")
      ->capture_default_str()
      ->check(CLI::IsMember({"table", "json"}));
  simulate
      ->add_option("--seed", options->seed,
                   "decides between nodes that are equally good")
      ->capture_default_str();
  AddReleaseFlags(simulate, "Options", options->release);
  simulate->add_flag("--until-stable", options->until_stable,
                     "let time pass after each action: Jobs run to completion, "
                     "and deschedule makes passes until nothing is evicted");
  simulate->add_flag("--all-pods", options->all_pods,
                     "show the pods that have not changed, too");
  simulate->add_flag("--domains", options->domains,
                     "print how many pods each domain has, before and after");
  const auto fail_on_pending = std::make_shared<bool>(false);
  simulate->add_flag("--fail-on-pending", *fail_on_pending,
                     "exit with status 4 if a pod is pending in the end");
  simulate->add_option(
      "--scheduler-config", options->scheduler_config,
      "the KubeSchedulerConfiguration (v1) of the scheduler; all pods are "
      "placed by its profile default-scheduler");
  CLI::Option* const against = simulate->add_option(
      "--against", options->against,
      "a second KubeSchedulerConfiguration: simulate by both, and print which "
      "pods and which skews differ");
  simulate
      ->add_option("--trace", options->trace_file,
                   "write each placement as a case for the oracle of "
                   "test/conformance")
      ->excludes(against);
  simulate
      ->add_option("--html", options->html,
                   "also draw the cluster before and after as one "
                   "self-contained page")
      ->excludes(against);
  simulate->footer("Actions:\n" + std::string(ActionSyntax()) +
                   "\n\nExit codes: 0 done, and as expected; 1 a file or an "
                   "action cannot be used; 2 usage;\n3 an expectation of a "
                   "script does not hold; 4 pods are pending, with "
                   "--fail-on-pending.");
  simulate->callback([&action, &exit_code, options, fail_on_pending] {
    action = [&exit_code, options, fail_on_pending] {
      bool as_expected = true;
      std::int64_t pending = 0;
      options->terminal = TerminalOf(STDOUT_FILENO);
      absl::Status status =
          Simulate(*options, std::cout, std::cerr, &as_expected, &pending);
      if (*fail_on_pending && pending > 0) exit_code = kExitPending;
      if (!as_expected) exit_code = kExitNotAsExpected;
      return status;
    };
  });
}

}  // namespace vicinal
