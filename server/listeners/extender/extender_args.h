// What the scheduler asks an extender.
// Source: k8s.io/kube-scheduler/extender/v1/types.go.
#ifndef VICINAL_SERVER_LISTENERS_EXTENDER_EXTENDER_ARGS_H_
#define VICINAL_SERVER_LISTENERS_EXTENDER_EXTENDER_ARGS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/pod.h"

namespace vicinal {

class JsonReader;

// The arguments of filter and prioritize.
struct ExtenderArgs {
  Pod pod;
  std::vector<std::string_view> node_names;  // They live in the reader.
  // The pod's spec.schedulingGroup.podGroupName with its namespace: the pods of
  // one group are scheduled together. "" for none.
  std::string pod_group;
};

// Reads a request's body, which must have SIMDJSON_PADDING readable bytes
// behind it. As in Go the field names are `Pod` and `NodeNames` in any case.
// The error says what is wrong with which field; full Node objects instead of
// names (nodeCacheCapable: false) are refused. A pod that never went through an
// API server is admitted (core/model/pod_admission.h). With `DryRun: true`,
// which no scheduler sends, the pod loses its uid: the question is hypothetical
// and leaves nothing behind. The result is good until
// the reader is used again, or the body goes. Cost: O(body), one pass, without
// an allocation for each name.
absl::StatusOr<ExtenderArgs> ReadExtenderArgs(std::string_view body,
                                              JsonReader& reader);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_EXTENDER_EXTENDER_ARGS_H_
