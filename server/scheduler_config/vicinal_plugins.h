// The plugins of server/scheduler-plugin in a KubeSchedulerConfiguration:
//
//   plugins:
//     multiPoint:
//       disabled: [{name: PodTopologySpread}, {name: InterPodAffinity}]
//       enabled:
//       - {name: VicinalPodTopologySpread, weight: 2}
//       - {name: VicinalInterPodAffinity, weight: 2}
//   pluginConfig:
//   - name: VicinalInterPodAffinity
//     args: {hardPodAffinityWeight: 5, vicinal: {…}}
//
// They stand for the scheduler's own ones, and have their arguments and one
// more, `vicinal`, for the Go side.
#ifndef VICINAL_SERVER_SCHEDULER_CONFIG_VICINAL_PLUGINS_H_
#define VICINAL_SERVER_SCHEDULER_CONFIG_VICINAL_PLUGINS_H_

#include <string>
#include <string_view>

namespace vicinal {

// "InterPodAffinity" for "VicinalInterPodAffinity", and so on; other names as
// they are.
std::string_view InTreeName(std::string_view plugin);

// An entry of pluginConfig, as if the scheduler's own plugin were meant. `json`
// must be one with the name of a plugin of server/scheduler-plugin. Cost:
// O(json).
std::string AsInTreeEntry(std::string_view json);

}  // namespace vicinal

#endif  // VICINAL_SERVER_SCHEDULER_CONFIG_VICINAL_PLUGINS_H_
