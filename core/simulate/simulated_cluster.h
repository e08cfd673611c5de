// The simulated cluster: its objects, its workloads, and which pods wait.
//
// It keeps the books and draws no conclusions: the controllers make and delete
// pods (controllers.h), the scheduler places them (scheduler.h).
#ifndef VICINAL_CORE_SIMULATE_SIMULATED_CLUSTER_H_
#define VICINAL_CORE_SIMULATE_SIMULATED_CLUSTER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/deschedule/pod_facts.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/model/kubernetes_release.h"
#include "core/model/labels.h"
#include "core/model/node.h"
#include "core/model/object.h"
#include "core/model/taint.h"
#include "core/simulate/cluster_receiver.h"
#include "core/simulate/scheduling_queue.h"
#include "core/simulate/simulated_workload.h"

namespace vicinal {

// A controller: a workload, or the Node of a static pod, or a kind that is not
// known.
struct OwnerKey {
  std::string kind;
  std::string namespace_name;
  std::string name;

  friend bool operator==(const OwnerKey&, const OwnerKey&) = default;
  friend auto operator<=>(const OwnerKey&, const OwnerKey&) = default;
};

OwnerKey KeyOf(const Workload& workload);

// The controller of an object, if it has one.
std::optional<OwnerKey> OwnerOf(const ObjectMeta& meta);

struct SimulatedPod {
  std::string node;  // Empty: pending.
  // Whose pod it is; absent: nobody replaces it.
  std::optional<OwnerKey> owner;
  std::int64_t created = 0;  // Later pods have larger numbers.
  PodFacts facts;
  // Only of pending pods: the pod itself, and why the scheduler left it.
  std::shared_ptr<const PodInfo> pending;
  std::string message;
};

// Where a pod was before the simulation.
struct Origin {
  bool existed = false;
  std::string node;  // Empty: it was pending.
  std::optional<OwnerKey> owner;
};

// What of a node rules look at.
struct NodeBefore {
  Labels labels;
  std::vector<Taint> taints;
};

class SimulatedCluster {
 public:
  // The seed names the pods; `release` is the scheduler's.
  explicit SimulatedCluster(std::uint64_t seed,
                            const KubernetesRelease& release = {})
      : cluster_(release), random_(seed) {}
  SimulatedCluster(const SimulatedCluster&) = delete;
  SimulatedCluster& operator=(const SimulatedCluster&) = delete;

  // What is there before the simulation begins. Pods without a node will be
  // tried when something happens. `facts` are a pod's.
  void Load(Object object, PodFacts facts = {});
  void Load(Workload workload);
  // Loads what is read of a cluster. This must outlive it.
  ClusterReceiver Loader(bool with_pod_facts);

  const ClusterState& cluster() const { return cluster_; }
  // For what changes it, and changes it back.
  ClusterState& MutableCluster() { return cluster_; }
  SchedulingQueue& queue() { return queue_; }

  // Adds or replaces an object that is neither a pod nor a workload.
  void Upsert(Object object);
  // Removes an object that is neither a pod nor a node nor a workload.
  template <typename Kind>
  void Remove(const ObjectKey& key) {
    cluster_.Remove<Kind>(key);
    ++generation_;
    queue_.RetryAll();
  }
  // Removes a node, and its pods with it.
  void RemoveNode(const std::string& name);

  // Adds or replaces a workload, and has its controller look at it.
  void Upsert(Workload workload);
  // Forgets a workload; its pods stay.
  void RemoveWorkload(const OwnerKey& key);
  // Null if it is not known.
  const Workload* FindWorkload(const OwnerKey& key) const;
  const std::map<OwnerKey, Workload>& workloads() const { return workloads_; }
  // The workloads whose controller is this one. Cost: O(workloads of the kind).
  std::vector<const Workload*> WorkloadsOf(WorkloadKind kind,
                                           const OwnerKey& controller) const;

  // The workload at the top of a chain of controllers: the Deployment of a
  // ReplicaSet. Also of those that are gone.
  OwnerKey TopOf(const OwnerKey& owner) const;

  // Has a workload's controller look at it.
  void Touch(const OwnerKey& key) { touched_.insert(key); }
  bool HasTouched() const { return !touched_.empty(); }
  // The workloads to look at, which are then no longer.
  std::set<OwnerKey> TakeTouched() { return std::exchange(touched_, {}); }

  // Creates a pod; one that names its node runs there at once.
  void CreatePod(Pod pod, std::optional<OwnerKey> owner, PodFacts facts);
  // Deletes a pod; it is gone at once.
  void DeletePod(const ObjectKey& key);
  // Places a pod that is pending.
  void BindPod(const ObjectKey& key, const std::string& node);
  // Says why a pending pod stays pending.
  void SetMessage(const ObjectKey& key, std::string message);

  const std::map<ObjectKey, SimulatedPod>& pods() const { return pods_; }
  // Null if there is no such pod.
  const SimulatedPod* FindPod(const ObjectKey& key) const;
  // The pod as an object, pending or not. It must be there.
  Pod PodAt(const ObjectKey& key) const;
  Labels LabelsOf(const ObjectKey& key) const;
  // The pods of an owner, by name.
  const std::set<ObjectKey>& PodsOf(const OwnerKey& owner) const;
  // The pods on a node. Cost: O(pods of the node).
  std::vector<ObjectKey> PodsOn(const std::string& node) const;

  // The pods that were created, deleted or placed since the beginning, and
  // where they were before.
  const std::map<ObjectKey, Origin>& changed() const { return changed_; }

  // The nodes that were changed, added or removed, as they were before; absent:
  // it was not there.
  const std::map<std::string, std::optional<NodeBefore>>& nodes_before() const {
    return nodes_before_;
  }

  // Counts all changes that could matter to a pod that fits nowhere.
  std::int64_t generation() const { return generation_; }

  // `web-` → `web-x7k2p`: a name that no pod of the namespace has.
  std::string NewPodName(std::string_view namespace_name,
                         const std::string& prefix);

  // What the user should know about how the simulation went, in order, each
  // text once.
  void Note(std::string text);
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void AddRecord(Pod pod, std::optional<OwnerKey> owner, PodFacts facts);
  void RememberOrigin(const ObjectKey& key);
  void RememberNode(const std::string& name);
  void RememberController(const Workload& workload);
  void TouchOwner(std::optional<OwnerKey> owner);
  void TouchDaemonSets();

  ClusterState cluster_;
  SchedulingQueue queue_;
  std::map<ObjectKey, SimulatedPod> pods_;
  std::map<OwnerKey, std::set<ObjectKey>> pods_of_;
  std::map<OwnerKey, Workload> workloads_;
  std::set<OwnerKey> touched_;
  std::map<ObjectKey, Origin> changed_;
  std::map<std::string, std::optional<NodeBefore>> nodes_before_;
  // The controllers of workloads, also of those that are gone.
  std::map<OwnerKey, OwnerKey> controllers_;
  std::vector<std::string> notes_;
  std::int64_t clock_ = 0;
  std::int64_t generation_ = 0;
  std::mt19937_64 random_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_SIMULATED_CLUSTER_H_
