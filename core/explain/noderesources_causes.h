// Why NodeResourcesFit refuses: which resource, and how much of it there is.
#ifndef VICINAL_CORE_EXPLAIN_NODERESOURCES_CAUSES_H_
#define VICINAL_CORE_EXPLAIN_NODERESOURCES_CAUSES_H_

#include <vector>

#include "core/explain/cause_finder.h"
#include "core/index/pod_info.h"
#include "core/model/kubernetes_release.h"
#include "core/model/resource.h"

namespace vicinal {

class NodeResourcesCauses : public CauseFinder {
 public:
  NodeResourcesCauses(const PodInfo& pod, const KubernetesRelease& release);

  // Cost: O(resources).
  std::vector<std::size_t> Find(const Refusal& refusal,
                                CauseList& causes) override;

 private:
  Resource request_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_EXPLAIN_NODERESOURCES_CAUSES_H_
