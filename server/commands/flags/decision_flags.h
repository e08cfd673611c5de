// The flags about the record of the last decisions, and about the metrics of
// rules.
#ifndef VICINAL_SERVER_COMMANDS_FLAGS_DECISION_FLAGS_H_
#define VICINAL_SERVER_COMMANDS_FLAGS_DECISION_FLAGS_H_

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstddef>
#include <string>

#include "server/decisions/decision_writer.h"

namespace vicinal {

// --decisions-kept, at least `least`, --decision-log and
// --decision-log-max-bytes. `who` is asked. `kept` and `log` must outlive the
// app.
void AddDecisionFlags(CLI::App* app, const std::string& who, std::size_t least,
                      std::size_t& kept, DecisionWriter::Options& log);

// --rule-metrics-interval. `interval` must outlive the app.
void AddRuleMetricsFlag(CLI::App* app, std::chrono::seconds& interval);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_FLAGS_DECISION_FLAGS_H_
