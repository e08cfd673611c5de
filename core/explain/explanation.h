// Why a pod can or cannot go to each node, in the user's words.
//
// The verdicts and their reasons are the scheduler's; a Cause says what in the
// manifest and in the cluster is behind them. Nodes that are refused for the
// same reason share a cause: all nodes of a zone, say.
#ifndef VICINAL_CORE_EXPLAIN_EXPLANATION_H_
#define VICINAL_CORE_EXPLAIN_EXPLANATION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/plugins/status.h"

namespace vicinal {

struct PodReference {
  ObjectKey key;
  std::string node;        // Where it is, or is nominated to go.
  bool nominated = false;  // Not there yet.

  friend bool operator==(const PodReference&, const PodReference&) = default;
  friend auto operator<=>(const PodReference&, const PodReference&) = default;
};

// match + self - minimum > max_skew.
struct SkewNumbers {
  std::int64_t match = 0;    // Matching pods in the domain.
  std::int64_t self = 0;     // 1 if the pod matches its own selector.
  std::int64_t minimum = 0;  // Of the matching pods, over all domains.
  std::int64_t max_skew = 0;
  std::int64_t domains = 0;  // That count.
  std::int64_t min_domains = 1;

  friend bool operator==(const SkewNumbers&, const SkewNumbers&) = default;
};

// In milli-CPUs, bytes, or pieces.
struct ResourceNumbers {
  std::string name;
  std::int64_t requested = 0;
  std::int64_t in_use = 0;
  std::int64_t allocatable = 0;

  friend bool operator==(const ResourceNumbers&,
                         const ResourceNumbers&) = default;
};

// One rule that keeps the pod from one or more nodes.
struct Cause {
  enum class Kind {
    kAffinity,              // Nobody there whom the pod wants near.
    kAntiAffinity,          // Somebody there whom the pod does not want near.
    kExistingAntiAffinity,  // Somebody there who does not want the pod near.
    kSpread,                // Too many matching pods there.
    kMissingKey,            // The node lacks a topology key.
    kNodeAffinity,
    kTaint,
    kUnschedulable,
    kNodeName,
    kResource,
    kPort,      // Somebody there has the host port.
    kVolume,    // A volume is elsewhere, or cannot be had there.
    kQuestion,  // The pod itself is at fault: no node will do.
    kOther,     // Nothing is known but the scheduler's reason.
  };

  Kind kind = Kind::kOther;
  std::string_view plugin;
  std::string reason;  // In the scheduler's words.
  // The path of the rule in the manifest: spec.affinity.podAffinity.…[0]. Empty
  // if the rule is not the pod's.
  std::string rule;
  // What the rule wants, the same for all nodes that it keeps from the pod.
  std::string wants;
  // What is there instead, in this domain or on this node.
  std::string found;
  std::string topology_key;  // Empty: the rule is not about topology.
  std::optional<std::string>
      domain;  // Value of the key; absent: it is missing.
  // All pods that are in the way, in ascending order: without any of them the
  // rule would let the pod in.
  std::vector<PodReference> blocking_pods;
  std::optional<SkewNumbers> skew;
  std::optional<ResourceNumbers> resource;
};

struct NodeScore {
  std::int64_t raw = 0;
  std::int64_t normalized = 0;
};

struct NodeExplanation {
  std::string name;
  Status status;                    // The scheduler's verdict.
  std::vector<std::size_t> causes;  // In Explanation::causes; the first ones
                                    // are those of the verdict. Also what other
                                    // plugins would have said.
  std::vector<NodeScore> scores;    // As Explanation::score_plugins; of a node
                                    // that fits.
  std::int64_t total = 0;
};

struct ScorePluginInfo {
  std::string_view plugin;
  std::int64_t weight = 1;
};

// How the matching pods of a topology spread constraint are spread.
struct SpreadDomain {
  std::string value;
  std::int64_t nodes = 0;
  std::int64_t pods = 0;
  bool eligible = false;  // Whether the domain counts for the minimum.
  bool open = true;       // Whether one more pod would be within maxSkew.
};

struct SpreadState {
  std::string rule;
  std::string wants;
  std::string topology_key;
  bool hard = true;                   // DoNotSchedule
  SkewNumbers numbers;                // Without `match`.
  std::vector<SpreadDomain> domains;  // By value.
};

// A change that would let the pod in, or what stands in the way of any.
struct Hint {
  std::string text;
  std::vector<std::string> nodes;  // That would be open then; may be empty.
};

// Nodes that are refused for the same rule.
struct CauseGroup {
  Cause::Kind kind = Cause::Kind::kOther;
  std::string_view plugin;
  std::string reason;
  std::string rule;
  std::string wants;
  std::vector<std::size_t> causes;  // In Explanation::causes.
  std::size_t nodes = 0;            // That have any of these causes.
  std::size_t first_for = 0;        // Of these, for which it is the verdict.
};

// What bears on where the pod may go, and was not looked at.
struct NotChecked {
  std::vector<std::string> plugins;  // That would have.
  std::string why;

  friend bool operator==(const NotChecked&, const NotChecked&) = default;
};

struct Explanation {
  // Of the pod that was asked about.
  ObjectKey pod;
  // Why the scheduler does not even look at the pod, in its words; empty: it
  // does. The rest says what would be then.
  std::string held_back;
  std::vector<std::string> checked;  // The filters that were asked.
  std::vector<NotChecked> not_checked;
  // As in the PodScheduled condition; empty if some node fits.
  std::string message;
  std::size_t fitting = 0;             // Nodes that fit.
  std::vector<NodeExplanation> nodes;  // By name, w2 before w10.
  std::vector<Cause> causes;
  std::vector<ScorePluginInfo> score_plugins;
  std::vector<SpreadState> spreads;
  std::vector<CauseGroup> groups;  // Most nodes first.
  std::vector<Hint> hints;         // If no node fits.

  // Whether the pod would be placed now, as far as it was checked.
  bool Fits() const { return fitting > 0 && held_back.empty(); }
};

}  // namespace vicinal

#endif  // VICINAL_CORE_EXPLAIN_EXPLANATION_H_
