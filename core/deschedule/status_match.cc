#include "core/deschedule/status_match.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"

namespace vicinal {
namespace {

using Kind = ContainerFacts::Kind;

bool Has(const std::vector<std::string>& list, const std::string& value) {
  return std::ranges::count(list, value) > 0;
}

bool IsLookedAt(const Strategy& strategy, const ContainerFacts& container) {
  switch (container.kind) {
    case Kind::kMain:
      return true;
    case Kind::kInit:
      return strategy.including_init_containers;
    case Kind::kEphemeral:
      return strategy.including_ephemeral_containers;
  }
  return false;
}

bool HasOwnerOf(const ObjectMeta& meta, const std::vector<std::string>& kinds) {
  return std::ranges::any_of(
      meta.owner_references,
      [&kinds](const OwnerReference& owner) { return Has(kinds, owner.kind); });
}

// Which of the exit codes a container has ended with. Those of ephemeral ones
// are not looked at.
std::optional<std::int64_t> ExitCodeOf(const Strategy& strategy,
                                       const PodStatusFacts& status) {
  for (const ContainerFacts& container : status.containers) {
    if (container.kind != Kind::kEphemeral && container.exit_code &&
        IsLookedAt(strategy, container) &&
        std::ranges::count(strategy.exit_codes, *container.exit_code) > 0) {
      return container.exit_code;
    }
  }
  return std::nullopt;
}

// Which of the wanted words is the phase, or a reason of the pod or of one of
// the containers that are looked at. Empty if none is.
std::string StateOf(const Strategy& strategy,
                    const std::vector<std::string>& wanted,
                    const PodStatusFacts& status, bool terminated) {
  if (Has(wanted, status.phase)) return status.phase;
  if (terminated && Has(wanted, status.reason)) return status.reason;
  for (const ContainerFacts& container : status.containers) {
    if (!IsLookedAt(strategy, container)) continue;
    if (Has(wanted, container.waiting_reason)) return container.waiting_reason;
    if (terminated && Has(wanted, container.terminated_reason)) {
      return container.terminated_reason;
    }
  }
  return "";
}

std::optional<StatusMatch> ByRestarts(const Strategy& strategy,
                                      const PodStatusFacts& status) {
  std::int64_t restarts = 0;
  for (const ContainerFacts& container : status.containers) {
    if (container.kind != Kind::kEphemeral && IsLookedAt(strategy, container)) {
      restarts += container.restarts;
    }
  }
  if (restarts < strategy.restart_threshold) return std::nullopt;
  std::string state;
  if (!strategy.states.empty()) {
    state = StateOf(strategy, strategy.states, status, false);
    if (state.empty()) return std::nullopt;
  }
  return StatusMatch{absl::StrCat("its containers have restarted ", restarts,
                                  " times, podRestartThreshold is ",
                                  strategy.restart_threshold,
                                  state.empty() ? "" : "; it is ", state),
                     -restarts};
}

bool MatchesAny(const std::vector<ConditionFilter>& filters,
                const ConditionFacts& condition, std::int64_t now) {
  return std::ranges::any_of(filters, [&](const ConditionFilter& filter) {
    return (filter.type.empty() || filter.type == condition.type) &&
           (filter.status.empty() || filter.status == condition.status) &&
           (filter.reason.empty() || filter.reason == condition.reason) &&
           (!filter.min_seconds_since ||
            (condition.last_transition && now >= *condition.last_transition &&
             now - *condition.last_transition >= *filter.min_seconds_since));
  });
}

std::optional<StatusMatch> ByLifeTime(const Strategy& strategy,
                                      const ObjectMeta& meta,
                                      const PodStatusFacts& status,
                                      std::int64_t now) {
  std::vector<std::string> reasons;
  if (strategy.max_age_seconds) {
    if (!status.creation_time) return std::nullopt;
    const std::int64_t age = now - *status.creation_time;
    if (age < 0 || age <= *strategy.max_age_seconds) return std::nullopt;
    reasons.push_back(absl::StrCat("it is ", age,
                                   " seconds old, maxPodLifeTimeSeconds is ",
                                   *strategy.max_age_seconds));
  }
  if (!strategy.states.empty()) {
    const std::string state = StateOf(strategy, strategy.states, status, true);
    if (state.empty()) return std::nullopt;
    reasons.push_back("its state is " + state);
  }
  if (!strategy.include_owner_kinds.empty() &&
      !HasOwnerOf(meta, strategy.include_owner_kinds)) {
    return std::nullopt;
  }
  if (!strategy.conditions.empty()) {
    const auto matching = std::ranges::find_if(
        status.conditions, [&](const ConditionFacts& condition) {
          return MatchesAny(strategy.conditions, condition, now);
        });
    if (matching == status.conditions.end()) return std::nullopt;
    reasons.push_back(
        absl::StrCat("its condition ", matching->type, " is ", matching->status,
                     matching->reason.empty() ? "" : " (", matching->reason,
                     matching->reason.empty() ? "" : ")"));
  }
  if (!strategy.exit_codes.empty()) {
    const std::optional<std::int64_t> code = ExitCodeOf(strategy, status);
    if (!code) return std::nullopt;
    reasons.push_back(absl::StrCat("a container has ended with ", *code));
  }
  StatusMatch match;
  for (const std::string& reason : reasons) {
    absl::StrAppend(&match.reason, match.reason.empty() ? "" : "; ", reason);
  }
  match.rank = status.creation_time.value_or(0);
  return match;
}

std::optional<StatusMatch> ByFailure(const Strategy& strategy,
                                     const PodStatusFacts& status,
                                     std::int64_t now) {
  if (status.phase != "Failed" || !status.creation_time ||
      now - *status.creation_time < strategy.min_age_seconds) {
    return std::nullopt;
  }
  std::string text = "it has failed";
  if (!strategy.reasons.empty()) {
    PodStatusFacts reasons = status;
    reasons.phase.clear();
    const std::string reason =
        StateOf(strategy, strategy.reasons, reasons, true);
    if (reason.empty()) return std::nullopt;
    absl::StrAppend(&text, ": ", reason);
  } else if (!status.reason.empty()) {
    absl::StrAppend(&text, ": ", status.reason);
  }
  if (!strategy.exit_codes.empty()) {
    const std::optional<std::int64_t> code = ExitCodeOf(strategy, status);
    if (!code) return std::nullopt;
    absl::StrAppend(&text, "; a container has ended with ", *code);
  }
  return StatusMatch{text, *status.creation_time};
}

}  // namespace

std::optional<StatusMatch> MatchStatus(const Strategy& strategy,
                                       const ObjectMeta& meta,
                                       const PodStatusFacts& status,
                                       std::int64_t now) {
  if (HasOwnerOf(meta, strategy.exclude_owner_kinds)) return std::nullopt;
  switch (strategy.kind) {
    case StrategyKind::kTooManyRestarts:
      return ByRestarts(strategy, status);
    case StrategyKind::kPodLifeTime:
      return ByLifeTime(strategy, meta, status, now);
    case StrategyKind::kFailedPods:
      return ByFailure(strategy, status, now);
    default:
      return std::nullopt;
  }
}

}  // namespace vicinal
