// Writes the report of a simulation for people and for programs.
#ifndef VICINAL_SERVER_COMMANDS_SIMULATE_PRINT_REPORT_H_
#define VICINAL_SERVER_COMMANDS_SIMULATE_PRINT_REPORT_H_

#include <ostream>
#include <string>
#include <vector>

#include "core/simulate/simulation_report.h"
#include "server/commands/terminal/terminal.h"

namespace vicinal {

// How a step went.
struct StepResult {
  std::string name;
  bool has_expectations = false;
  std::string problem;  // Empty: as expected.
};

// What became of it, first of all: `12 moved, 4 pending, 0 rules broken`. With
// numbers before where they have changed, and with pods that were started or
// stopped if there are any.
std::string Headline(const Report& report);

// `3 nodes, 4 pods running (before 3), 1 pending (before 0)`.
std::string Totals(const Report& report);

// The headline, changes, what is pending and why; then a line for each workload
// and topology key whose skew has changed, or with `domains` the tables of all.
void PrintTable(const Report& report, const std::vector<StepResult>& steps,
                bool domains, const Terminal& terminal, std::ostream& out);

// One JSON object; its fields are those of Report.
void PrintJson(const Report& report, const std::vector<StepResult>& steps,
               std::ostream& out);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_SIMULATE_PRINT_REPORT_H_
