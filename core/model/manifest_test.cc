#include "core/model/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Manifest Read(std::string_view text) {
  std::vector<std::string> warnings;
  absl::StatusOr<Manifest> manifest = ReadManifest(text, warnings);
  EXPECT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_THAT(warnings, IsEmpty());
  return manifest.ok() ? *std::move(manifest) : Manifest();
}

std::string ErrorOf(std::string_view text) {
  std::vector<std::string> warnings;
  const absl::StatusOr<Manifest> manifest = ReadManifest(text, warnings);
  return manifest.ok() ? "no error" : std::string(manifest.status().message());
}

std::vector<std::string> WarningsOf(std::string_view text) {
  std::vector<std::string> warnings;
  const absl::StatusOr<Manifest> manifest = ReadManifest(text, warnings);
  return warnings;
}

constexpr char kTemplate[] = R"(
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      nodeSelector: {disk: ssd}
      containers: [{name: c}])";

std::string Workload(std::string_view api_version, std::string_view kind) {
  return "apiVersion: " + std::string(api_version) +
         "\nkind: " + std::string(kind) +
         "\nmetadata: {name: web, namespace: shop}\nspec:" + kTemplate;
}

TEST(ManifestTest, ReadsAPodAsTheApiServerDoes) {
  const Manifest manifest = Read(R"(
apiVersion: v1
kind: Pod
metadata: {name: p, labels: {app: web}}
spec:
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: k, labelSelector: {}, matchLabelKeys: [app]}
  containers:
  - {name: a, resources: {limits: {cpu: 2, memory: 1Gi}, requests: {cpu: 1}}}
)");
  ASSERT_EQ(manifest.pods.size(), 1u);
  const ManifestPod& one = manifest.pods[0];
  EXPECT_EQ(one.kind, "Pod");
  EXPECT_EQ(one.path_prefix, "");
  EXPECT_EQ(one.pod.meta.name, "p");
  EXPECT_EQ(one.pod.meta.namespace_name, "default");
  const ResourceList& requests = one.pod.spec.containers.at(0).requests;
  EXPECT_EQ(requests.at("cpu"), *Quantity::Parse("1"));
  EXPECT_EQ(requests.at("memory"), *Quantity::Parse("1Gi"));
  const auto& term = one.pod.spec.affinity->pod_anti_affinity->required.at(0);
  EXPECT_EQ(term.label_selector->match_expressions.size(), 1u);
}

TEST(ManifestTest, ReadsEveryWorkload) {
  for (const auto& [api_version, kind] :
       std::vector<std::pair<std::string, std::string>>{
           {"apps/v1", "Deployment"},
           {"apps/v1", "ReplicaSet"},
           {"apps/v1", "StatefulSet"},
           {"apps/v1", "DaemonSet"},
           {"batch/v1", "Job"},
           {"kubevirt.io/v1", "VirtualMachineInstanceReplicaSet"}}) {
    const Manifest manifest = Read(Workload(api_version, kind));
    ASSERT_EQ(manifest.pods.size(), 1u) << kind;
    const ManifestPod& one = manifest.pods[0];
    EXPECT_EQ(one.kind, kind);
    EXPECT_EQ(one.name, "web");
    EXPECT_EQ(one.path_prefix, "spec.template.");
    EXPECT_EQ(one.pod.meta.name, "");
    EXPECT_EQ(one.pod.meta.namespace_name, "shop");
    EXPECT_EQ(*one.pod.meta.labels.Find("app"), "web");
    EXPECT_EQ(one.pod.spec.node_selector, (Labels{{"disk", "ssd"}}));
  }
}

TEST(ManifestTest, ReadsACronJobsPod) {
  const Manifest manifest = Read(R"(
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  jobTemplate: {spec: {template: {spec: {nodeName: n1}}}})");
  ASSERT_EQ(manifest.pods.size(), 1u);
  EXPECT_EQ(manifest.pods[0].path_prefix, "spec.jobTemplate.spec.template.");
  EXPECT_EQ(manifest.pods[0].pod.spec.node_name, "n1");
}

TEST(ManifestTest, ReadsAReplicationController) {
  const Manifest manifest = Read(R"(
apiVersion: v1
kind: ReplicationController
metadata: {name: web}
spec: {replicas: 3, template: {metadata: {labels: {app: web}}, spec: {}}})");
  ASSERT_EQ(manifest.pods.size(), 1u);
  EXPECT_EQ(manifest.pods[0].replicas, 3);
  ASSERT_EQ(manifest.objects.size(), 1u);
  // Without a selector, the template's labels.
  EXPECT_EQ(std::get<ReplicationController>(manifest.objects[0]).selector,
            (Labels{{"app", "web"}}));
}

