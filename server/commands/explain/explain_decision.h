// `vicinal explain --decision`: what was decided about a pod, and why.
#ifndef VICINAL_SERVER_COMMANDS_EXPLAIN_EXPLAIN_DECISION_H_
#define VICINAL_SERVER_COMMANDS_EXPLAIN_EXPLAIN_DECISION_H_

#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "server/commands/explain/decision_source.h"

namespace vicinal {

struct ExplainDecisionOptions {
  std::string pod;             // <namespace>/<name>, or <name>.
  std::string namespace_name;  // Of a name alone; "": default.
  DecisionSource source;
  std::string output = "table";  // Or "json", "yaml".
};

// Writes all decisions about the pod that are found to `out`, the oldest first,
// and warnings to `err`. Errors: those of FindDecisions; NotFound, if none is
// about it.
absl::Status ExplainDecision(const ExplainDecisionOptions& options,
                             std::ostream& out, std::ostream& err);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_EXPLAIN_EXPLAIN_DECISION_H_
