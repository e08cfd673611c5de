// What the record of the last decisions says about an answer to the plugin.
#ifndef VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_RECORD_ANSWER_H_
#define VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_RECORD_ANSWER_H_

#include <string>

#include "server/decisions/decision_record.h"
#include "server/listeners/scheduler_plugin/session.h"
#include "vicinal/v1/scheduler_plugin.pb.h"

namespace vicinal {

// What is asked for: the fields of Question, joined by "+".
std::string KindOfQuestion(const v1::Question& question);

// Of a question that the session has just answered. Without the time, which the
// caller knows. Nothing is computed for it that the answer did not need. Cost:
// O(nodes) for verdicts, O(nodes of the question) for scores, else O(1).
DecisionRecord RecordAnswer(const v1::Question& question,
                            const v1::Answer& answer, const Session& session);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_RECORD_ANSWER_H_
