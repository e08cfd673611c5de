#include "core/engine/filter_plugins.h"

#include "core/plugins/interpodaffinity/interpodaffinity.h"
#include "core/plugins/nodeaffinity/nodeaffinity.h"
#include "core/plugins/nodename/nodename.h"
#include "core/plugins/noderesources/fit.h"
#include "core/plugins/nodeunschedulable/nodeunschedulable.h"
#include "core/plugins/podtopologyspread/podtopologyspread.h"
#include "core/plugins/tainttoleration/tainttoleration.h"

namespace vicinal {

std::unique_ptr<FilterPlugin> MakeFilterPlugin(std::string_view name,
                                               const PluginConfig& config) {
  if (name == NodeName::kName) return std::make_unique<NodeName>();
  if (name == NodeUnschedulable::kName) {
    return std::make_unique<NodeUnschedulable>();
  }
  if (name == TaintToleration::kName) {
    return std::make_unique<TaintToleration>();
  }
  if (name == NodeAffinityPlugin::kName) {
    return std::make_unique<NodeAffinityPlugin>(config.node_affinity);
  }
  if (name == NodeResourcesFit::kName) {
    return std::make_unique<NodeResourcesFit>(config.node_resources_fit);
  }
  if (name == PodTopologySpread::kName) {
    return std::make_unique<PodTopologySpread>(config.pod_topology_spread);
  }
  if (name == InterPodAffinity::kName) {
    return std::make_unique<InterPodAffinity>(config.inter_pod_affinity);
  }
  return nullptr;
}

}  // namespace vicinal