TEST(ManifestTest, GivesADeploymentsPodARevisionOfItsOwn) {
  const Manifest manifest = Read(Workload("apps/v1", "Deployment"));
  const Pod& pod = manifest.pods.at(0).pod;
  EXPECT_EQ(*pod.meta.labels.Find("pod-template-hash"), "new");
  ASSERT_EQ(manifest.objects.size(), 1u);
  const auto& replica_set = std::get<ReplicaSet>(manifest.objects[0]);
  EXPECT_EQ(ControllerOf(pod.meta)->name, replica_set.meta.name);
  EXPECT_EQ(replica_set.selector->match_labels,
            (Labels{{"app", "web"}, {"pod-template-hash", "new"}}));
}

TEST(ManifestTest, GivesADaemonSetsPodItsTolerations) {
  const Manifest manifest = Read(Workload("apps/v1", "DaemonSet"));
  EXPECT_TRUE(Tolerate(manifest.pods.at(0).pod.spec.tolerations,
                       {"node.kubernetes.io/unschedulable", "", kNoSchedule},
                       false));
  EXPECT_FALSE(Tolerate(
      manifest.pods.at(0).pod.spec.tolerations,
      {"node.kubernetes.io/network-unavailable", "", kNoSchedule}, false));
}

TEST(ManifestTest, TakesAVirtualMachinesResourcesAsRequests) {
  const Manifest manifest = Read(R"(
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstanceReplicaSet
metadata: {name: vms}
spec:
  template:
    metadata: {labels: {vm: a}}
    spec:
      domain: {memory: {guest: 2Gi}, resources: {requests: {cpu: 1500m}}}
      volumes: [{name: d, containerDisk: {image: disk}}])");
  const Pod& pod = manifest.pods.at(0).pod;
  const ResourceList& requests = pod.spec.containers.at(0).requests;
  EXPECT_EQ(requests.at("memory"), *Quantity::Parse("2Gi"));
  EXPECT_EQ(requests.at("cpu"), *Quantity::Parse("1500m"));
  EXPECT_EQ(*pod.meta.labels.Find("kubevirt.io"), "virt-launcher");
}

TEST(ManifestTest, ReadsListsDocumentsAndJson) {
  const Manifest manifest = Read(R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}}
- {apiVersion: v1, kind: Pod, metadata: {name: p1}}
---
{apiVersion: v1, kind: PodList, items: [{metadata: {name: p2}}]}
)");
  ASSERT_EQ(manifest.pods.size(), 2u);
  EXPECT_EQ(manifest.pods[1].pod.meta.name, "p2");
  EXPECT_EQ(manifest.objects.size(), 1u);
  EXPECT_THAT(manifest.skipped, ElementsAre("ConfigMap shop/c"));
  EXPECT_EQ(Read(R"({"kind": "Pod", "metadata": {"name": "p"}})").pods.size(),
            1u);
}

TEST(ManifestTest, WarnsOfMisspeltFieldsInRules) {
  EXPECT_THAT(
      WarningsOf(R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      affinity:
        podAntiAfinity: {}
        podAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
          - weight: 1
            podAffinityTerm: {topologyKey: k, labelselector: {}}
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedul, minDomain: 2}
      nodeselector: {a: b})"),
      ElementsAre(
          "Deployment web: spec.template.spec.affinity.podAffinity."
          "preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm."
          "labelselector: unknown field, ignored; did you mean "
          "\"labelSelector\"?",
          "Deployment web: spec.template.spec.affinity.podAntiAfinity: unknown "
          "field, ignored; did you mean \"podAntiAffinity\"?",
          "Deployment web: spec.template.spec.nodeselector: unknown field, "
          "ignored; did you mean \"nodeSelector\"?",
          "Deployment web: spec.template.spec.topologySpreadConstraints[0]."
          "minDomain: unknown field, ignored; did you mean \"minDomains\"?",
          "Deployment web: spec.template.spec.topologySpreadConstraints[0]."
          "whenUnsatisfiable: \"DoNotSchedul\" is not a value that an API "
          "server accepts; did you mean \"DoNotSchedule\"?"));
}

TEST(ManifestTest, WarnsOfRulesOutsideOfTheTemplate) {
  EXPECT_THAT(WarningsOf(Workload("apps/v1", "Deployment") +
                         "\n  affinity: {podAffinity: {}}"),
              ElementsAre("Deployment shop/web: spec.affinity: unknown field, "
                          "ignored; in a Deployment it belongs to "
                          "spec.template.spec.affinity"));
}

TEST(ManifestTest, WarnsOfASelectorThatMissesItsTemplate) {
  EXPECT_THAT(WarningsOf(R"(
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec: {selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: web}}}})"),
              ElementsAre(HasSubstr("spec.selector: does not match")));
}

