#include "core/deschedule/decode_pod_facts.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/model/yaml.h"

namespace vicinal {
namespace {

PodFacts FactsOf(std::string_view yaml) {
  const absl::StatusOr<std::vector<std::string>> documents = YamlToJson(yaml);
  EXPECT_TRUE(documents.ok()) << documents.status();
  JsonReader reader;
  const absl::StatusOr<PodFacts> facts =
      reader.ReadCopy<PodFacts>(documents->front());
  EXPECT_TRUE(facts.ok()) << facts.status();
  return facts.value_or(PodFacts());
}

TEST(PodFactsTest, AnnotationsSayWhereAPodComesFrom) {
  EXPECT_EQ(FactsOf("{metadata: {annotations: {a: b}}}"), PodFacts());
  EXPECT_TRUE(
      FactsOf("{metadata: {annotations: {kubernetes.io/config.mirror: x}}}")
          .mirror);
  EXPECT_TRUE(
      FactsOf("{metadata: {annotations: {kubernetes.io/config.source: file}}}")
          .is_static);
  EXPECT_FALSE(
      FactsOf("{metadata: {annotations: {kubernetes.io/config.source: api}}}")
          .is_static);
  const PodFacts facts = FactsOf(
      "{metadata: {annotations: {descheduler.alpha.kubernetes.io/evict: '', "
      "descheduler.alpha.kubernetes.io/prefer-no-eviction: ''}}}");
  EXPECT_TRUE(facts.evict_annotation);
  EXPECT_TRUE(facts.prefer_no_eviction);
}

TEST(PodFactsTest, Volumes) {
  EXPECT_TRUE(
      FactsOf("{spec: {volumes: [{name: v, emptyDir: {}}]}}").local_storage);
  EXPECT_TRUE(FactsOf("{spec: {volumes: [{name: v, hostPath: {path: /}}]}}")
                  .local_storage);
  const PodFacts facts = FactsOf(
      "{spec: {volumes: [{name: v, configMap: {}}, {name: w, "
      "persistentVolumeClaim: {claimName: c}}], resourceClaims: [{name: r}]}}");
  EXPECT_FALSE(facts.local_storage);
  EXPECT_TRUE(facts.pvc);
  EXPECT_TRUE(facts.resource_claims);
}

TEST(PodFactsTest, TheQosClassFollowsFromTheResourcesIfItIsNotTold) {
  EXPECT_EQ(FactsOf("{status: {qosClass: Guaranteed}}").qos,
            QosClass::kGuaranteed);
  EXPECT_EQ(FactsOf("{spec: {containers: [{name: c}]}}").qos,
            QosClass::kBestEffort);
  EXPECT_EQ(
      FactsOf("{spec: {containers: [{resources: {requests: {cpu: 1}}}]}}").qos,
      QosClass::kBurstable);
  EXPECT_EQ(FactsOf("{spec: {containers: [{resources: {limits: {cpu: 1, "
                    "memory: 1Gi}, requests: {cpu: 1000m}}}]}}")
                .qos,
            QosClass::kGuaranteed);
  EXPECT_EQ(FactsOf("{spec: {containers: [{resources: {limits: {cpu: 1, "
                    "memory: 1Gi}}}, {name: d}]}}")
                .qos,
            QosClass::kBurstable);
}

TEST(PodFactsTest, HowAPodFares) {
  EXPECT_EQ(FactsOf("{metadata: {name: a}, status: {}}").status, nullptr);
  const PodFacts facts = FactsOf(R"(
metadata: {creationTimestamp: "2026-01-01T00:00:10Z"}
status:
  phase: Failed
  reason: Evicted
  conditions:
  - {type: Ready, status: "False", reason: PodFailed, lastTransitionTime: "2026-01-01T00:00:20Z"}
  - {type: Initialized, status: "True", lastTransitionTime: null}
  containerStatuses:
  - {name: a, restartCount: 3, state: {waiting: {reason: CrashLoopBackOff}}}
  - {name: b, restartCount: 0, state: {terminated: {reason: Error, exitCode: 2}}}
  initContainerStatuses: [{name: c, restartCount: 7, state: {running: {}}}]
  ephemeralContainerStatuses: [{name: d, state: {terminated: {exitCode: 0}}}]
)");
  ASSERT_NE(facts.status, nullptr);
  using Kind = ContainerFacts::Kind;
  PodStatusFacts want;
  want.creation_time = 1767225610;
  want.phase = "Failed";
  want.reason = "Evicted";
  want.conditions = {{"Ready", "False", "PodFailed", 1767225620},
                     {"Initialized", "True", "", std::nullopt}};
  want.containers = {{Kind::kMain, 3, "CrashLoopBackOff", "", std::nullopt},
                     {Kind::kMain, 0, "", "Error", 2},
                     {Kind::kInit, 7, "", "", std::nullopt},
                     {Kind::kEphemeral, 0, "", "", 0}};
  EXPECT_EQ(*facts.status, want);
}

TEST(PodFactsTest, ErrorsNameTheField) {
  JsonReader reader;
  EXPECT_EQ(std::string(reader.ReadCopy<PodFacts>(R"({"spec":{"volumes":5}})")
                            .status()
                            .message()),
            "spec.volumes: must be an array, got 5");
  EXPECT_EQ(std::string(reader
                            .ReadCopy<PodFacts>(
                                R"({"metadata":{"creationTimestamp":"now"}})")
                            .status()
                            .message()),
            "metadata.creationTimestamp: must be an RFC 3339 time, got "
            "\"now\"");
}

}  // namespace
}  // namespace vicinal
