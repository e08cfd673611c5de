// Reads what a server has written: --decision-log.
#ifndef VICINAL_SERVER_DECISIONS_DECISION_LOG_H_
#define VICINAL_SERVER_DECISIONS_DECISION_LOG_H_

#include <functional>
#include <istream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/decisions/decision_record.h"

namespace vicinal {

// Of each line; an error for one that is no decision.
using VisitDecision = std::function<void(absl::StatusOr<DecisionRecord>)>;

void ForEachDecision(std::istream& lines, const VisitDecision& visit);

// Of the file, "-" for the standard input, and before it of <file>.1 if there
// is one. A file that is renamed meanwhile may be read twice. Blocks. Errors,
// with the path: it cannot be read.
absl::Status ForEachDecision(const std::string& path,
                             const VisitDecision& visit);

}  // namespace vicinal

#endif  // VICINAL_SERVER_DECISIONS_DECISION_LOG_H_
