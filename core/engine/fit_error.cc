#include "core/engine/fit_error.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace vicinal {

std::string FitErrorMessage(const FilterOutcome& outcome) {
  // Upstream does not even look at the pod then.
  if (outcome.statuses.empty()) return "no nodes available to schedule pods";
  // Of each distinct status, how many nodes have it.
  const NodeStatuses& statuses = outcome.statuses;
  std::vector<int> nodes(statuses.distinct().size(), 0);
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    ++nodes[statuses.id(i)];
    if (statuses.ok(i) || statuses[i].code() == Code::kError) return "";
  }
  std::string message =
      absl::StrCat("0/", outcome.statuses.size(), " nodes are available:");
  if (!outcome.pre_filter.ok()) {
    return absl::StrCat(message, " ", outcome.pre_filter.Message(), ".");
  }
  std::map<std::string_view, int> histogram;
  for (std::size_t id = 0; id < nodes.size(); ++id) {
    if (nodes[id] == 0) continue;
    for (const std::string_view reason : statuses.distinct()[id].Reasons()) {
      histogram[reason] += nodes[id];
    }
  }
  std::vector<std::string> counted;
  for (const auto& [reason, count] : histogram) {
    counted.push_back(absl::StrCat(count, " ", std::string(reason)));
  }
  // By the text, so that 10 comes before 2.
  std::sort(counted.begin(), counted.end());
  if (!counted.empty()) {
    absl::StrAppend(&message, " ", absl::StrJoin(counted, ", "), ".");
  }
  return message;
}

}  // namespace vicinal
