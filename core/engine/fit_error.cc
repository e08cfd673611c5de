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
  const auto fits_or_is_in_error = [](const Status& status) {
    return status.ok() || status.code() == Code::kError;
  };
  if (std::any_of(outcome.statuses.begin(), outcome.statuses.end(),
                  fits_or_is_in_error)) {
    return "";
  }
  std::string message =
      absl::StrCat("0/", outcome.statuses.size(), " nodes are available:");
  if (!outcome.pre_filter.ok()) {
    return absl::StrCat(message, " ", outcome.pre_filter.Message(), ".");
  }
  std::map<std::string_view, int> histogram;
  for (const Status& status : outcome.statuses) {
    for (const std::string_view reason : status.Reasons()) ++histogram[reason];
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
