// Runs one plugin by itself, as tests like to see it.
#ifndef VICINAL_CORE_TESTING_RUN_PLUGIN_H_
#define VICINAL_CORE_TESTING_RUN_PLUGIN_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/framework.h"
#include "core/plugins/status.h"

namespace vicinal {

// `ok`, `skip`, or the code and the reasons:
// `UnschedulableAndUnresolvable: node(s) …`.
std::string Described(const Status& status);

// What the plugin's filter says for each node of the cluster, by name; if its
// PreFilter ends the matter, what that says under the name "*".
std::map<std::string, std::string> RunFilter(const FilterPlugin& plugin,
                                             const ClusterState& cluster,
                                             const PodInfo& pod);

struct Scores {
  std::string status;  // What PreScore says; without success there are none.
  std::map<std::string, std::int64_t> raw;
  std::map<std::string, std::int64_t> normalized;
};

// The scores of the nodes named, or of all nodes.
Scores RunScore(const ScorePlugin& plugin, const ClusterState& cluster,
                const PodInfo& pod);
Scores RunScore(const ScorePlugin& plugin, const ClusterState& cluster,
                const PodInfo& pod, const std::vector<std::string>& nodes);

}  // namespace vicinal

#endif  // VICINAL_CORE_TESTING_RUN_PLUGIN_H_
