// Who is told of the objects of a cluster, whatever they are read from.
#ifndef VICINAL_CORE_SIMULATE_CLUSTER_RECEIVER_H_
#define VICINAL_CORE_SIMULATE_CLUSTER_RECEIVER_H_

#include <simdjson.h>

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "core/deschedule/pod_facts.h"
#include "core/model/json_path.h"
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
  // Each object of any kind with its text, before `add`: for what Object does
  // not have. Items of an API server's lists do not say their type, which is
  // `type`. An error ends the reading. Null: nobody wants it.
  std::function<absl::Status(const TypeMeta& type, const JsonPath& path,
                             simdjson::padded_string_view json)>
      text = nullptr;
  // Null: workloads are not read as such. ReplicaSets and their like are given
  // to `add` too; without a template they are known by their selectors only.
  std::function<void(Workload workload)> add_workload = nullptr;
  // What is left out, and why: workloads that cannot be simulated or listed.
  // Set if add_workload is.
  std::function<void(std::string note)> note = nullptr;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_CLUSTER_RECEIVER_H_
