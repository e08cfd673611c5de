#include "core/explain/complete_filters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/engine/run_plugins.h"
#include "core/explain/read_extras.h"
#include "core/model/json.h"
#include "core/model/object_list.h"
#include "core/plugins/candidate_nodes.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

// Two zones, each with a node, and a pod with a port on n1.
constexpr char kCluster[] = R"(
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: n1, labels: {topology.kubernetes.io/zone: a}}
  status: {allocatable: {pods: "9"}}
- apiVersion: v1
  kind: Node
  metadata: {name: n2, labels: {topology.kubernetes.io/zone: b}}
  status: {allocatable: {pods: "9"}}
- apiVersion: v1
  kind: Pod
  metadata: {name: first, namespace: shop, uid: u}
  spec:
    nodeName: n1
    containers: [{name: c, ports: [{hostPort: 80}]}]
    volumes: [{name: v, persistentVolumeClaim: {claimName: alone}}]
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata:
    name: in-b
    namespace: shop
    annotations: {pv.kubernetes.io/bind-completed: "yes"}
  spec: {volumeName: pv-b}
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata:
    name: alone
    namespace: shop
    annotations: {pv.kubernetes.io/bind-completed: "yes"}
  spec: {volumeName: pv-any, accessModes: [ReadWriteOncePod]}
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata: {name: new, namespace: shop}
  spec: {storageClassName: fast, resources: {requests: {storage: 1Gi}}}
- apiVersion: v1
  kind: PersistentVolume
  metadata: {name: pv-b, labels: {topology.kubernetes.io/zone: b}}
  spec: {csi: {driver: d, volumeHandle: b}}
- apiVersion: v1
  kind: PersistentVolume
  metadata: {name: pv-any}
  spec: {csi: {driver: d, volumeHandle: any}}
- apiVersion: storage.k8s.io/v1
  kind: StorageClass
  metadata: {name: fast}
  provisioner: d
  volumeBindingMode: WaitForFirstConsumer
)";

constexpr char kCsi[] = R"(
apiVersion: v1
kind: List
items:
- apiVersion: storage.k8s.io/v1
  kind: CSINode
  metadata: {name: n1}
  spec: {drivers: [{name: d, allocatable: {count: 1}}]}
- apiVersion: storage.k8s.io/v1
  kind: CSIDriver
  metadata: {name: d}
- apiVersion: storage.k8s.io/v1
  kind: VolumeAttachment
  metadata: {name: x}
  spec: {attacher: other, nodeName: n1}
)";

class CompleteFiltersTest : public ::testing::Test {
 protected:
  CompleteFiltersTest() { Add(kCluster); }

  void Add(const char* yaml) {
    AddObjects(cluster_, yaml);
    ExtrasReader reader(extras_);
    const absl::Status status = ForEachObject(
        std::string_view(yaml),
        [&reader](const TypeMeta& type, JsonValue value, const JsonPath& path,
                  simdjson::padded_string_view json) {
          absl::Status read = reader.Read(type, path, json);
          std::optional<Object> object;
          return read.ok() ? DecodeObject(value, path, type, &object) : read;
        });
    EXPECT_TRUE(status.ok()) << status;
  }

  CompleteFilters Make(const PodExtras& extras) {
    return MakeCompleteFilters(
        config_, [](std::string_view) { return true; }, pod_, extras, extras_);
  }

  // What is said of each node, n1 first.
  std::string Judge(const PodExtras& extras) {
    const CompleteFilters filters = Make(extras);
    const FilterOutcome outcome =
        RunFilterPlugins(filters.profile, cluster_, pod_, AllNodes(cluster_));
    return outcome.statuses[0].Message() + "|" + outcome.statuses[1].Message();
  }

  static PodExtras WithClaim(const char* name) {
    PodExtras extras;
    extras.volumes.emplace_back().claim = name;
    return extras;
  }

  const PluginConfig config_;
  ClusterState cluster_;
  ClusterExtras extras_;
  const PodInfo pod_ = MakePod("{metadata: {name: p, namespace: shop}}");
};

TEST_F(CompleteFiltersTest, JudgesPorts) {
  PodExtras extras;
  extras.host_ports = {{"10.0.0.1", "TCP", 80}};
  EXPECT_EQ(Judge(extras),
            "node(s) didn't have free ports for the requested pod ports|");
  extras.host_ports = {{"0.0.0.0", "UDP", 80}};
  EXPECT_EQ(Judge(extras), "|");
}

TEST_F(CompleteFiltersTest, JudgesClaims) {
  EXPECT_EQ(Judge(WithClaim("in-b")), "node(s) had no available volume zone|");
  Add(kCsi);
  const std::string missing = "persistentvolumeclaim \"x\" not found";
  EXPECT_EQ(Judge(WithClaim("x")), missing + "|" + missing);
  const std::string in_use =
      "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod "
      "access mode already in-use by another pod";
  EXPECT_EQ(Judge(WithClaim("alone")), in_use + "|" + in_use);
  // n1 has one volume of the driver already.
  EXPECT_EQ(Judge(WithClaim("new")), "node(s) exceed max volume count|");
}

TEST_F(CompleteFiltersTest, SaysWhatItLacks) {
  const CompleteFilters filters = Make(WithClaim("new"));
  EXPECT_THAT(filters.checked, Contains("VolumeZone"));
  EXPECT_THAT(filters.checked, Not(Contains("NodeVolumeLimits")));
  EXPECT_EQ(filters.not_checked,
            (std::vector<NotChecked>{
                {{"VolumeBinding"},
                 "whether d has enough free storage: no CSIDriver is known"},
                {{"NodeVolumeLimits"}, "no CSINode is known"}}));
  Add(kCsi);
  EXPECT_THAT(Make(WithClaim("new")).not_checked, IsEmpty());
}

TEST_F(CompleteFiltersTest, SaysWhatItHasNot) {
  PodExtras extras;
  extras.resource_claims = true;
  extras.volumes.emplace_back().in_tree = "rbd";
  const CompleteFilters filters = Make(extras);
  ASSERT_EQ(filters.not_checked.size(), 2);
  EXPECT_EQ(
      filters.not_checked[0].plugins,
      (std::vector<std::string>{"NodeVolumeLimits", "VolumeRestrictions"}));
  EXPECT_EQ(filters.not_checked[1].plugins,
            (std::vector<std::string>{"DynamicResources"}));
}

TEST_F(CompleteFiltersTest, WhatDoesNotRunIsNeitherCheckedNorMissed) {
  PodExtras extras;
  extras.resource_claims = true;
  const CompleteFilters filters = MakeCompleteFilters(
      config_, [](std::string_view name) { return name == "NodeName"; }, pod_,
      extras, extras_);
  EXPECT_EQ(filters.checked, (std::vector<std::string>{"NodeName"}));
  EXPECT_THAT(filters.not_checked, IsEmpty());
}

}  // namespace
}  // namespace vicinal
