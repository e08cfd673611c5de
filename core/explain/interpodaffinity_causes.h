// Why InterPodAffinity refuses: which rule of which pod, and which pods.
#ifndef VICINAL_CORE_EXPLAIN_INTERPODAFFINITY_CAUSES_H_
#define VICINAL_CORE_EXPLAIN_INTERPODAFFINITY_CAUSES_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/explain/cause_finder.h"
#include "core/explain/explanation.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/index/stored_pod.h"
#include "core/model/pod.h"

namespace vicinal {

class InterPodAffinityCauses : public CauseFinder {
 public:
  // Cost: O(pods of the cluster × terms of the pod), and for pods that carry
  // terms about the pod, O(those terms).
  InterPodAffinityCauses(const ClusterState& cluster, const PodInfo& pod);

  std::vector<std::size_t> Find(const Refusal& refusal,
                                CauseList& causes) override;

 private:
  // Pods that a term is about, by the values of its topology key. Pods on
  // nodes without the key are not in it.
  using PodsByDomain = std::map<std::string, std::vector<PodReference>>;

  struct Term {
    AffinityTerm written;
    AffinityTerm merged;
    std::string rule;
    PodsByDomain pods;
  };

  void CollectExisting(const ClusterState& cluster);
  // Whether all terms of the pod's affinity are about one existing pod.
  bool IsAboutAll(const StoredPod& pod) const;
  bool IsAboutAll(const Pod& pod) const;
  void FindAffinity(const Refusal& refusal, CauseList& causes,
                    std::vector<std::size_t>& found);
  void FindAntiAffinity(const Refusal& refusal, CauseList& causes,
                        std::vector<std::size_t>& found);
  void FindExistingAntiAffinity(const Refusal& refusal, CauseList& causes,
                                std::vector<std::size_t>& found);
  bool AreAvoided(const std::vector<PodReference>& pods,
                  const NodeInfo& node) const;
  std::string NobodyNear(const Term& term) const;

  const ClusterState& cluster_;
  const PodInfo& pod_;
  std::vector<Term> affinity_;
  std::vector<Term> anti_affinity_;
  // By topology key: the pods that keep this one out of a domain.
  std::map<std::string, PodsByDomain> existing_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_EXPLAIN_INTERPODAFFINITY_CAUSES_H_
