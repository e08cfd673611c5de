// Who is told of the objects of a cluster, whatever they are read from.
#ifndef VICINAL_CORE_SIMULATE_CLUSTER_RECEIVER_H_
#define VICINAL_CORE_SIMULATE_CLUSTER_RECEIVER_H_

#include <functional>
#include <string>
#include <string_view>

#include "core/deschedule/pod_facts.h"
#include "core/model/object.h"
#include "core/model/object_list.h"
#include "core/simulate/simulated_workload.h"

namespace vicinal {

struct ClusterReceiver {
  // Each object of a kind that Object has. `facts` are those of a PodFacts()
  // unless the object is a pod and with_pod_facts is set, which takes a third
  // of the time more.
  std::function<void(Object object, const PodFacts& facts)> add;
  bool with_pod_facts = false;
  // Null: workloads are not read as such. ReplicaSets and their like are given
  // to `add` too; without a template they are known by their selectors only.
  std::function<void(Workload workload)> add_workload = nullptr;
  // What is left out, and why: workloads that cannot be simulated or listed.
  // Set if add_workload is.
  std::function<void(std::string note)> note = nullptr;
  // Null, or told of each object's text before it is read. Items of an API
  // server's lists do not say their type, which is `type`.
  std::function<void(const TypeMeta& type, std::string_view json)> text =
      nullptr;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_CLUSTER_RECEIVER_H_
