#include "server/commands/explain/command.h"

#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/model/api_resources.h"
#include "core/model/decode_extras.h"
#include "server/commands/explain/batch.h"
#include "server/commands/explain/explain_decision.h"
#include "server/commands/explain/run_explain.h"
#include "server/commands/release/release_flags.h"

namespace vicinal {
namespace {

constexpr int kExitFitsNowhere = 3;
constexpr int kExitNotChecked = 4;

std::string StorageCommand() {
  std::string command = "kubectl get ";
  for (const ApiResource& resource : StorageResources()) {
    if (command.back() != ' ') command += ',';
    command += resource.name;
  }
  return command + " -A -o json";
}

// --decision and where it looks.
CLI::Option* AddDecision(CLI::App* explain, const std::string& question,
                         ExplainDecisionOptions& options) {
  constexpr char kDecisions[] =
      "The decisions of vicinal serve and serve-plugin";
  CLI::Option* const decision =
      explain
          ->add_option("--decision", options.pod,
                       "what vicinal serve or serve-plugin has answered about "
                       "this pod, and why: namespace/name")
          ->group(question);
  DecisionSource& source = options.source;
  CLI::Option* const file =
      explain
          ->add_option("--decision-log", source.file,
                       "read them from this file of serve --decision-log, - "
                       "for the standard input")
          ->needs(decision)
          ->group(kDecisions);
  explain
      ->add_option("--server", source.server,
                   "read them from this admin listener")
      ->capture_default_str()
      ->needs(decision)
      ->excludes(file)
      ->group(kDecisions);
  explain
      ->add_option("--certificate-authority", source.certificate_authority,
                   "PEM certificates that vouch for the server; default: those "
                   "of the machine")
      ->needs(decision)
      ->group(kDecisions);
  CLI::Option* const certificate =
      explain
          ->add_option("--client-certificate", source.client_certificate,
                       "PEM certificate of one who may read the metrics")
          ->needs(decision)
          ->group(kDecisions);
  certificate->needs(
      explain->add_option("--client-key", source.client_key, "its key")
          ->needs(certificate)
          ->group(kDecisions));
  return decision;
}

}  // namespace

void AddExplain(CLI::App& app, std::function<absl::Status()>& action,
                int& exit_code) {
  const auto options = std::make_shared<ExplainOptions>();
  CLI::App* explain =
      app.add_subcommand("explain", "Explain where pods can go, and why.");
  const std::string cluster =
      "The cluster (default: kubectl's current context)";
  const std::string question = "The question (exactly one)";
  const std::string description =
      "answer one case per line of the standard input, without a cluster; the "
      "format is in test/conformance/README.md";
  CLI::Option* batch =
      explain->add_flag("--batch", description)->group(question);
  explain
      ->add_option("-f,--filename", options->manifest,
                   "explain the pods of this manifest, - for the standard "
                   "input: a Pod, or a workload with a pod template")
      ->group(question);
  explain
      ->add_option("--pod", options->pod,
                   "explain this pod of the cluster: namespace/name")
      ->group(question);
  explain
      ->add_option("object", options->object,
                   "explain this object of the cluster: KIND/NAME, such as "
                   "deployment/web or pod/web-1")
      ->group(question);
  explain
      ->add_option("-n,--namespace", options->namespace_name,
                   "of the object, the pod, and what of the manifest does not "
                   "say; default: the context's")
      ->group(question);
  const auto decision_options = std::make_shared<ExplainDecisionOptions>();
  CLI::Option* const decision =
      AddDecision(explain, question, *decision_options);
  explain
      ->add_option("--cluster-file", options->cluster_file,
                   "a cluster as a List, JSON or YAML, - for the standard "
                   "input; see below")
      ->group(cluster);
  explain
      ->add_option("--kubeconfig", options->kubeconfig,
                   "list the cluster of this file's current context; default: "
                   "$KUBECONFIG, or ~/.kube/config")
      ->group(cluster);
  explain
      ->add_option("--context", options->context,
                   "the context of the kubeconfig; default: the current one")
      ->group(cluster);
  explain
      ->add_option("--scheduler-config", options->scheduler_config,
                   "the KubeSchedulerConfiguration (v1) of the scheduler: "
                   "plugin arguments and score weights are taken from the "
                   "profile that the pod names")
      ->group("Scheduling");
  AddReleaseFlags(explain, "Scheduling", options->release);
  explain->add_option("-o,--output", options->output, "table, json or yaml")
      ->capture_default_str()
      ->check(CLI::IsMember({"table", "json", "yaml"}))
      ->group("Output");
  explain
      ->add_option("--nodes", options->max_nodes,
                   "nodes in each table, 0 for all")
      ->capture_default_str()
      ->group("Output");
  explain
      ->add_option("--html", options->html,
                   "also draw the answer as one self-contained page")
      ->group("Output");
  explain->footer(absl::StrCat(
      "A cluster file is the output of\n  ", ClusterFileCommand(),
      "\nand, for pods with claims, also of\n  ", StorageCommand(),
      "\n\nExit status: 0 each pod fits on some node; ", kExitFitsNowhere,
      " a pod or a replica of it fits nowhere,\nor waits for its scheduling "
      "gates; ",
      kExitNotChecked,
      " each fits, but something was not checked (the answer says what);\n"
      "1 no answer (a file or field that cannot be read, no connection); 2 "
      "wrong options."));
  explain->callback([options, decision_options, decision, &action, &exit_code,
                     batch] {
    if (batch->count() > 0) {
      action = [options] {
        const absl::StatusOr<SchedulerRelease> release =
            ReleaseFor(options->release, nullptr);
        if (!release.ok()) return release.status();
        return ExplainBatch(release->release, std::cin, std::cout);
      };
      return;
    }
    const int questions =
        (decision->count() > 0 ? 1 : 0) + (options->manifest.empty() ? 0 : 1) +
        (options->pod.empty() ? 0 : 1) + (options->object.empty() ? 0 : 1);
    if (questions != 1) {
      throw CLI::ValidationError("explain",
                                 "exactly one of KIND/NAME, --filename, "
                                 "--pod, --decision and --batch is wanted");
    }
    if (decision->count() > 0) {
      action = [options, decision_options] {
        decision_options->namespace_name = options->namespace_name;
        decision_options->output = options->output;
        return ExplainDecision(*decision_options, std::cout, std::cerr);
      };
      return;
    }
    if (!options->cluster_file.empty() &&
        (!options->kubeconfig.empty() || !options->context.empty())) {
      throw CLI::ValidationError("--cluster-file",
                                 "excludes --kubeconfig and --context");
    }
    if (options->cluster_file == "-" && options->manifest == "-") {
      throw CLI::ValidationError(
          "explain",
          "only one of --cluster-file and --filename can be the standard "
          "input");
    }
    action = [options, &exit_code] {
      bool fits = true;
      bool checked = true;
      absl::Status status =
          RunExplain(*options, std::cout, std::cerr, &fits, &checked);
      if (!checked) exit_code = kExitNotChecked;
      if (!fits) exit_code = kExitFitsNowhere;
      return status;
    };
  });
}

}  // namespace vicinal
