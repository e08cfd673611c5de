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
#include "server/commands/cluster/cluster_source.h"
#include "server/commands/cluster/progress.h"
#include "server/commands/page/page.h"
#include "server/commands/release/scheduler_release.h"
#include "server/commands/simulate/print_report.h"
#include "server/commands/simulate/script.h"
#include "server/commands/simulate/simulation_page.h"
#include "server/commands/simulate/trace.h"

namespace vicinal {
namespace {

bool Deschedules(const Scenario& script) {
  for (const Step& step : script.steps) {
    for (const Action& action : step.actions) {
      if (action.verb == Verb::kDeschedule) return true;
    }
  }
  return false;
}

// Reads the script and finds the cluster, which the script may name. The
// namespace of what does not say it is the context's, if that is the cluster.
absl::StatusOr<Scenario> ReadAll(const SimulateOptions& options,
                                 FoundCluster& found,
                                 std::vector<std::string>& notes) {
  const ClusterSource source = {options.cluster_file, options.kubeconfig,
                                options.context};
  absl::StatusOr<FoundCluster> known = FoundCluster();
  if (source.IsGiven()) known = FindCluster(source);
  if (!known.ok()) return known.status();
  const auto read = [&] {
    notes.clear();
    return ReadScript(options.script,
                      options.namespace_name.empty() ? known->namespace_name
                                                     : options.namespace_name,
                      notes);
  };
  absl::StatusOr<Scenario> script = read();
  if (!script.ok()) return script.status();
  if (!script->cluster.empty()) {
    if (source.IsGiven()) {
      return absl::InvalidArgumentError(
          "two clusters: of --cluster-file, --kubeconfig and a script's only "
          "one may be given");
    }
    found.file = script->cluster;
    return script;
  }
  if (!source.IsGiven()) {
    known = FindCluster(source);
    if (!known.ok()) {
      return absl::Status(
          known.status().code(),
          absl::StrCat("no cluster: give --cluster-file, or a script that "
                       "names one; ",
                       known.status().message()));
    }
    // Only now is it known where things are put.
    if (known->namespace_name != FoundCluster().namespace_name) script = read();
  }
  found = *std::move(known);
  return script;
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
                      std::ostream& log, bool* as_expected,
                      std::int64_t* pending) {
  FoundCluster found;
  std::vector<std::string> notes;
  absl::StatusOr<Scenario> script = ReadAll(options, found, notes);
  if (!script.ok()) return script.status();
  const absl::StatusOr<SchedulerRelease> release =
      ReleaseFor(options.release, found.api ? &*found.api : nullptr);
  if (!release.ok()) return release.status();
  if (!release->mismatch.empty()) notes.push_back(release->mismatch);
  SimulatedCluster simulated(options.seed, release->release);
  absl::Status status =
      ReadCluster(found, simulated.Loader(Deschedules(*script)), log);
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
  const std::int64_t broken_before = CountBrokenRules(simulated.cluster());
  Page page;
  if (!options.html.empty()) page = StartSimulationPage(simulated);
  PluginConfig config;
  config.release = release->release;
  Progress progress(log, "pods placed so far");
  Simulator simulator(simulated, DefaultProfile(config),
                      {options.seed, options.until_stable,
                       std::chrono::duration_cast<std::chrono::seconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count(),
                       [&](const SimulatedCluster& cluster, const PodInfo& pod,
                           const std::string& node) {
                         progress.Count();
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
  const Report report = BuildReport(simulated, options.all_pods, broken_before);
  if (pending != nullptr) *pending = report.pending;
  if (!options.html.empty()) {
    FinishSimulationPage(simulated, report, results, DefaultProfile(config),
                         config, page);
    status = WritePage(page, options.html);
    if (!status.ok()) return status;
  }
  if (options.output == "json") {
    PrintJson(report, results, out);
  } else {
    PrintTable(report, results, options.domains, options.terminal, out);
  }
  log << problems;
  *as_expected = problems.empty();
  return absl::OkStatus();
}

}  // namespace vicinal
