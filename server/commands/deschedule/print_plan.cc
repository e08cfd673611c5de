#include "server/commands/deschedule/print_plan.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"

namespace vicinal {
namespace {

std::string NameOf(const ObjectKey& key) {
  return absl::StrCat(key.namespace_name, "/", key.name);
}

nlohmann::ordered_json ToJson(const ClusterCost& cost) {
  return {{"hardViolations", cost.hard_violations},
          {"podsToReplace", cost.to_replace},
          {"skew", cost.skew},
          {"utilization", cost.utilization},
          {"softScore", -cost.soft}};
}

using Row = std::vector<std::string>;

// Columns as wide as their widest text; the last one is not padded.
void PrintRows(const std::vector<Row>& rows, std::ostream& out) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  for (const Row& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      out << row[i] << std::string(widths[i] - row[i].size() + 3, ' ');
    }
    out << row.back() << "\n";
  }
}

std::string Counted(std::size_t count, std::string_view noun) {
  return absl::StrCat(count, " ", std::string(noun), count == 1 ? "" : "s");
}

}  // namespace

void PrintTable(const Policy& policy, const Plan& plan, std::ostream& out) {
  if (!policy.skipped.empty()) {
    std::vector<Row> rows = {{"SKIPPED STRATEGY", "PROFILE", "REASON"}};
    for (const SkippedStrategy& skipped : policy.skipped) {
      rows.push_back({skipped.name, skipped.profile, skipped.reason});
    }
    PrintRows(rows, out);
    out << "\n";
  }
  if (!plan.evictions.empty()) {
    std::vector<Row> rows = {
        {"POD", "NODE", "EXPECTED NODE", "STRATEGY", "REASON"}};
    for (const PlannedEviction& eviction : plan.evictions) {
      rows.push_back({NameOf(eviction.pod), eviction.node,
                      eviction.IsOfFinishedPod() ? "-" : eviction.destination,
                      std::string(NameOf(eviction.strategy)), eviction.reason});
    }
    PrintRows(rows, out);
    out << "\n";
  }
  if (!plan.kept.empty()) {
    std::vector<Row> rows = {{"KEPT POD", "NODE", "STRATEGY", "REASON"}};
    for (const KeptPod& kept : plan.kept) {
      rows.push_back({NameOf(kept.pod), kept.node,
                      std::string(NameOf(kept.strategy)), kept.reason});
    }
    PrintRows(rows, out);
    out << "\n";
  }
  out << Counted(plan.evictions.size(), "eviction")
      << ". Broken hard rules: " << plan.before.hard_violations << " -> "
      << plan.after.hard_violations;
  if (plan.before.to_replace > 0) {
    out << ", pods to replace: " << plan.before.to_replace << " -> "
        << plan.after.to_replace;
  }
  out << ", skew: " << plan.before.skew << " -> " << plan.after.skew
      << ", soft score: " << -plan.before.soft << " -> " << -plan.after.soft
      << "\n";
}

void PrintJson(const Policy& policy, const Plan& plan, std::ostream& out) {
  nlohmann::ordered_json skipped = nlohmann::ordered_json::array();
  for (const SkippedStrategy& strategy : policy.skipped) {
    skipped.push_back({{"profile", strategy.profile},
                       {"strategy", strategy.name},
                       {"reason", strategy.reason}});
  }
  nlohmann::ordered_json evictions = nlohmann::ordered_json::array();
  for (const PlannedEviction& eviction : plan.evictions) {
    evictions.push_back(
        {{"pod", NameOf(eviction.pod)},
         {"node", eviction.node},
         {"destination", eviction.IsOfFinishedPod()
                             ? nlohmann::ordered_json()
                             : nlohmann::ordered_json(eviction.destination)},
         {"strategy", NameOf(eviction.strategy)},
         {"reason", eviction.reason}});
  }
  nlohmann::ordered_json kept = nlohmann::ordered_json::array();
  for (const KeptPod& pod : plan.kept) {
    kept.push_back({{"pod", NameOf(pod.pod)},
                    {"node", pod.node},
                    {"strategy", NameOf(pod.strategy)},
                    {"reason", pod.reason}});
  }
  const nlohmann::ordered_json json = {{"skipped", std::move(skipped)},
                                       {"evictions", std::move(evictions)},
                                       {"kept", std::move(kept)},
                                       {"before", ToJson(plan.before)},
                                       {"after", ToJson(plan.after)}};
  out << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
      << "\n";
}

}  // namespace vicinal
