// The report of a simulation as JSON.
#ifndef VICINAL_SERVER_COMMANDS_SIMULATE_REPORT_JSON_H_
#define VICINAL_SERVER_COMMANDS_SIMULATE_REPORT_JSON_H_

#include <nlohmann/json.hpp>
#include <vector>

#include "core/simulate/simulation_report.h"
#include "server/commands/simulate/print_report.h"

namespace vicinal {

// One object; its fields are those of Report.
nlohmann::ordered_json ReportJson(const Report& report,
                                  const std::vector<StepResult>& steps);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_SIMULATE_REPORT_JSON_H_
