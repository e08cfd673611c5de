// Which pods may be evicted at all.
//
// Source: sigs.k8s.io/descheduler
// pkg/framework/plugins/defaultevictor/{defaultevictor,constraints}.go.
#ifndef VICINAL_CORE_DESCHEDULE_EVICTABILITY_H_
#define VICINAL_CORE_DESCHEDULE_EVICTABILITY_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "core/deschedule/pod_facts.h"
#include "core/deschedule/policy.h"
#include "core/index/cluster_state.h"
#include "core/model/pod.h"

namespace vicinal {

// Immutable; the cluster may change its pods meanwhile.
class Evictability {
 public:
  // `now` in seconds since 1970. `facts` must outlive this. Cost: O(pods).
  Evictability(const ClusterState& cluster, const PodFactsMap& facts,
               std::int64_t now);

  PodFacts FactsOf(const ObjectKey& pod) const;

  // Why the pod may not be evicted; empty if it may.
  //
  // Differs from upstream in one thing: the annotation
  // descheduler.alpha.kubernetes.io/evict, which lifts all other protections,
  // does not make mirror, static and terminating pods evictable.
  std::string WhyNot(const ClusterState& cluster, const Pod& pod,
                     const EvictorArgs& args) const;

 private:
  const PodFactsMap& facts_;
  const std::int64_t now_;
  absl::flat_hash_map<std::string, std::int64_t> pods_of_owner_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_EVICTABILITY_H_
