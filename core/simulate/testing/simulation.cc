#include "core/simulate/testing/simulation.h"

#include <glog/logging.h>

#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/deschedule/read_policy.h"
#include "core/engine/default_profile.h"
#include "core/engine/profile.h"
#include "core/model/object_list.h"
#include "core/plugins/plugin_config.h"
#include "core/simulate/cluster_object_reader.h"
#include "core/simulate/cluster_receiver.h"
#include "core/simulate/script_objects.h"

namespace vicinal {

std::string WorkloadYaml(std::string_view kind, std::string_view name,
                         int replicas, std::string_view pod_spec,
                         std::string_view spec) {
  const std::string labels = absl::StrCat("{app: ", std::string(name), "}");
  const bool is_controller = kind == "ReplicationController";
  return absl::StrCat(
      "kind: ", std::string(kind), "\nmetadata: {name: ", std::string(name),
      "}\nspec:\n  replicas: ", replicas, "\n  selector: ",
      is_controller ? labels : absl::StrCat("{matchLabels: ", labels, "}"),
      "\n  template:\n    metadata: {labels: ", labels, "}\n    spec: {",
      std::string(pod_spec), "}\n",
      spec.empty() ? "" : absl::StrCat("  ", std::string(spec), "\n"));
}

std::string AwayFrom(std::string_view name, std::string_view key) {
  return absl::StrCat(
      "affinity: {podAntiAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: ",
      std::string(key),
      ", labelSelector: {matchLabels: {app: ", std::string(name), "}}}]}}");
}

static Profile ProfileOf(const KubernetesRelease& release) {
  PluginConfig config;
  config.release = release;
  return DefaultProfile(config);
}

Simulation::Simulation(std::string_view cluster, SimulatorOptions options,
                       const KubernetesRelease& release)
    : simulated_(1, release),
      profile_(ProfileOf(release)),
      simulator_(simulated_, profile_, std::move(options)) {
  const ClusterReceiver receiver = simulated_.Loader(true);
  ClusterObjectReader reader(receiver, "left out: ");
  const absl::Status status = ForEachObject(cluster, std::ref(reader));
  CHECK(status.ok()) << status;
}

void Simulation::Apply(std::string_view manifest) {
  absl::StatusOr<ScriptObjects> objects = ReadScriptObjects(manifest);
  CHECK(objects.ok()) << objects.status();
  Action action;
  action.verb = Verb::kApply;
  action.items = std::move(objects->items);
  const absl::Status status = simulator_.Do(std::move(action));
  CHECK(status.ok()) << status;
}

void Simulation::Deschedule(std::string_view policy) {
  Action action;
  action.verb = Verb::kDeschedule;
  absl::StatusOr<Policy> read = ReadPolicy(policy);
  CHECK(read.ok()) << read.status();
  action.policy = *std::move(read);
  const absl::Status status = simulator_.Do(std::move(action));
  CHECK(status.ok()) << status;
}

absl::Status Simulation::TryTo(std::string_view text) {
  const std::vector<std::string> words = absl::StrSplit(std::string(text), ' ');
  std::size_t used = 0;
  absl::StatusOr<Action> action = ParseAction(words, "default", &used);
  if (!action.ok()) return action.status();
  CHECK_EQ(used, words.size()) << text;
  return simulator_.Do(*std::move(action));
}

void Simulation::Do(std::string_view text) {
  const absl::Status status = TryTo(text);
  CHECK(status.ok()) << status;
}

std::map<std::string, int> Simulation::PerNode(std::string_view label,
                                               std::string_view value) const {
  std::map<std::string, int> counts;
  for (const auto& [key, pod] : simulated_.pods()) {
    const Labels labels = simulated_.LabelsOf(key);
    const std::string* found = labels.Find(label);
    if (found != nullptr && *found == value && !pod.node.empty()) {
      ++counts[pod.node];
    }
  }
  return counts;
}

std::vector<std::string> Simulation::Names(std::string_view label,
                                           std::string_view value) const {
  std::vector<std::string> names;
  for (const auto& [key, pod] : simulated_.pods()) {
    const Labels labels = simulated_.LabelsOf(key);
    const std::string* found = labels.Find(label);
    if (found != nullptr && *found == value) names.push_back(key.name);
  }
  return names;
}

std::vector<std::string> Simulation::Messages() const {
  std::vector<std::string> messages;
  for (const auto& [key, pod] : simulated_.pods()) {
    if (pod.node.empty()) messages.push_back(pod.message);
  }
  return messages;
}

}  // namespace vicinal
