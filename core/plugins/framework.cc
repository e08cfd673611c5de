#include "core/plugins/framework.h"

#include <algorithm>

namespace vicinal {

void PreparedFilter::FilterNodes(const CandidateNodes& nodes,
                                 NodeStatuses& statuses) const {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!statuses.ok(i)) continue;
    Status status = Filter(*nodes[i]);
    if (!status.ok()) statuses.Set(i, statuses.Add(std::move(status)));
  }
}

void PreparedScore::ScoreNodes(const CandidateNodes& nodes,
                               std::span<std::int64_t> scores) const {
  for (std::size_t i = 0; i < nodes.size(); ++i) scores[i] = Score(*nodes[i]);
}

void DefaultNormalizeScore(bool reverse, std::span<std::int64_t> scores) {
  std::int64_t largest = 0;
  for (const std::int64_t score : scores) largest = std::max(largest, score);
  for (std::int64_t& score : scores) {
    if (largest != 0) score = kMaxNodeScore * score / largest;
    if (reverse) score = kMaxNodeScore - score;
  }
}

}  // namespace vicinal
