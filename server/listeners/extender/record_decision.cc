#include "server/listeners/extender/record_decision.h"

#include <chrono>
#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "core/engine/fit_error.h"

namespace vicinal {
namespace {

using Outcome = DecisionRecord::Outcome;

// There is no node: why.
void RecordNone(Outcome outcome, std::string_view reason,
                DecisionRecord& record) {
  record.outcome = outcome;
  record.reason = reason;
  record.best = 0;
  record.runner_up.clear();
  record.scores.clear();
}

}  // namespace

void RecordChoice(const Decision& decision, const Candidates& candidates,
                  std::size_t chosen, DecisionRecord& record) {
  record.fitting = decision.feasible.size();
  const std::vector<std::int64_t>& totals = decision.scored.totals;
  if (totals.empty()) return;
  std::size_t node = 0;
  std::optional<std::size_t> runner_up;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (decision.feasible[i] == chosen) {
      node = i;
    } else if (!runner_up || totals[i] > totals[*runner_up]) {
      runner_up = i;
    }
  }
  record.best = decision.best.size();
  record.node_total = totals[node];
  if (!runner_up) return;
  record.runner_up = candidates.names[decision.feasible[*runner_up]];
  record.runner_up_total = totals[*runner_up];
  record.scores.reserve(decision.scored.plugins.size());
  for (const PluginScores& scores : decision.scored.plugins) {
    record.scores.push_back({std::string(scores.plugin), scores.weight,
                             scores.normalized[node],
                             scores.normalized[*runner_up]});
  }
}

std::string WhyNone(const FilterOutcome& outcome,
                    const Candidates& candidates) {
  std::string reason;
  if (!candidates.names.empty()) reason = FitErrorMessage(outcome);
  const auto add = [&reason](std::size_t nodes, std::string_view why) {
    if (nodes == 0) return;
    absl::StrAppend(&reason, reason.empty() ? "" : " ", nodes,
                    " node(s): ", std::string(why), ".");
  };
  add(candidates.full.size(), "no room beside the pods in flight");
  add(candidates.unknown.size(), kReasonUnknownNode);
  return reason.empty() ? "no node was asked about" : reason;
}

void RecordAnswer(const ExtenderArgs& args,
                  const absl::StatusOr<ExtenderFilterResult>& result,
                  DecisionRecord& record) {
  record.time = std::chrono::time_point_cast<std::chrono::milliseconds>(
      std::chrono::system_clock::now());
  record.namespace_name = args.pod.meta.namespace_name;
  record.name = args.pod.meta.name;
  record.uid = args.pod.meta.uid;
  record.scheduler = args.pod.spec.scheduler_name;
  record.candidates = args.node_names.size();
  if (!result.ok()) {
    const std::string message(result.status().message());
    return RecordNone(Outcome::kError, message, record);
  }
  if (!result->error.empty()) {
    return RecordNone(Outcome::kError, result->error, record);
  }
  if (result->node_names.size() == 1) {
    record.outcome = Outcome::kNode;
    record.node = result->node_names[0];
  } else if (!result->node_names.empty()) {
    record.outcome = Outcome::kSeveral;
  } else if (record.reason.empty() &&
             !result->failed_and_unresolvable_nodes.empty()) {
    // All nodes were refused at once.
    const ExtenderFilterResult::FailedNode& failed =
        result->failed_and_unresolvable_nodes[0];
    RecordNone(Outcome::kNone, failed.reason, record);
  }
}

}  // namespace vicinal
