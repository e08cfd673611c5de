// Arguments of the NodeAffinity plugin.
// Source: pkg/scheduler/apis/config/types_pluginargs.go and
// validation/validation_pluginargs.go.
#ifndef VICINAL_CORE_PLUGINS_NODEAFFINITY_NODEAFFINITY_ARGS_H_
#define VICINAL_CORE_PLUGINS_NODEAFFINITY_NODEAFFINITY_ARGS_H_

#include <optional>

#include "absl/status/status.h"
#include "core/model/node_selector.h"

namespace vicinal {

struct NodeAffinityArgs {
  // Applies to every pod, in addition to its own.
  std::optional<NodeAffinity> added_affinity;

  friend bool operator==(const NodeAffinityArgs&,
                         const NodeAffinityArgs&) = default;
};

// InvalidArgument if a term does not parse, in upstream's words.
absl::Status Validate(const NodeAffinityArgs& args);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_NODEAFFINITY_NODEAFFINITY_ARGS_H_
