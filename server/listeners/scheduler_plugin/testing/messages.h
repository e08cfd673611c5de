// Messages of a scheduler's plugin, for tests.
#ifndef VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_TESTING_MESSAGES_H_
#define VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_TESTING_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "server/scheduler_config/scheduler_config.h"
#include "vicinal/v1/scheduler_plugin.pb.h"

namespace vicinal {

// A KubeSchedulerConfiguration with `rest` below its first two lines.
SchedulerConfig MakeSchedulerConfig(const std::string& rest = "",
                                    const KubernetesRelease& release = {});

// What a scheduler of the default profile says first.
v1::SchedulerMessage MakeHello();

// `yaml` is that of a node or a pod, which need not say their kind.
v1::Change NodeChange(std::uint32_t number, std::string_view yaml);
v1::Change PodChange(std::uint32_t node, std::string_view yaml);
v1::Change WaitingPodChange(std::string_view yaml);
v1::Change ObjectChange(std::string_view yaml);

v1::SchedulerMessage MessageWith(v1::Change change);
v1::SchedulerMessage SyncedMessage();

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_SCHEDULER_PLUGIN_TESTING_MESSAGES_H_
