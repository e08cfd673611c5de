// What an extender answers the scheduler, as JSON.
// Source: k8s.io/kube-scheduler/extender/v1/types.go.
#ifndef VICINAL_SERVER_LISTENERS_EXTENDER_EXTENDER_RESULT_H_
#define VICINAL_SERVER_LISTENERS_EXTENDER_EXTENDER_RESULT_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace vicinal {

// The answer to filter. Every node of the question is in one of the lists: the
// scheduler takes one that is missing for unresolvable, without a reason.
struct ExtenderFilterResult {
  struct FailedNode {
    std::string_view name;
    std::string_view reason;
  };

  std::vector<std::string_view> node_names;  // Those that fit.
  std::vector<FailedNode> failed_nodes;      // Unschedulable.
  std::vector<FailedNode> failed_and_unresolvable_nodes;
  // Not empty: the question could not be answered; the scheduling attempt fails
  // with this error.
  std::string error;
  // Where reasons may live that are not constants.
  std::deque<std::string> reasons;
};

std::string ToJson(const ExtenderFilterResult& result);

// The answer to prioritize.
struct HostPriority {
  std::string_view host;
  std::int64_t score = 0;
};

std::string ToJson(const std::vector<HostPriority>& priorities);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_EXTENDER_EXTENDER_RESULT_H_
