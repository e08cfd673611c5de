#include "core/explain/replicas.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/engine/decide.h"
#include "core/explain/explain.h"
#include "core/model/natural_order.h"
#include "core/plugins/candidate_nodes.h"
#include "core/plugins/pod_claims.h"

namespace vicinal {
namespace {

// Where the scheduler would put the pod, of several the first by name; null if
// nowhere.
const NodeInfo* BestNode(const ReplicaQuestion& question,
                         const ClusterState& cluster) {
  const CandidateNodes nodes = AllNodes(cluster);
  const Decision decision = Decide(question.filters.profile, question.profile,
                                   cluster, question.pod, nodes);
  const NodeInfo* first = nullptr;
  for (const std::size_t i : decision.best) {
    if (first == nullptr || NaturalLess(nodes[i]->Name(), first->Name())) {
      first = nodes[i];
    }
  }
  return first;
}

}  // namespace

ReplicaAnswer PlaceReplicas(const ReplicaQuestion& question, std::size_t asked,
                            ClusterState& cluster, ClusterExtras& extras) {
  ReplicaAnswer answer;
  answer.asked = asked;
  std::vector<ObjectKey> placed;
  std::vector<std::pair<std::string, std::string>> claims;
  while (answer.placed < asked) {
    const NodeInfo* node = BestNode(question, cluster);
    if (node == nullptr) {
      const ExplainExtras with{question.extras, extras, question.filters};
      answer.next = Explain(cluster, question.profile, question.config,
                            question.pod, question.path_prefix, &with);
      break;
    }
    Pod replica = question.pod.pod;
    // No pod of an API server has such a name.
    replica.meta.name = absl::StrCat("(replica ", ++answer.placed, ")");
    replica.spec.node_name = node->name;
    for (const PodVolume& volume : question.extras.volumes) {
      if (!volume.ephemeral) continue;
      // Each has a claim of its own.
      PersistentVolumeClaim claim = *volume.ephemeral;
      claim.name = ClaimName(replica.meta.name, volume);
      claim.namespace_name = replica.meta.namespace_name;
      claims.emplace_back(claim.namespace_name, claim.name);
      extras.storage.claims[claims.back()] = std::move(claim);
    }
    placed.push_back(KeyOf(replica.meta));
    extras.pods[placed.back()] = question.extras;
    cluster.Upsert(std::move(replica));
  }
  for (const ObjectKey& key : placed) {
    cluster.Remove<Pod>(key);
    extras.pods.erase(key);
  }
  for (const auto& claim : claims) extras.storage.claims.erase(claim);
  return answer;
}

}  // namespace vicinal
