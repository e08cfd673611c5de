#include "server/commands/replay/compare.h"

#include <map>

#include "absl/strings/str_cat.h"

namespace vicinal {
namespace {

// What decides between the two: plugins that give them different points.
std::string ByPlugin(const v1::ExplainedNode& best,
                     const v1::ExplainedNode& recorded) {
  std::map<std::string, std::int64_t> more;
  for (const v1::ExplainedScore& score : best.scores()) {
    more[score.plugin()] += score.weight() * score.normalized();
  }
  for (const v1::ExplainedScore& score : recorded.scores()) {
    more[score.plugin()] -= score.weight() * score.normalized();
  }
  std::string text;
  for (const auto& [plugin, points] : more) {
    if (points == 0) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", plugin,
                    points > 0 ? " +" : " ", points);
  }
  return text.empty() ? "scores" : text;
}

}  // namespace

Comparison Compare(const DecisionRecord& recorded,
                   const v1::Explanation& explanation) {
  const v1::ExplainedNode* before = nullptr;
  const v1::ExplainedNode* best = nullptr;
  for (const v1::ExplainedNode& node : explanation.nodes()) {
    if (node.name() == recorded.node) before = &node;
    if (node.fits() && (best == nullptr || node.score() > best->score())) {
      best = &node;
    }
  }
  Comparison comparison;
  if (before != nullptr && before->fits()) {
    comparison.recorded_total = before->score();
    if (before->score() == best->score()) best = before;
  }
  if (best != nullptr) {
    comparison.node = best->name();
    comparison.total = best->score();
  }
  comparison.equal = comparison.node == recorded.node;
  if (comparison.equal) return comparison;
  if (best == nullptr) {
    comparison.why = explanation.message();
  } else if (recorded.node.empty()) {
    comparison.why = absl::StrCat(explanation.nodes_fitting(), " of ",
                                  explanation.nodes_total(), " nodes fit");
  } else if (before == nullptr) {
    comparison.why = recorded.node + " is not there";
  } else if (!before->fits()) {
    comparison.why = absl::StrCat(recorded.node, ": ", before->plugin(), ": ",
                                  before->reason());
  } else {
    comparison.why = ByPlugin(*best, *before);
  }
  return comparison;
}

}  // namespace vicinal
