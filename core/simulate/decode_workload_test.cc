#include "core/simulate/decode_workload.h"

#include <gtest/gtest.h>

#include "core/simulate/script_objects.h"

namespace vicinal {
namespace {

constexpr char kTemplate[] =
    "{metadata: {labels: {app: web}}, spec: {nodeSelector: {disk: ssd}}}";

absl::StatusOr<Workload> Read(const std::string& yaml) {
  absl::StatusOr<ScriptObjects> objects = ReadScriptObjects(yaml);
  if (!objects.ok()) return objects.status();
  if (objects->items.size() != 1) return absl::NotFoundError("no workload");
  return std::get<Workload>(objects->items.front());
}

Workload ReadOrDie(const std::string& yaml) {
  absl::StatusOr<Workload> workload = Read(yaml);
  EXPECT_TRUE(workload.ok()) << workload.status() << "\n" << yaml;
  return workload.ok() ? *workload : Workload();
}

std::string Error(const std::string& yaml) {
  return std::string(Read(yaml).status().message());
}

TEST(DecodeWorkloadTest, AllKindsAreReadWithTheirDefaults) {
  for (const char* kind : {"Deployment", "ReplicaSet", "StatefulSet",
                           "DaemonSet", "VirtualMachineInstanceReplicaSet"}) {
    const Workload workload = ReadOrDie(
        std::string("kind: ") + kind +
        "\nmetadata: {name: web}\nspec: {selector: {matchLabels: {app: web}}, "
        "template: " +
        kTemplate + "}");
    EXPECT_EQ(NameOf(workload.kind), kind);
    EXPECT_EQ(workload.meta.namespace_name, "default");
    EXPECT_EQ(workload.replicas, 1);
    EXPECT_TRUE(workload.pod_template.spec.node_selector.has_value()) << kind;
    EXPECT_TRUE(workload.pod_template.meta.labels.Has("app")) << kind;
  }
  const Workload job =
      ReadOrDie(std::string("kind: Job\nmetadata: {name: sum}\nspec: "
                            "{parallelism: 3, completions: 9, template: ") +
                kTemplate + "}");
  EXPECT_EQ(job.replicas, 3);
  EXPECT_EQ(job.completions, 9);
  const Workload cron_job = ReadOrDie(
      std::string("kind: CronJob\nmetadata: {name: nightly}\nspec: "
                  "{jobTemplate: {spec: {parallelism: 2, template: ") +
      kTemplate + "}}}");
  EXPECT_EQ(cron_job.replicas, 2);
  EXPECT_TRUE(cron_job.pod_template.spec.node_selector.has_value());
  const Workload controller = ReadOrDie(
      std::string("apiVersion: v1\nkind: ReplicationController\nmetadata: "
                  "{name: old}\nspec: {replicas: 4, template: ") +
      kTemplate + "}");
  EXPECT_EQ(controller.replicas, 4);
  EXPECT_EQ(controller.selector.match_labels, (Labels{{"app", "web"}}));
}

TEST(DecodeWorkloadTest, UpdateStrategiesAreRead) {
  const std::string begin =
      "kind: Deployment\nmetadata: {name: web}\nspec: {selector: {matchLabels: "
      "{app: web}}, template: " +
      std::string(kTemplate) + ", strategy: ";
  const Workload defaults = ReadOrDie(begin + "{}}");
  EXPECT_EQ(defaults.max_surge.Of(10, true), 3);
  EXPECT_EQ(defaults.max_unavailable.Of(10, false), 2);
  const Workload given =
      ReadOrDie(begin + "{rollingUpdate: {maxSurge: 2, maxUnavailable: 50%}}}");
  EXPECT_EQ(given.max_surge, (IntOrPercent{2, false}));
  EXPECT_EQ(given.max_unavailable, (IntOrPercent{50, true}));
  EXPECT_TRUE(ReadOrDie(begin + "{type: Recreate}}").recreate);
  EXPECT_EQ(Error(begin + "{type: Rolling}}"),
            "spec.strategy.type: must be RollingUpdate, Recreate or OnDelete, "
            "got \"Rolling\"");
  EXPECT_EQ(Error(begin + "{rollingUpdate: {maxSurge: many}}}"),
            "spec.strategy.rollingUpdate.maxSurge: must be a number or a "
            "percentage, got \"many\"");
}

TEST(DecodeWorkloadTest, AVirtualMachineTakesWhatItsDomainAsksFor) {
  const Workload machine = ReadOrDie(R"(
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstanceReplicaSet
metadata: {name: vm}
spec:
  selector: {matchLabels: {app: vm}}
  template:
    metadata: {labels: {app: vm}}
    spec:
      domain: {cpu: {cores: 4}, memory: {guest: 2Gi}}
)");
  ASSERT_EQ(machine.pod_template.spec.containers.size(), 1u);
  const ResourceList& requests =
      machine.pod_template.spec.containers.front().requests;
  EXPECT_EQ(requests.at("memory").Value(), std::int64_t{2} << 30);
  EXPECT_EQ(requests.at("cpu").MilliValue(), 400);
}

TEST(DecodeWorkloadTest, WhatKeepsPodsFromEvictionIsRead) {
  const Workload plain = ReadOrDie(
      "kind: StatefulSet\nmetadata: {name: web}\nspec: {selector: "
      "{matchLabels: {app: web}}, template: " +
      std::string(kTemplate) + "}");
  EXPECT_FALSE(plain.pod_facts.pvc);
  EXPECT_FALSE(plain.pod_facts.local_storage);
  const Workload db = ReadOrDie(R"(
kind: StatefulSet
metadata: {name: db}
spec:
  selector: {matchLabels: {app: db}}
  volumeClaimTemplates: [{metadata: {name: data}}]
  template:
    metadata: {labels: {app: db}}
    spec: {volumes: [{name: scratch, emptyDir: {}}]}
)");
  EXPECT_TRUE(db.pod_facts.pvc);
  EXPECT_TRUE(db.pod_facts.local_storage);
}

TEST(DecodeWorkloadTest, WhatAnApiServerRefusesIsRefused) {
  EXPECT_EQ(Error("kind: Deployment\nmetadata: {name: web}\nspec: {}"),
            "spec.template: required");
  EXPECT_EQ(Error(std::string("kind: Deployment\nspec: {template: ") +
                  kTemplate + "}"),
            "metadata.name: required");
  EXPECT_EQ(Error(std::string("kind: Deployment\nmetadata: {name: web}\nspec: "
                              "{template: ") +
                  kTemplate + "}"),
            "spec.selector: required");
  EXPECT_EQ(Error(std::string("kind: Deployment\nmetadata: {name: web}\nspec: "
                              "{selector: {matchLabels: {app: db}}, "
                              "template: ") +
                  kTemplate + "}"),
            "spec.selector: does not match the template's labels; the API "
            "server refuses that");
  EXPECT_EQ(Error(std::string("kind: Deployment\nmetadata: {name: web}\nspec: "
                              "{replicas: -1, selector: {matchLabels: {app: "
                              "web}}, template: ") +
                  kTemplate + "}"),
            "spec.replicas: must not be negative, got -1");
}

TEST(WorkloadTest, KindsAreKnownByTheirShortNames) {
  EXPECT_EQ(WorkloadKindFromWord("deploy"), WorkloadKind::kDeployment);
  EXPECT_EQ(WorkloadKindFromWord("Deployments"), WorkloadKind::kDeployment);
  EXPECT_EQ(WorkloadKindFromWord("deployment.apps"), WorkloadKind::kDeployment);
  EXPECT_EQ(WorkloadKindFromWord("vmirs"),
            WorkloadKind::kVirtualMachineInstanceReplicaSet);
  EXPECT_EQ(WorkloadKindFromWord("pod"), std::nullopt);
  EXPECT_EQ(WorkloadKindOf("batch/v1", "Deployment"), std::nullopt);
}

TEST(ScriptObjectsTest, KindsThatDoNotMatterAreCounted) {
  const absl::StatusOr<ScriptObjects> objects = ReadScriptObjects(
      "kind: ConfigMap\nmetadata: {name: a}\n---\nkind: Node\nmetadata: "
      "{name: w1}\n---\nkind: ConfigMap\nmetadata: {name: b}\n");
  ASSERT_TRUE(objects.ok()) << objects.status();
  EXPECT_EQ(objects->items.size(), 1u);
  EXPECT_EQ(objects->ignored.at("ConfigMap"), 2);
}

}  // namespace
}  // namespace vicinal
