#include "server/commands/simulate/simulate.h"

#include <chrono>
#include <cstdint>
#include <fstream>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/engine/default_profile.h"
#include "core/plugins/plugin_config.h"
#include "core/simulate/expectation.h"
#include "core/simulate/simulated_cluster.h"
#include "core/simulate/simulation_report.h"
#include "core/simulate/simulator.h"
#include "server/commands/page/page.h"
#include "server/commands/simulate/print_report.h"
#include "server/commands/simulate/script.h"
#include "server/commands/simulate/simulation_page.h"
#include "server/commands/simulate/trace.h"
#include "server/kubernetes/client_config.h"
#include "server/kubernetes/kubeconfig.h"
#include "server/state/cluster_file.h"
#include "server/state/cluster_snapshot.h"

namespace vicinal {
namespace {

// Says now and then how far a long run has come.
class Progress {
 public:
  explicit Progress(std::ostream& log) : log_(log) {}

  void Placed(const SimulatedCluster& simulated) {
    ++placed_;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + kInterval;
    log_ << "vicinal: " << placed_ << " pods placed so far\n" << std::flush;
    (void)simulated;
  }

 private:
  static constexpr std::chrono::seconds kInterval{2};

  std::ostream& log_;
  std::int64_t placed_ = 0;
  std::chrono::steady_clock::time_point next_ =
      std::chrono::steady_clock::now() + kInterval;
};

bool Deschedules(const Scenario& script) {
  for (const Step& step : script.steps) {
    for (const Action& action : step.actions) {
      if (action.verb == Verb::kDeschedule) return true;
    }
  }
  return false;
}

absl::Status Load(const SimulateOptions& options, const Scenario& script,
                  SimulatedCluster& simulated) {
  const std::string& from_script = script.cluster;
  const int named = (options.cluster_file.empty() ? 0 : 1) +
                    (options.kubeconfig.empty() ? 0 : 1) +
                    (from_script.empty() ? 0 : 1);
  if (named == 0) {
    return absl::InvalidArgumentError(
        "no cluster: give --cluster-file or --kubeconfig, or a script that "
        "names one");
  }
  if (named > 1) {
    return absl::InvalidArgumentError(
        "two clusters: of --cluster-file, --kubeconfig and a script's only one "
        "may be given");
  }
  const ClusterReceiver loader = simulated.Loader(Deschedules(script));
  if (options.kubeconfig.empty()) {
    const std::string& file =
        from_script.empty() ? options.cluster_file : from_script;
    absl::Status status = ReadClusterFile(file, loader);
    if (!status.ok()) return status;
    const bool is_empty =
        simulated.cluster().Nodes().empty() && simulated.pods().empty();
    return is_empty ? NoNodesInFile(file) : absl::OkStatus();
  }
  const absl::StatusOr<ClientConfig> config =
      LoadKubeconfig(options.kubeconfig);
  if (!config.ok()) return config.status();
  return ReadClusterFromApi(*config, loader);
}

Placements PlacementsOf(const SimulatedCluster& simulated) {
  Placements placements;
  for (const auto& [key, pod] : simulated.pods()) {
    if (!pod.node.empty()) placements[key] = pod.node;
  }
  return placements;
}

bool WantsPlacements(const Step& step) {
  for (const Expectation& expectation : step.expect) {
    if (expectation.unmoved) return true;
  }
  return false;
}

// Does a step, and says what is not as expected.
absl::StatusOr<StepResult> DoStep(Step step, SimulatedCluster& simulated,
                                  Simulator& simulator) {
  StepResult result;
  result.name = step.name;
  result.has_expectations = !step.expect.empty();
  const Placements before =
      WantsPlacements(step) ? PlacementsOf(simulated) : Placements();
  for (Action& action : step.actions) {
    absl::Status status = simulator.Do(std::move(action));
    if (!status.ok()) return status;
  }
  for (const Expectation& expectation : step.expect) {
    result.problem += Problem(expectation, simulated, before);
  }
  return result;
}

}  // namespace

absl::Status Simulate(const SimulateOptions& options, std::ostream& out,
                      std::ostream& log, bool* as_expected) {
  std::vector<std::string> notes;
  absl::StatusOr<Scenario> script =
      ReadScript(options.script, options.namespace_name, notes);
  if (!script.ok()) return script.status();
  SimulatedCluster simulated(options.seed, options.release);
  absl::Status status = Load(options, *script, simulated);
  if (!status.ok()) return status;
  for (std::string& note : notes) simulated.Note(std::move(note));

  std::ofstream trace;
  if (!options.trace_file.empty()) {
    trace.open(options.trace_file);
    if (!trace) {
      return absl::InvalidArgumentError(options.trace_file +
                                        ": cannot be written");
    }
  }
  Page page;
  if (!options.html.empty()) page = StartSimulationPage(simulated);
  PluginConfig config;
  config.release = options.release;
  Progress progress(log);
  Simulator simulator(simulated, DefaultProfile(config),
                      {options.seed, options.until_stable,
                       std::chrono::duration_cast<std::chrono::seconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count(),
                       [&](const SimulatedCluster& cluster, const PodInfo& pod,
                           const std::string& node) {
                         progress.Placed(cluster);
                         if (trace.is_open())
                           trace << TraceLine(cluster, pod.pod, node) << "\n";
                       }});
  std::vector<StepResult> results;
  std::string problems;
  for (Step& step : script->steps) {
    absl::StatusOr<StepResult> result =
        DoStep(std::move(step), simulated, simulator);
    if (!result.ok()) return result.status();
    if (!result->problem.empty()) {
      absl::StrAppend(&problems, "step ", results.size() + 1, " (",
                      result->name, ") is not as expected\n", result->problem);
    }
    results.push_back(*std::move(result));
  }
  const Report report = BuildReport(simulated, options.all_pods);
  if (!options.html.empty()) {
    FinishSimulationPage(simulated, report, results, DefaultProfile(config),
                         config, page);
    status = WritePage(page, options.html);
    if (!status.ok()) return status;
  }
  if (options.output == "json") {
    PrintJson(report, results, out);
  } else {
    PrintTable(report, results, out);
  }
  log << problems;
  *as_expected = problems.empty();
  return absl::OkStatus();
}

}  // namespace vicinal
