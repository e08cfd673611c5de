#include "core/model/did_you_mean.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace vicinal {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return lower;
}

}  // namespace

// Optimal string alignment: three rows of the usual table.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string DidYouMean(std::string_view text,
                       const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t limit = std::max<std::size_t>(2, text.size() / 3);
  const std::string lower = Lower(text);
  for (const std::string& candidate : candidates) {
    const std::size_t edits = EditDistance(lower, Lower(candidate));
    // A short name must share something with what it is taken for.
    if (edits > limit || edits >= std::max(text.size(), candidate.size())) {
      continue;
    }
    if (best.empty() || edits < limit) best = candidate;
    limit = edits;
  }
  return best;
}

}  // namespace vicinal
