#include "server/listeners/scheduler_plugin/testing/messages.h"

#include <glog/logging.h>

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/yaml.h"

namespace vicinal {
namespace {

std::string ToJson(std::string_view yaml) {
  const absl::StatusOr<std::vector<std::string>> documents = YamlToJson(yaml);
  CHECK(documents.ok()) << documents.status() << "\n" << yaml;
  CHECK_EQ(documents->size(), 1U) << yaml;
  return documents->front();
}

}  // namespace

SchedulerConfig MakeSchedulerConfig(const std::string& rest,
                                    const KubernetesRelease& release) {
  absl::StatusOr<SchedulerConfig> config = ReadSchedulerConfig(
      "apiVersion: kubescheduler.config.k8s.io/v1\n"
      "kind: KubeSchedulerConfiguration\n" +
          rest,
      release);
  CHECK(config.ok()) << config.status();
  return *std::move(config);
}

v1::SchedulerMessage MakeHello() {
  v1::SchedulerMessage message;
  message.set_position(1);
  v1::Hello& hello = *message.mutable_hello();
  hello.set_kubernetes_version("v1.37.1");
  v1::SchedulingProfile& profile = *hello.add_profiles();
  profile.set_scheduler_name("default-scheduler");
  for (const char* filter :
       {"NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity",
        "NodePorts", "NodeResourcesFit", "VolumeRestrictions",
        "NodeVolumeLimits", "VolumeBinding", "VolumeZone", "DynamicResources",
        "NodeDeclaredFeatures"}) {
    profile.add_filters(filter);
  }
  const SchedulerConfig config = MakeSchedulerConfig();
  for (const auto& [plugin, weight] : config.profiles.front().score) {
    (*profile.mutable_score_weights())[plugin] =
        static_cast<std::int32_t>(weight);
  }
  return message;
}

v1::Change NodeChange(std::uint32_t number, std::string_view yaml) {
  v1::Change change;
  change.mutable_node()->set_number(number);
  change.mutable_node()->set_json(ToJson(yaml));
  return change;
}

v1::Change WaitingPodChange(std::string_view yaml) {
  v1::Change change;
  change.mutable_pod()->set_json(ToJson(yaml));
  return change;
}

v1::Change PodChange(std::uint32_t node, std::string_view yaml) {
  v1::Change change = WaitingPodChange(yaml);
  change.mutable_pod()->set_node(node);
  return change;
}

v1::Change ObjectChange(std::string_view yaml) {
  v1::Change change;
  change.set_object(ToJson(yaml));
  return change;
}

v1::SchedulerMessage MessageWith(v1::Change change) {
  v1::SchedulerMessage message;
  *message.add_changes() = std::move(change);
  return message;
}

v1::SchedulerMessage SyncedMessage() {
  v1::SchedulerMessage message;
  message.set_synced(true);
  return message;
}

}  // namespace vicinal
