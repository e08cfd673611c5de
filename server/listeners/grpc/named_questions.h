// Reads the questions of FilterNamed, and writes its answers.
#ifndef VICINAL_SERVER_LISTENERS_GRPC_NAMED_QUESTIONS_H_
#define VICINAL_SERVER_LISTENERS_GRPC_NAMED_QUESTIONS_H_

#include <cstddef>

#include "absl/status/status.h"
#include "core/model/json_path.h"
#include "server/listeners/extender/extender_args.h"
#include "server/listeners/extender/extender_result.h"
#include "server/listeners/grpc/node_lists.h"
#include "vicinal/v1/extender.pb.h"

namespace vicinal {

// Of one call. An answer takes a few bytes for each candidate, where the
// question takes a bit or nothing. One question may have more candidates.
inline constexpr int kMaxQuestions = 1000;
inline constexpr std::size_t kMaxCandidates = 1'000'000;

// InvalidArgument, naming the field, if nothing is asked; ResourceExhausted if
// more is asked than a call may. Cost: O(questions and their bitmaps).
absl::Status CheckExtent(const v1::FilterNamedRequest& message,
                         const NodeList& list);

// The names are those of the list, by number. Errors are those of from_proto.h.
absl::Status Decode(const v1::NamedQuestion& message, const NodeList& list,
                    const JsonPath& path, ExtenderArgs* out);

// The names in `result` must be those of a list. Cost: O(candidates).
void Encode(const ExtenderFilterResult& result, v1::NamedAnswer* out);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_GRPC_NAMED_QUESTIONS_H_
