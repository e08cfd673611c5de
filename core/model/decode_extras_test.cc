#include "core/model/decode_extras.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/model/json.h"
#include "core/model/yaml.h"

namespace vicinal {
namespace {

std::string Json(std::string_view yaml) { return YamlToJson(yaml)->front(); }

PodExtras ExtrasOf(std::string_view yaml) {
  const auto read = JsonReader().ReadCopy<PodExtras>(Json(yaml));
  EXPECT_TRUE(read.ok()) << read.status();
  return read.value_or(PodExtras());
}

void Add(std::string_view kind, std::string_view yaml, StorageObjects& out) {
  const simdjson::padded_string json(Json(yaml));
  const absl::Status status = JsonReader().ReadWith(json, [&](JsonValue value) {
    return DecodeStorage(value, JsonPath(), kind, &out);
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST(DecodeExtrasTest, MostPodsHaveNone) {
  EXPECT_TRUE(ExtrasOf(R"(
spec:
  containers: [{name: a, ports: [{containerPort: 80}]}]
  volumes: [{name: scratch, emptyDir: {}}, {name: c, configMap: {name: c}}]
)")
                  .IsEmpty());
}

TEST(DecodeExtrasTest, ReadsHostPortsOfContainersThatStay) {
  const PodExtras pod = ExtrasOf(R"(
spec:
  initContainers:
  - {name: i, ports: [{hostPort: 1}]}
  - {name: s, restartPolicy: Always, ports: [{hostPort: 2, protocol: UDP}]}
  containers:
  - {name: a, ports: [{hostPort: 3, hostIP: 10.0.0.1}, {containerPort: 4}]}
)");
  EXPECT_EQ(pod.host_ports, (std::vector<HostPort>{{"0.0.0.0", "UDP", 2},
                                                   {"10.0.0.1", "TCP", 3}}));
}

TEST(DecodeExtrasTest, WithTheHostsNetworkEachPortIsTheHosts) {
  const PodExtras pod = ExtrasOf(R"(
spec: {hostNetwork: true, containers: [{name: a, ports: [{containerPort: 80}]}]}
)");
  EXPECT_EQ(pod.host_ports, (std::vector<HostPort>{{"0.0.0.0", "TCP", 80}}));
}

TEST(DecodeExtrasTest, ReadsGatesVolumesAndWhatIsNotJudged) {
  const PodExtras pod = ExtrasOf(R"(
spec:
  hostNetwork: true
  hostUsers: false
  schedulingGates: [{name: a}, {name: b}]
  resourceClaims: [{name: gpu}]
  containers: [{name: a}]
  volumes:
  - {name: v, persistentVolumeClaim: {claimName: data}}
  - name: e
    ephemeral:
      volumeClaimTemplate: {spec: {storageClassName: fast}}
  - {name: r, rbd: {image: i}}
)");
  EXPECT_EQ(pod.gates, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(pod.resource_claims);
  ASSERT_EQ(pod.volumes.size(), 3);
  EXPECT_EQ(pod.volumes[0].claim, "data");
  EXPECT_EQ(pod.volumes[1].ephemeral->class_name, "fast");
  EXPECT_EQ(pod.volumes[2].in_tree, "rbd");
  EXPECT_EQ(pod.features.size(), 1);
}

TEST(DecodeExtrasTest, ReadsClaimsAndVolumes) {
  StorageObjects storage;
  Add(kClaimKind, R"(
metadata:
  name: data
  namespace: shop
  annotations: {pv.kubernetes.io/bind-completed: "yes"}
  ownerReferences: [{uid: x}, {uid: p1, controller: true}]
spec:
  storageClassName: fast
  volumeName: pv1
  accessModes: [ReadWriteOncePod]
  resources: {requests: {storage: 1Gi}}
status: {phase: Bound}
)",
      storage);
  Add(kVolumeKind, R"(
metadata: {name: pv1, labels: {topology.kubernetes.io/zone: a}}
spec:
  capacity: {storage: 2Gi}
  csi: {driver: d.example.com, volumeHandle: h}
  claimRef: {namespace: shop, name: data}
  nodeAffinity:
    required:
      nodeSelectorTerms:
      - matchExpressions: [{key: zone, operator: In, values: [a]}]
status: {phase: Bound}
)",
      storage);
  const PersistentVolumeClaim& claim = storage.claims.at({"shop", "data"});
  EXPECT_TRUE(claim.is_bound);
  EXPECT_EQ(claim.controller_uid, "p1");
  EXPECT_EQ(claim.request->Value(), 1 << 30);
  const PersistentVolume& volume = storage.volumes.at("pv1");
  EXPECT_EQ(volume.driver, "d.example.com");
  EXPECT_EQ(volume.node_affinity->size(), 1);
  EXPECT_EQ(volume.claim_ref->name, "data");
  EXPECT_TRUE(storage.Knows(kVolumeKind));
  EXPECT_FALSE(storage.Knows(kStorageClassKind));
}

TEST(DecodeExtrasTest, ReadsClassesNodesDriversCapacitiesAndAttachments) {
  StorageObjects storage;
  Add(kStorageClassKind, R"(
metadata:
  name: fast
  annotations: {storageclass.kubernetes.io/is-default-class: "true"}
provisioner: d.example.com
volumeBindingMode: WaitForFirstConsumer
allowedTopologies:
- matchLabelExpressions: [{key: zone, values: [a]}]
)",
      storage);
  Add(kCsiNodeKind, R"(
metadata: {name: n1}
spec: {drivers: [{name: d.example.com, allocatable: {count: 2}}, {name: e}]}
)",
      storage);
  Add(kCsiDriverKind, R"(
metadata: {name: d.example.com}
spec: {storageCapacity: true}
)",
      storage);
  Add(kCapacityKind, R"(
metadata: {name: c, namespace: csi}
storageClassName: fast
nodeTopology: {matchLabels: {zone: a}}
capacity: 5Gi
)",
      storage);
  Add(kAttachmentKind, R"(
metadata: {name: va}
spec: {attacher: d, nodeName: n1, source: {persistentVolumeName: pv1}}
)",
      storage);
  const StorageClass& fast = storage.classes.at("fast");
  EXPECT_TRUE(fast.is_default);
  EXPECT_EQ(fast.binding_mode, kWaitForFirstConsumer);
  EXPECT_EQ(fast.allowed_topologies[0][0].values[0], "a");
  EXPECT_EQ(storage.csi_nodes.at("n1").drivers[0].count, 2);
  EXPECT_TRUE(storage.drivers.at("d.example.com").storage_capacity);
  EXPECT_EQ(storage.capacities.at("csi/c").class_name, "fast");
  EXPECT_EQ(storage.attachments.at("va").volume, "pv1");
}

TEST(DecodeExtrasTest, KnowsTheKindsByGroup) {
  EXPECT_TRUE(IsStorageKind("v1", kClaimKind));
  EXPECT_TRUE(IsStorageKind("", kStorageClassKind));
  EXPECT_FALSE(IsStorageKind("v1", kStorageClassKind));
  EXPECT_FALSE(IsStorageKind("v1", "Pod"));
}

}  // namespace
}  // namespace vicinal
