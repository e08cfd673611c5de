#include "server/commands/simulate/simulate.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/simulate/cluster_receiver.h"
#include "core/simulate/expectation.h"
#include "core/simulate/simulated_cluster.h"
#include "core/simulate/simulation_report.h"
#include "core/simulate/simulator.h"
#include "server/commands/cluster/cluster_source.h"
#include "server/commands/cluster/progress.h"
#include "server/commands/page/page.h"
#include "server/commands/release/scheduler_release.h"
#include "server/commands/simulate/comparison.h"
#include "server/commands/simulate/preemption_notes.h"
#include "server/commands/simulate/print_report.h"
#include "server/commands/simulate/script.h"
#include "server/commands/simulate/simulation_page.h"
#include "server/commands/simulate/trace.h"
#include "server/scheduler_config/profiles_file.h"
#include "server/scheduler_config/scheduler_profiles.h"

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

// A configuration of the scheduler, by whose profile all pods are placed.
struct Configuration {
  std::string name;
  SchedulerProfiles profiles;

  const SchedulerProfile& Profile() const { return *profiles.Find(""); }
};

// Notes what is left out of it.
absl::StatusOr<Configuration> ReadConfiguration(
    const std::string& path, const KubernetesRelease& release,
    SimulatedCluster& simulated) {
  std::vector<std::string> warnings;
  absl::StatusOr<SchedulerProfiles> profiles =
      ReadProfilesForAnswers(path, release, warnings);
  if (!profiles.ok()) return profiles.status();
  const SchedulerProfile* profile = profiles->Find("");
  if (profile == nullptr) {
    return absl::InvalidArgumentError(path +
                                      ": has no profile \"default-scheduler\"");
  }
  for (std::string& warning : warnings) simulated.Note(std::move(warning));
  for (const std::string& filter : profile->other_filters) {
    simulated.Note(absl::StrCat("not simulated: ", filter, " of ", path));
  }
  return Configuration{path.empty() ? "default" : path, *std::move(profiles)};
}

// What is read of a cluster goes to both.
ClusterReceiver Both(ClusterReceiver first, ClusterReceiver second) {
  ClusterReceiver both;
  both.with_pod_facts = first.with_pod_facts;
  both.add = [add = first.add, other = second.add](Object object,
                                                   const PodFacts& facts) {
    add(object, facts);
    other(std::move(object), facts);
  };
  both.add_workload = [add = first.add_workload,
                       other = second.add_workload](Workload workload) {
    add(workload);
    other(std::move(workload));
  };
  both.note = [note = first.note, other = second.note](std::string text) {
    note(text);
    other(std::move(text));
  };
  return both;
}

// Does the steps. Says in `problems` what is not as expected.
absl::StatusOr<Outcome> Run(const SimulateOptions& options,
                            const Configuration& configuration, Scenario script,
                            const OnPlacement& on_placement,
                            SimulatedCluster& simulated,
                            std::string& problems) {
  const std::int64_t broken_before = CountBrokenRules(simulated.cluster());
  Simulator simulator(simulated, configuration.Profile().explain,
                      {options.seed, options.until_stable,
                       std::chrono::duration_cast<std::chrono::seconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count(),
                       on_placement});
  Outcome outcome;
  outcome.configuration = configuration.name;
  for (Step& step : script.steps) {
    absl::StatusOr<StepResult> result =
        DoStep(std::move(step), simulated, simulator);
    if (!result.ok()) return result.status();
    if (!result->problem.empty()) {
      absl::StrAppend(
          &problems,
          options.against.empty() ? "" : outcome.configuration + ": ", "step ",
          outcome.steps.size() + 1, " (", result->name,
          ") is not as expected\n", result->problem);
    }
    outcome.steps.push_back(*std::move(result));
  }
  NotePreemption(configuration.Profile(), simulated);
  outcome.report = BuildReport(simulated, options.all_pods, broken_before);
  return outcome;
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
  const bool compares = !options.against.empty();
  SimulatedCluster simulated(options.seed, release->release);
  SimulatedCluster other(options.seed, release->release);
  const absl::StatusOr<Configuration> configuration =
      ReadConfiguration(options.scheduler_config, release->release, simulated);
  if (!configuration.ok()) return configuration.status();
  const absl::StatusOr<Configuration> against =
      ReadConfiguration(options.against, release->release, other);
  if (!against.ok()) return against.status();
  const SchedulerProfile& profile = configuration->Profile();
  const bool deschedules = Deschedules(*script);
  absl::Status status = ReadCluster(
      found,
      compares ? Both(simulated.Loader(deschedules), other.Loader(deschedules))
               : simulated.Loader(deschedules),
      log);
  if (!status.ok()) return status;
  for (const std::string& note : notes) {
    simulated.Note(note);
    other.Note(note);
  }

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
  Progress progress(log, "pods placed so far");
  const auto on_placement = [&](const SimulatedCluster& cluster,
                                const PodInfo& pod, const std::string& node) {
    progress.Count();
    if (trace.is_open()) trace << TraceLine(cluster, pod.pod, node) << "\n";
  };
  std::string problems;
  const absl::StatusOr<Outcome> outcome =
      Run(options, *configuration, *script, on_placement, simulated, problems);
  if (!outcome.ok()) return outcome.status();
  std::int64_t left = outcome->report.pending;
  if (!options.html.empty()) {
    FinishSimulationPage(simulated, outcome->report, outcome->steps,
                         profile.explain, profile.plugin_config, page);
    status = WritePage(page, options.html);
    if (!status.ok()) return status;
  }
  const bool as_json = options.output == "json";
  if (compares) {
    const absl::StatusOr<Outcome> second =
        Run(options, *against, *script, on_placement, other, problems);
    if (!second.ok()) return second.status();
    left = std::max(left, second->report.pending);
    const std::vector<PodDifference> differences =
        PodDifferences(simulated, other);
    if (as_json) {
      PrintComparisonJson(*outcome, *second, differences, out);
    } else {
      PrintComparison(*outcome, *second, differences, options.terminal, out);
    }
  } else if (as_json) {
    PrintJson(outcome->report, outcome->steps, out);
  } else {
    PrintTable(outcome->report, outcome->steps, options.domains,
               options.terminal, out);
  }
  if (pending != nullptr) *pending = left;
  log << problems;
  *as_expected = problems.empty();
  return absl::OkStatus();
}

}  // namespace vicinal
