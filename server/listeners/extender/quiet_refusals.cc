#include "server/listeners/extender/quiet_refusals.h"

#include <algorithm>
#include <iterator>

namespace vicinal {

void MakeQuiet(std::string_view nominated, ExtenderFilterResult& result) {
  using FailedNode = ExtenderFilterResult::FailedNode;
  auto& failed = result.failed_nodes;
  const auto moved = std::stable_partition(
      failed.begin(), failed.end(), [nominated](const FailedNode& node) {
        return !nominated.empty() && node.name == nominated;
      });
  std::move(moved, failed.end(),
            std::back_inserter(result.failed_and_unresolvable_nodes));
  failed.erase(moved, failed.end());
}

}  // namespace vicinal
