// Decisions as lines of JSON.
#ifndef VICINAL_SERVER_DECISIONS_DECISION_JSON_H_
#define VICINAL_SERVER_DECISIONS_DECISION_JSON_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/decisions/decision_record.h"

namespace vicinal {

// One line, with its end; bytes that are no UTF-8 become U+FFFD. server/
// decisions/README.md has the fields. Thread-safe. Cost: O(its size).
std::string ToJsonLine(const DecisionRecord& decision);

// Reads such a line, with or without its end. Fields that are not known are
// passed over. InvalidArgument: what is wrong with it. Thread-safe.
absl::StatusOr<DecisionRecord> ReadDecision(std::string_view line);

}  // namespace vicinal

#endif  // VICINAL_SERVER_DECISIONS_DECISION_JSON_H_
