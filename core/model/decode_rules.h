// What objects mean, in whatever form they come: shared by the decoders of
// JSON and protobuf.
#ifndef VICINAL_CORE_MODEL_DECODE_RULES_H_
#define VICINAL_CORE_MODEL_DECODE_RULES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/model/json_path.h"
#include "core/model/pod.h"

namespace vicinal {

// `path.field: required` if the value is empty.
absl::Status Required(const JsonPath& path, std::string_view field,
                      const std::string& value);

// metadata.resourceVersion as a number; 0 for other texts, which have no order.
std::uint64_t ResourceVersionNumber(std::string_view text);

// A v1.PodCondition, the times as in JSON: "" or "2026-11-21T19:07:25Z".
struct PodCondition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  std::string last_probe_time;
  std::string last_transition_time;
};

// Writes what a pod's conditions say into its status, one after another.
class ConditionsReader {
 public:
  // The status must outlive the reader.
  explicit ConditionsReader(PodStatus& status) : status_(status) {}
  void Add(const PodCondition& condition);

 private:
  PodStatus& status_;
  bool found_resize_ = false;
};

// The kubelet's list of init containers follows that of the containers, in
// whatever order they are written.
void AppendInitContainers(std::vector<ContainerStatus> init_containers,
                          PodStatus& status);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_DECODE_RULES_H_