TEST(ManifestTest, KeepsTheWarningsOfAnObjectThatCannotBeRead) {
  const char kText[] = R"(
kind: Pod
metadata: {name: p}
spec:
  affinity:
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution: [{topolgyKey: k}])";
  EXPECT_EQ(ErrorOf(kText),
            "Pod p: spec.affinity.podAffinity."
            "requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: "
            "required");
  EXPECT_THAT(WarningsOf(kText),
              ElementsAre(HasSubstr("did you mean \"topologyKey\"?")));
}

TEST(ManifestTest, RefusesWhatHasNoPods) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("it is empty"));
  EXPECT_THAT(ErrorOf("--- {kind: ConfigMap, metadata: {name: c}}"),
              HasSubstr("there is ConfigMap c"));
  EXPECT_EQ(ErrorOf("--- {kind: Deploymnet, metadata: {name: web}}"),
            "Deploymnet web: kind: \"Deploymnet\" is not known; did you mean "
            "\"Deployment\"?");
  EXPECT_EQ(ErrorOf("--- {metadata: {name: web}}"), "kind: required");
  EXPECT_EQ(ErrorOf("just text"), "must be an object");
  EXPECT_EQ(ErrorOf("--- {kind: Deployment, metadata: {name: web}}"),
            "Deployment web: spec: required");
  EXPECT_EQ(ErrorOf("--- {kind: Deployment, metadata: {name: web}, spec: {}}"),
            "Deployment web: spec.template: required");
  EXPECT_EQ(
      ErrorOf(
          "--- {kind: Deployment, apiVersion: extensions/v1beta1, metadata: "
          "{name: web}}"),
      "Deployment web: apiVersion: \"extensions/v1beta1\", but Deployment is "
      "in apps/v1");
}

TEST(ManifestTest, RefusesDuplicateKeys) {
  EXPECT_EQ(ErrorOf("kind: Pod\nmetadata: {name: p}\nkind: Pod\n"),
            "line 3, column 1: duplicate key \"kind\", first on line 1");
  EXPECT_EQ(ErrorOf(R"({"kind": "Pod", "kind": "Pod"})"),
            "duplicate key \"kind\"");
}

TEST(ManifestTest, RefusesBrokenText) {
  EXPECT_THAT(ErrorOf(R"({"kind": "Pod")"), StartsWith("not valid JSON"));
  EXPECT_THAT(ErrorOf("a: [b"), HasSubstr("line 1"));
  EXPECT_THAT(ErrorOf("{\"kind\":" + std::string(10'000, '[')),
              HasSubstr("more than 256 levels"));
  EXPECT_EQ(
      ErrorOf("--- {kind: Pod, metadata: {name: p}, spec: {nodeName: 5}}"),
      "Pod p: spec.nodeName: must be a string, got 5");
}

TEST(ManifestTest, RefusesAnIntegerThatAnApiServerWouldReadOtherwise) {
  // As YAML has it: the nearest floating-point number.
  for (const char* amount :
       {"100000000000000000000", "-100000000000000000000"}) {
    std::vector<std::string> warnings;
    const std::string text =
        std::string(
            "---\n{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: "
            "{containers: [{name: c, resources: {requests: {memory: ") +
        amount + "}}}]}}";
    const auto manifest = ReadManifest(text, warnings);
    ASSERT_FALSE(manifest.ok());
    EXPECT_EQ(std::string(manifest.status().message()),
              std::string(amount) +
                  ": an integer of more than 64 bits, of which an API server "
                  "need not read what is written: write it in quotes");
  }
}

TEST(ManifestTest, TakesALargeAmountInQuotes) {
  std::vector<std::string> warnings;
  const auto manifest = ReadManifest(
      "---\n{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: "
      "{containers: "
      "[{name: c, resources: {requests: {memory: \"99999999999999999999\", "
      "cpu: 1.5, pods: 18446744073709551615}}}]}}",
      warnings);
  EXPECT_TRUE(manifest.ok()) << manifest.status();
}

TEST(ManifestTest, ReadsClaimsAndTheTemplatesOfAStatefulSet) {
  std::vector<std::string> warnings;
  const auto manifest = ReadManifest(R"(
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec:
  replicas: 3
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: c, ports: [{hostPort: 80}]}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {storageClassName: fast}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: more, namespace: shop}
)",
                                     warnings);
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  ASSERT_EQ(manifest->pods.size(), 1);
  const PodExtras& extras = manifest->pods[0].extras;
  EXPECT_EQ(extras.host_ports.size(), 1);
  ASSERT_EQ(extras.volumes.size(), 1);
  EXPECT_EQ(extras.volumes[0].name, "data");
  EXPECT_EQ(extras.volumes[0].ephemeral->class_name, "fast");
  EXPECT_TRUE(manifest->storage.claims.contains({"shop", "more"}));
}

}  // namespace
}  // namespace vicinal
