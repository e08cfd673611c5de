#include "core/simulate/append_json.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/object.h"
#include "core/model/read_objects.h"
#include "core/testing/each_field.h"

namespace vicinal {
namespace {

// Objects in which every field that is known is set.
constexpr char kObjects[] = R"(
kind: Pod
metadata:
  name: p
  namespace: shop
  uid: u1
  labels: {app: "we\"b", tier: ""}
  deletionTimestamp: "2026-01-01T00:00:00Z"
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, controller: true}]
spec:
  nodeName: w1
  schedulerName: s
  priority: -3
  nodeSelector: {disk: ssd}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{key: a, operator: In, values: [b, c]}]
          matchFields: [{key: metadata.name, operator: In, values: [w1]}]
        - {}
      preferredDuringSchedulingIgnoredDuringExecution: []
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: zone
        namespaces: [a, b]
        namespaceSelector: {}
        labelSelector: {matchExpressions: [{key: x, operator: Exists}]}
        matchLabelKeys: [k]
        mismatchLabelKeys: [m]
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 7
        podAffinityTerm: {topologyKey: zone}
  tolerations: [{key: k, operator: Exists, effect: NoSchedule}, {}]
  topologySpreadConstraints:
  - maxSkew: 2
    topologyKey: zone
    whenUnsatisfiable: DoNotSchedule
    labelSelector: {matchLabels: {app: web}}
    minDomains: 3
    nodeAffinityPolicy: Ignore
    nodeTaintsPolicy: Honor
    matchLabelKeys: [pod-template-hash]
  containers: [{name: c, image: i, resources: {requests: {cpu: 250m, memory: 1Gi}}}]
  initContainers: [{name: d, restartPolicy: Always}]
  overhead: {cpu: 10m}
  resources: {requests: {cpu: "2"}}
  volumes: [{image: {reference: r}}]
status:
  phase: Running
  nominatedNodeName: m
  containerStatuses:
  - {name: c, allocatedResources: {cpu: 1}, resources: {requests: {cpu: 1}}}
  allocatedResources: {cpu: 1}
  resources: {requests: {cpu: 1}}
  conditions: [{type: PodResizePending, reason: Infeasible}]
---
kind: Node
metadata: {name: w1, labels: {zone: a}}
spec: {unschedulable: true, taints: [{key: k, value: v, effect: NoExecute}]}
status:
  allocatable: {cpu: "4", memory: 8Gi, pods: 110, example.com/gpu: 2}
  images: [{names: [a, b], sizeBytes: 12345}]
---
kind: Namespace
metadata: {name: shop, labels: {team: a}}
---
kind: Service
metadata: {name: s, namespace: shop}
spec: {selector: {app: web}}
---
kind: ReplicationController
metadata: {name: c, namespace: shop}
spec: {selector: {app: web}}
---
kind: ReplicaSet
metadata: {name: r, namespace: shop}
spec: {selector: {matchLabels: {app: web}}}
---
kind: StatefulSet
metadata: {name: t, namespace: shop}
spec: {selector: {matchExpressions: [{key: app, operator: In, values: [db]}]}}
)";

// The object after it was written and read.
absl::StatusOr<std::vector<Object>> WriteAndRead(const Object& object) {
  std::string text;
  std::visit([&text](const auto& known) { AppendJson(known, text); }, object);
  return ReadObjects(text);
}

TEST(AppendJsonTest, WhatIsWrittenReadsAsTheSameObject) {
  const absl::StatusOr<std::vector<Object>> objects = ReadObjects(kObjects);
  ASSERT_TRUE(objects.ok()) << objects.status();
  ASSERT_EQ(objects->size(), 7u);
  for (const Object& object : *objects) {
    const absl::StatusOr<std::vector<Object>> read = WriteAndRead(object);
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_EQ(read->size(), 1u);
    EXPECT_TRUE(read->front() == object) << MetaOf(object).name;
  }
}

template <typename T>
class AppendJsonOfEachKindTest : public ::testing::Test {};
using Kinds = ::testing::Types<Pod, Node, Namespace, Service,
                               ReplicationController, ReplicaSet, StatefulSet>;
TYPED_TEST_SUITE(AppendJsonOfEachKindTest, Kinds);

TYPED_TEST(AppendJsonOfEachKindTest, NoFieldIsForgotten) {
  const auto objects = EachField<TypeParam>();
  ASSERT_FALSE(objects.empty());
  for (const OneField<TypeParam>& one : objects) {
    const absl::StatusOr<std::vector<Object>> read = WriteAndRead(one.object);
    ASSERT_TRUE(read.ok()) << one.path << ": " << read.status();
    ASSERT_EQ(read->size(), 1u);
    EXPECT_TRUE(std::get<TypeParam>(read->front()) == one.object) << one.path;
  }
}

}  // namespace
}  // namespace vicinal
