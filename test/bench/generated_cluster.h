// A large cluster of Deployment-, StatefulSet- and Job-shaped pods, made object
// by object from its number, so that nothing of it need be kept.
#ifndef VICINAL_TEST_BENCH_GENERATED_CLUSTER_H_
#define VICINAL_TEST_BENCH_GENERATED_CLUSTER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/model/node.h"
#include "core/model/pod.h"
#include "core/model/workload.h"

namespace vicinal {

// Pods come in workloads of kPodsPerWorkload. Of 20 workloads 12 are
// Deployments, 4 StatefulSets and 4 Jobs; of those, 2 carry required
// anti-affinity by host, 2 preferred anti-affinity by zone, 1 required affinity
// to another workload by zone and 2 a topology spread by zone. Cost of each
// object: O(1). Thread-safe.
class GeneratedCluster {
 public:
  static constexpr std::int64_t kPodsPerWorkload = 40;
  static constexpr std::int64_t kNamespaces = 500;
  static constexpr std::int64_t kZones = 12;

  // `images` is how many images each node reports.
  GeneratedCluster(std::int64_t nodes, std::int64_t pods, std::int64_t images)
      : nodes_(nodes), pods_(pods), images_(images) {}

  std::int64_t nodes() const { return nodes_; }
  std::int64_t pods() const { return pods_; }

  Namespace NamespaceAt(std::int64_t index) const;
  Node NodeAt(std::int64_t index) const;
  // The running pod of this number. Numbers from pods() on are further
  // workloads.
  Pod PodAt(std::int64_t index) const;
  // As that pod stands in the queue, not yet on a node.
  Pod PendingPodAt(std::int64_t index) const;

  // A pod of an existing Deployment with required affinity to another workload
  // by zone, required anti-affinity by host, preferred anti-affinity by zone
  // and host, and topology spread by zone and host, hard and soft.
  Pod EverythingPod(std::int64_t index) const;

 private:
  std::int64_t nodes_;
  std::int64_t pods_;
  std::int64_t images_;
};

}  // namespace vicinal

#endif  // VICINAL_TEST_BENCH_GENERATED_CLUSTER_H_
