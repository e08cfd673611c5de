#include "server/commands/flags/decision_flags.h"

#include "server/commands/flags/flags.h"

namespace vicinal {

void AddDecisionFlags(CLI::App* app, const std::string& who, std::size_t least,
                      std::size_t& kept, DecisionWriter::Options& log) {
  constexpr char kDecisions[] = "Decisions (vicinal explain --decision)";
  constexpr std::size_t kMost = 65536;
  app->add_option("--decisions-kept", kept,
                  "answers of " + who +
                      " that are kept in memory, the last ones, of about the "
                      "size of a line of --decision-log; the admin listener "
                      "tells them under /decisions" +
                      (least == 0 ? ". 0: none, and none are recorded" : ""))
      ->capture_default_str()
      ->check(CLI::Range(least, kMost))
      ->group(kDecisions);
  app->add_option("--decision-log", log.path,
                  "also append each to this file, as a line of JSON. A file "
                  "that cannot be written stops nothing: it is tried again, "
                  "and vicinal_decision_log_lost_total counts what is lost")
      ->group(kDecisions);
  app->add_option("--decision-log-max-bytes", log.max_bytes,
                  "of that file; then it is renamed to <file>.1, instead of "
                  "an earlier one, and a new one begins")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->group(kDecisions);
}

void AddRuleMetricsFlag(CLI::App* app, std::chrono::seconds& interval) {
  AddDuration<std::chrono::seconds>(
      app, "--rule-metrics-interval", interval,
      "seconds at least between two looks at skew and broken rules for the "
      "metrics vicinal_spread_skew, vicinal_spread_excess_pods and "
      "vicinal_broken_rule_pods, which a scrape asks for. A look takes the "
      "memory of the index once more; 0: there are no such metrics")
      ->check(CLI::Range(0, 86400))
      ->group("Metrics");
}

}  // namespace vicinal
