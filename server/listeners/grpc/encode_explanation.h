// Writes explanations as messages.
#ifndef VICINAL_SERVER_LISTENERS_GRPC_ENCODE_EXPLANATION_H_
#define VICINAL_SERVER_LISTENERS_GRPC_ENCODE_EXPLANATION_H_

#include "server/commands/explain/explanation_report.h"
#include "vicinal/v1/extender.pb.h"

namespace vicinal {

// Fills in the fields of the JSON document of
// server/commands/explain/explanation_report.h. Cost: O(nodes × their causes
// and scores).
void Encode(const Answer& answer, v1::Explanation* out);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_GRPC_ENCODE_EXPLANATION_H_
