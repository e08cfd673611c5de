#include "core/explain/cause_finders.h"

#include "core/explain/interpodaffinity_causes.h"
#include "core/explain/node_causes.h"
#include "core/explain/nodeaffinity_causes.h"
#include "core/explain/noderesources_causes.h"
#include "core/explain/podtopologyspread_causes.h"
#include "core/plugins/interpodaffinity/interpodaffinity.h"
#include "core/plugins/nodeaffinity/nodeaffinity.h"
#include "core/plugins/nodename/nodename.h"
#include "core/plugins/noderesources/fit.h"
#include "core/plugins/nodeunschedulable/nodeunschedulable.h"
#include "core/plugins/podtopologyspread/podtopologyspread.h"
#include "core/plugins/tainttoleration/tainttoleration.h"

namespace vicinal {

std::unique_ptr<CauseFinder> MakeCauseFinder(std::string_view plugin,
                                             const ClusterState& cluster,
                                             const PluginConfig& config,
                                             const PodInfo& pod) {
  if (plugin == NodeName::kName) return std::make_unique<NodeNameCauses>(pod);
  if (plugin == NodeUnschedulable::kName) {
    return std::make_unique<NodeUnschedulableCauses>();
  }
  if (plugin == TaintToleration::kName) {
    return std::make_unique<TaintTolerationCauses>(
        pod, cluster.release().taint_comparisons);
  }
  if (plugin == NodeAffinityPlugin::kName) {
    return std::make_unique<NodeAffinityCauses>(pod, config.node_affinity);
  }
  if (plugin == NodeResourcesFit::kName) {
    return std::make_unique<NodeResourcesCauses>(pod, cluster.release());
  }
  if (plugin == PodTopologySpread::kName) {
    return std::make_unique<PodTopologySpreadCauses>(
        cluster, pod, config.pod_topology_spread);
  }
  if (plugin == InterPodAffinity::kName) {
    return std::make_unique<InterPodAffinityCauses>(cluster, pod);
  }
  return nullptr;
}

}  // namespace vicinal
