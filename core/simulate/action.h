// What a script can do to the cluster.
#ifndef VICINAL_CORE_SIMULATE_ACTION_H_
#define VICINAL_CORE_SIMULATE_ACTION_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/deschedule/policy.h"
#include "core/model/labels.h"
#include "core/model/taint.h"
#include "core/simulate/script_object.h"

namespace vicinal {

enum class Verb {
  kApply,
  kScale,
  kDelete,
  kCordon,
  kUncordon,
  kDrain,
  kLabelNode,
  kTaintNode,
  kAddNode,
  kRemoveNode,
  kAddNodes,
  kFill,
  kRollout,
  kReschedule,
  kDeschedule,
};

// `deployment/web`, or all pods with some labels.
struct Target {
  std::string kind;  // As written.
  std::string namespace_name;
  std::string name;
  Labels labels;     // If there is no name.
  std::string node;  // If not empty: only pods on this node.
};

// `zone=a`; without a value `zone-`.
struct LabelChange {
  std::string key;
  std::optional<std::string> value;
};

// `key=value:NoSchedule`; to be removed `key:NoSchedule-` or `key-`.
struct TaintChange {
  Taint taint;  // effect may be empty if it is removed: any.
  bool remove = false;
};

struct Action {
  Verb verb = Verb::kApply;
  std::string text;                 // As written, for messages.
  std::vector<std::string> files;   // Of apply, add-node and deschedule.
  std::vector<ScriptObject> items;  // What stands in them.
  std::optional<Policy> policy;     // The same of deschedule.
  Target target;                    // Of scale, delete, rollout, reschedule.
  std::vector<std::string> nodes;   // Of those that are about nodes.
  Labels node_labels;               // If there are no nodes: all with these.
  // Of scale, add-node COPY=N and add-nodes; of the last absent: as many as are
  // needed.
  std::optional<std::int64_t> count = 0;
  std::vector<LabelChange> labels;  // Of label node.
  std::vector<TaintChange> taints;  // Of taint node.
};

// How actions are written, for --help.
std::string_view ActionSyntax();

// The verb that begins an action; absent if the word is none.
std::optional<Verb> VerbFromWord(std::string_view word);

// Reads one action from the front of `words`, and says in `used` how many words
// it took. `items` and `policy` are left to who can read files. `-n NAMESPACE`
// may stand behind an action; otherwise `namespace_name` holds.
absl::StatusOr<Action> ParseAction(std::span<const std::string> words,
                                   std::string_view namespace_name,
                                   std::size_t* used);

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_ACTION_H_
