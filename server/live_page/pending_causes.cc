#include "server/live_page/pending_causes.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/explain/describe.h"
#include "core/explain/explain.h"
#include "core/index/pod_info.h"
#include "core/model/pod_rules.h"

namespace vicinal {
namespace {

constexpr std::size_t kMostReasons = 6;
constexpr std::size_t kMostHints = 3;

}  // namespace

void AddCauses(const ClusterState& cluster, const ProfileOf& profile_of,
               const Pod& pod, PicturePending& pending) {
  pending.explained = true;
  const SchedulerProfile* const profile = profile_of(pod.spec.scheduler_name);
  if (profile == nullptr) {
    pending.message =
        absl::StrCat("waits for the scheduler \"", pod.spec.scheduler_name,
                     "\", of which vicinal's configuration has no profile");
    return;
  }
  if (const absl::Status size = CheckRules(pod); !size.ok()) {
    pending.message = std::string(size.message());
    return;
  }
  const Explanation explanation =
      Explain(cluster, profile->explain, profile->plugin_config, PodInfo(pod));
  pending.message =
      explanation.fitting == 0
          ? explanation.message
          : absl::StrCat("fits on ", Counted(explanation.fitting, "node"),
                         " now, and waits for the scheduler");
  const std::size_t reasons = std::min(explanation.groups.size(), kMostReasons);
  pending.more_reasons = explanation.groups.size() - reasons;
  for (std::size_t i = 0; i < reasons; ++i) {
    const CauseGroup& group = explanation.groups[i];
    PicturePending::Reason& reason = pending.reasons.emplace_back();
    reason.title = absl::StrCat(std::string(group.plugin), ", ", group.reason);
    reason.text = "the pod " + group.wants;
    if (!group.rule.empty()) reason.text += " (" + group.rule + ")";
    reason.nodes = group.nodes;
  }
  for (const Hint& hint : explanation.hints) {
    if (pending.hints.size() == kMostHints) break;
    pending.hints.push_back(hint.text);
  }
}

}  // namespace vicinal
