// The pod templates in use.
#ifndef VICINAL_CORE_INDEX_POD_TEMPLATES_H_
#define VICINAL_CORE_INDEX_POD_TEMPLATES_H_

#include <cstddef>
#include <memory>

#include "absl/container/flat_hash_set.h"
#include "core/index/pod_template.h"
#include "core/index/topology_index.h"
#include "core/model/kubernetes_release.h"
#include "core/model/pod.h"

namespace vicinal {

// Not thread-safe.
class PodTemplates {
 public:
  // The terms of the templates are carried in `index`, which must outlive this.
  PodTemplates(TopologyIndex& index, const KubernetesRelease& release)
      : index_(index), release_(release) {}
  PodTemplates(const PodTemplates&) = delete;
  PodTemplates& operator=(const PodTemplates&) = delete;

  // The template that is equal to `pod`, which has had its own fields taken.
  // Each Acquire needs a Release, when the pod is in none of the index's groups
  // any more. Cost: O(pod).
  PodTemplate* Acquire(Pod&& pod);
  void Release(PodTemplate* used);

  std::size_t size() const { return templates_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Pod& pod) const { return HashOfTemplate(pod); }
    std::size_t operator()(const std::unique_ptr<PodTemplate>& used) const {
      return HashOfTemplate(used->pod);
    }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const std::unique_ptr<PodTemplate>& a,
                    const std::unique_ptr<PodTemplate>& b) const {
      return a == b;
    }
    bool operator()(const std::unique_ptr<PodTemplate>& used,
                    const Pod& pod) const {
      return used->pod == pod;
    }
  };

  TopologyIndex& index_;
  const KubernetesRelease release_;
  absl::flat_hash_set<std::unique_ptr<PodTemplate>, Hash, Equal> templates_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_POD_TEMPLATES_H_
