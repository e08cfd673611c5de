#include "core/plugins/framework.h"

#include <algorithm>

namespace vicinal {

void DefaultNormalizeScore(bool reverse, std::span<std::int64_t> scores) {
  std::int64_t largest = 0;
  for (const std::int64_t score : scores) largest = std::max(largest, score);
  for (std::int64_t& score : scores) {
    if (largest != 0) score = kMaxNodeScore * score / largest;
    if (reverse) score = kMaxNodeScore - score;
  }
}

}  // namespace vicinal
