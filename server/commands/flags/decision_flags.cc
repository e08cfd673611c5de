#include "server/commands/flags/decision_flags.h"

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

}  // namespace vicinal
