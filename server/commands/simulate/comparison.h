// What two configurations of the scheduler make of the same cluster and script.
#ifndef VICINAL_SERVER_COMMANDS_SIMULATE_COMPARISON_H_
#define VICINAL_SERVER_COMMANDS_SIMULATE_COMPARISON_H_

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "core/model/object_meta.h"
#include "core/simulate/simulated_cluster.h"
#include "server/commands/simulate/print_report.h"

namespace vicinal {

// What comes of one configuration.
struct Outcome {
  std::string configuration;  // Its file.
  std::vector<StepResult> steps;
  Report report;
};

// A pod that is not where the other configuration puts it.
struct PodDifference {
  ObjectKey pod;
  // Its node in each; empty: pending; absent: there is no pod of the name.
  std::optional<std::string> first;
  std::optional<std::string> second;
};

// A workload that is not spread as by the other configuration.
struct SkewDifference {
  std::string workload;
  std::string namespace_name;
  std::string topology_key;
  std::int64_t before = 0;
  // Absent: its pods have not changed there.
  std::optional<std::int64_t> first;
  std::optional<std::int64_t> second;
};

// By namespace and name. Cost: O(pods).
std::vector<PodDifference> PodDifferences(const SimulatedCluster& first,
                                          const SimulatedCluster& second);
std::vector<SkewDifference> SkewDifferences(const Report& first,
                                            const Report& second);

// The headlines, then the differences.
void PrintComparison(const Outcome& first, const Outcome& second,
                     const std::vector<PodDifference>& pods,
                     const Terminal& terminal, std::ostream& out);

// One JSON object: the reports of both and the differences.
void PrintComparisonJson(const Outcome& first, const Outcome& second,
                         const std::vector<PodDifference>& pods,
                         std::ostream& out);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_SIMULATE_COMPARISON_H_
