// A cluster with what de-scheduling has to know of its pods in addition.
#ifndef VICINAL_SERVER_COMMANDS_DESCHEDULE_DESCHEDULE_CLUSTER_H_
#define VICINAL_SERVER_COMMANDS_DESCHEDULE_DESCHEDULE_CLUSTER_H_

#include <utility>
#include <variant>
#include <vector>

#include "core/deschedule/pod_facts.h"
#include "core/index/cluster_state.h"
#include "core/model/kubernetes_release.h"
#include "core/model/pod.h"
#include "core/simulate/cluster_receiver.h"

namespace vicinal {

struct DescheduleCluster {
  explicit DescheduleCluster(const KubernetesRelease& release = {})
      : state(release) {}

  ClusterState state;
  PodFactsMap facts;  // Of the finished pods too.
  std::vector<Pod> finished;

  // Loads what is read of a cluster. This must outlive it.
  ClusterReceiver Loader() {
    ClusterReceiver receiver;
    receiver.add = [this](Object object, const PodFacts& of_pod) {
      if (of_pod != PodFacts()) facts[KeyOf(MetaOf(object))] = of_pod;
      const Pod* const pod = std::get_if<Pod>(&object);
      if (pod != nullptr && IsFinished(*pod)) finished.push_back(*pod);
      state.Upsert(std::move(object));
    };
    receiver.with_pod_facts = true;
    return receiver;
  }
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_DESCHEDULE_DESCHEDULE_CLUSTER_H_
