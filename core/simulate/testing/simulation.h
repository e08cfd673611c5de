// A small simulated cluster for tests.
//
//   Simulation simulation(kThreeNodes);
//   simulation.Apply(Deployment("web", 3));
//   simulation.Do("drain w3");
//   EXPECT_THAT(simulation.PerNode("app", "web"), …);
#ifndef VICINAL_CORE_SIMULATE_TESTING_SIMULATION_H_
#define VICINAL_CORE_SIMULATE_TESTING_SIMULATION_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/engine/profile.h"
#include "core/model/kubernetes_release.h"
#include "core/simulate/simulated_cluster.h"
#include "core/simulate/simulator.h"

namespace vicinal {

// Nodes w1, w2 and w3 in the zones z1, z2 and z3.
inline constexpr char kThreeNodes[] = R"({"kind": "List", "items": [
  {"kind": "Node", "metadata": {"name": "w1", "labels": {"zone": "z1",
    "kubernetes.io/hostname": "w1"}},
   "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": 20}}},
  {"kind": "Node", "metadata": {"name": "w2", "labels": {"zone": "z2",
    "kubernetes.io/hostname": "w2"}},
   "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": 20}}},
  {"kind": "Node", "metadata": {"name": "w3", "labels": {"zone": "z3",
    "kubernetes.io/hostname": "w3"}},
   "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": 20}}}]})";

// A workload of any kind but CronJob whose pods have the label app=<name>;
// `spec` are further fields of its spec, `pod_spec` those of its pods, both as
// YAML in braces without the braces.
std::string WorkloadYaml(std::string_view kind, std::string_view name,
                         int replicas, std::string_view pod_spec = "",
                         std::string_view spec = "");

// The field `affinity` of a pod: it must not share a domain of `key` with other
// pods of app=<name>.
std::string AwayFrom(std::string_view name, std::string_view key);

class Simulation {
 public:
  // A text that cannot be read ends the test program.
  explicit Simulation(std::string_view cluster, SimulatorOptions options = {},
                      const KubernetesRelease& release = {});

  // Applies a manifest. What is refused is an error of the test.
  void Apply(std::string_view manifest);
  // De-schedules by a policy in the descheduler's format.
  void Deschedule(std::string_view policy);
  // Does an action without files, and lets it settle.
  absl::Status TryTo(std::string_view action);
  // The same; what is refused is an error of the test.
  void Do(std::string_view action);

  // The running pods with a label, by node.
  std::map<std::string, int> PerNode(std::string_view label,
                                     std::string_view value) const;
  // The names of the pods with a label, by name.
  std::vector<std::string> Names(std::string_view label,
                                 std::string_view value) const;
  // Why the pending pods are pending.
  std::vector<std::string> Messages() const;

  SimulatedCluster& simulated() { return simulated_; }

 private:
  SimulatedCluster simulated_;
  const Profile profile_;
  Simulator simulator_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_TESTING_SIMULATION_H_
