// What the record of the last decisions says about an answer of filter.
#ifndef VICINAL_SERVER_LISTENERS_EXTENDER_RECORD_DECISION_H_
#define VICINAL_SERVER_LISTENERS_EXTENDER_RECORD_DECISION_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "core/engine/decide.h"
#include "core/engine/run_plugins.h"
#include "server/decisions/decision_record.h"
#include "server/listeners/extender/candidates.h"
#include "server/listeners/extender/extender_args.h"
#include "server/listeners/extender/extender_result.h"

namespace vicinal {

// By which scores the candidate `chosen` was taken, and which one would have
// been next. Cost: O(nodes that fit), one comparison each and no allocation for
// them.
void RecordChoice(const Decision& decision, const Candidates& candidates,
                  std::size_t chosen, DecisionRecord& record);

// Why no candidate fits, in the words of the pod's PodScheduled condition; "":
// one does, or the question was in error. Cost: O(candidates).
std::string WhyNone(const FilterOutcome& outcome, const Candidates& candidates);

// Who was asked about, when, and what was answered. An error is the reason of
// the decision. Cost: O(1).
void RecordAnswer(const ExtenderArgs& args,
                  const absl::StatusOr<ExtenderFilterResult>& result,
                  DecisionRecord& record);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_EXTENDER_RECORD_DECISION_H_
