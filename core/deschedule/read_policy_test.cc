#include "core/deschedule/read_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kHead[] =
    "apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n";

absl::StatusOr<Policy> Read(const std::string& rest) {
  return ReadPolicy(absl::StrCat(kHead, rest));
}

// A profile with these plugin configs and every strategy.
absl::StatusOr<Policy> WithConfig(const std::string& config) {
  return Read(absl::StrCat("profiles: [{name: p, pluginConfig: [", config,
                           "], plugins: {deschedule: {enabled: "
                           "[RemovePodsViolatingNodeTaints, "
                           "RemovePodsViolatingNodeAffinity]}}}]"));
}

std::string ErrorOf(const absl::StatusOr<Policy>& policy) {
  return std::string(policy.status().message());
}

TEST(ReadPolicyTest, ReadsAPolicyAsTheDeschedulerHasIt) {
  const absl::StatusOr<Policy> policy = Read(R"(
nodeSelector: "pool in (a, b),!old"
maxNoOfPodsToEvictPerNode: 1
maxNoOfPodsToEvictPerNamespace: 2
maxNoOfPodsToEvictTotal: 3
gracePeriodSeconds: 30
profiles:
- name: default
  pluginConfig:
  - name: DefaultEvictor
    args:
      evictLocalStoragePods: true
      ignorePvcPods: true
      nodeFit: true
      minReplicas: 2
      minPodAge: 1h30m
      priorityThreshold: {value: 1000}
      labelSelector: {matchLabels: {app: web}}
      namespaceLabelSelector: {matchLabels: {team: t}}
  - name: RemovePodsViolatingNodeAffinity
    args:
      nodeAffinityType: [preferredDuringSchedulingIgnoredDuringExecution]
      namespaces: {exclude: [kube-system]}
  - name: RemovePodsViolatingTopologySpreadConstraint
    args: {constraints: [DoNotSchedule, ScheduleAnyway]}
  - name: RemovePodsViolatingNodeTaints
    args: {includePreferNoSchedule: true, excludedTaints: [a, b=c]}
  plugins:
    filter: {enabled: [DefaultEvictor]}
    deschedule:
      enabled: [RemovePodsViolatingNodeAffinity, RemovePodsViolatingNodeTaints]
    balance:
      enabled: [RemovePodsViolatingTopologySpreadConstraint, RemoveDuplicates]
)");
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_EQ(policy->max_per_node, 1);
  EXPECT_EQ(policy->max_per_namespace, 2);
  EXPECT_EQ(policy->max_total, 3);
  EXPECT_EQ(policy->max_per_owner, 1);
  EXPECT_EQ(policy->grace_period_seconds, 30);
  EXPECT_TRUE(policy->node_selector->Matches({{"pool", "b"}}));
  EXPECT_FALSE(policy->node_selector->Matches({{"pool", "c"}}));
  EXPECT_FALSE(policy->node_selector->Matches({{"pool", "a"}, {"old", ""}}));
  ASSERT_EQ(policy->profiles.size(), 1u);
  const EvictorArgs& evictor = policy->profiles[0].evictor;
  EXPECT_TRUE(evictor.evict_local_storage);
  EXPECT_FALSE(evictor.evict_daemon_set);
  EXPECT_TRUE(evictor.protect_pvc);
  EXPECT_EQ(evictor.min_replicas, 2);
  EXPECT_EQ(evictor.min_pod_age, std::chrono::minutes(90));
  EXPECT_EQ(evictor.priority_threshold, 1000);
  EXPECT_TRUE(evictor.label_selector->Matches({{"app", "web"}}));
  EXPECT_FALSE(evictor.namespace_label_selector->Matches({}));
  const std::vector<Strategy>& strategies = policy->profiles[0].strategies;
  ASSERT_EQ(strategies.size(), 4u);
  EXPECT_EQ(strategies[0].kind, StrategyKind::kNodeAffinity);
  EXPECT_FALSE(strategies[0].required_node_affinity);
  EXPECT_TRUE(strategies[0].preferred_node_affinity);
  EXPECT_THAT(strategies[0].exclude_namespaces, ElementsAre("kube-system"));
  EXPECT_EQ(strategies[1].kind, StrategyKind::kNodeTaints);
  EXPECT_TRUE(strategies[1].include_prefer_no_schedule);
  EXPECT_THAT(strategies[1].excluded_taints, ElementsAre("a", "b=c"));
  EXPECT_EQ(strategies[2].kind, StrategyKind::kTopologySpread);
  EXPECT_TRUE(strategies[2].schedule_anyway);
  EXPECT_EQ(strategies[3].kind, StrategyKind::kDuplicates);
}

TEST(ReadPolicyTest, ReadsTheExtensions) {
  const absl::StatusOr<Policy> policy = Read(R"(
vicinal.maxNoOfPodsToEvictPerOwner: 0
profiles:
- name: p
  plugins:
    deschedule: {enabled: [vicinal.RequiredPodAffinity]}
    balance: {enabled: [vicinal.SoftAntiAffinity]}
)");
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_EQ(policy->max_per_owner, std::nullopt);
  EXPECT_EQ(policy->profiles[0].strategies[0].kind,
            StrategyKind::kRequiredPodAffinity);
  EXPECT_EQ(policy->profiles[0].strategies[1].kind,
            StrategyKind::kSoftAntiAffinity);
}

TEST(ReadPolicyTest, ReadsBothSpellingsOfProtections) {
  const absl::StatusOr<Policy> policy = WithConfig(
      "{name: DefaultEvictor, args: {noEvictionPolicy: Mandatory, "
      "podProtections: {extraEnabled: [PodsWithPVC, PodsWithResourceClaims], "
      "defaultDisabled: [PodsWithLocalStorage, DaemonSetPods, "
      "SystemCriticalPods, FailedBarePods]}}}");
  ASSERT_TRUE(policy.ok()) << policy.status();
  const EvictorArgs& evictor = policy->profiles[0].evictor;
  EXPECT_TRUE(evictor.evict_local_storage);
  EXPECT_TRUE(evictor.evict_daemon_set);
  EXPECT_TRUE(evictor.evict_system_critical);
  EXPECT_TRUE(evictor.protect_pvc);
  EXPECT_TRUE(evictor.protect_resource_claims);
  EXPECT_TRUE(evictor.respect_prefer_no_eviction);
}

TEST(ReadPolicyTest, DisabledPluginsDoNotRun) {
  const absl::StatusOr<Policy> policy = Read(
      "profiles: [{name: p, plugins: {deschedule: {enabled: "
      "[RemovePodsViolatingNodeTaints, RemovePodsViolatingNodeAffinity], "
      "disabled: [RemovePodsViolatingNodeTaints]}}}]");
  ASSERT_TRUE(policy.ok()) << policy.status();
  ASSERT_EQ(policy->profiles[0].strategies.size(), 1u);
  EXPECT_EQ(policy->profiles[0].strategies[0].kind,
            StrategyKind::kNodeAffinity);
}

TEST(ReadPolicyTest, StrategiesThatAreNotThereAreRefusedByName) {
  EXPECT_EQ(ErrorOf(Read("profiles: [{plugins: {balance: {enabled: "
                         "[RemoveDuplicate]}}}]")),
            "profiles[0].plugins.balance.enabled[0]: unknown strategy "
            "\"RemoveDuplicate\"; did you mean \"RemoveDuplicates\"?");
  EXPECT_EQ(ErrorOf(Read("profiles: [{plugins: {sort: {enabled: [Mine]}}}]")),
            "profiles[0].plugins.sort.enabled[0]: unknown strategy \"Mine\"");
}

// A policy that is refused: two strategies that are not there, one with args
// that are not, and one that is.
constexpr char kManyUnsupported[] =
    "profiles: [{name: p, pluginConfig: [{name: Yours, args: {}}, {name: "
    "LowNodeUtilization, args: {metricsUtilization: {source: "
    "KubernetesMetrics}}}], plugins: {deschedule: {enabled: "
    "[RemovePodsViolatingNodeTaints, Mine]}, balance: {enabled: "
    "[LowNodeUtilization, Yours]}}}]";

TEST(ReadPolicyTest, AllStrategiesThatAreNotThereAreNamedAtOnce) {
  EXPECT_EQ(
      ErrorOf(Read(kManyUnsupported)),
      "profiles[0].pluginConfig[0].name: unknown strategy \"Yours\"; "
      "profiles[0].pluginConfig[1].args.metricsUtilization: vicinal does not "
      "support metrics; profiles[0].plugins.deschedule.enabled[1]: unknown "
      "strategy \"Mine\"");
}

TEST(ReadPolicyTest, StrategiesThatAreNotThereCanBeSkipped) {
  const absl::StatusOr<Policy> policy =
      ReadPolicy(absl::StrCat(kHead, kManyUnsupported), true);
  ASSERT_TRUE(policy.ok()) << policy.status();
  ASSERT_EQ(policy->profiles[0].strategies.size(), 1u);
  EXPECT_EQ(policy->profiles[0].strategies[0].kind, StrategyKind::kNodeTaints);
  ASSERT_EQ(policy->skipped.size(), 3u);
  EXPECT_EQ(policy->skipped[2].profile, "p");
  EXPECT_EQ(policy->skipped[2].name, "Mine");
  EXPECT_EQ(policy->skipped[2].reason,
            "profiles[0].plugins.deschedule.enabled[1]: unknown strategy "
            "\"Mine\"");
  // What restricts evictions is not skipped.
  EXPECT_EQ(ErrorOf(ReadPolicy(
                absl::StrCat(kHead,
                             "profiles: [{pluginConfig: [{name: "
                             "DefaultEvictor, args: {ignorePodsWithoutPDB: "
                             "true}}]}]"),
                true)),
            "profiles[0].pluginConfig[0].args.ignorePodsWithoutPDB: vicinal "
            "does not support ignorePodsWithoutPDB");
}

TEST(ReadPolicyTest, APolicyMayBeInAConfigMap) {
  const std::string head =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: policy}\ndata:\n";
  const absl::StatusOr<Policy> policy =
      ReadPolicy(head +
                 "  policy.yaml: |\n"
                 "    apiVersion: descheduler/v1alpha2\n"
                 "    kind: DeschedulerPolicy\n"
                 "    maxNoOfPodsToEvictTotal: 3\n");
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_EQ(policy->max_total, 3);
  EXPECT_EQ(ErrorOf(ReadPolicy(head + "  policy.yaml: '{kind: Pod}'\n")),
            "data[\"policy.yaml\"]: apiVersion: must be "
            "\"descheduler/v1alpha2\", got \"\"");
  EXPECT_EQ(ErrorOf(ReadPolicy(head + "  other.yaml: ''\n")),
            "data.policy.yaml: required");
}

TEST(ReadPolicyTest, ReadsTheStrategiesAboutAPodsStatus) {
  const absl::StatusOr<Policy> policy = Read(R"(
profiles:
- name: p
  pluginConfig:
  - name: DefaultEvictor
    args: {nodeFit: true, evictFailedBarePods: true}
  - name: RemovePodsHavingTooManyRestarts
    args: {podRestartThreshold: 100, includingInitContainers: true, states: [CrashLoopBackOff], labelSelector: {matchLabels: {a: b}}}
  - name: RemoveFailedPods
    args: {reasons: [OutOfcpu], exitCodes: [1, -2], includingInitContainers: true, excludeOwnerKinds: [Job], minPodLifetimeSeconds: 60}
  - name: PodLifeTime
    args: {maxPodLifeTimeSeconds: 604800, states: [Pending, PodInitializing], ownerKinds: {include: [Job]}, exitCodes: [3], includingEphemeralContainers: true, conditions: [{reason: PodCompleted, status: "True", minTimeSinceLastTransitionSeconds: 14400}], namespaces: {include: [default]}}
  plugins:
    deschedule: {enabled: [RemovePodsHavingTooManyRestarts, RemoveFailedPods, PodLifeTime]}
)");
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_TRUE(LooksAtFinishedPods(*policy));
  EXPECT_TRUE(policy->profiles[0].evictor.node_fit);
  EXPECT_TRUE(policy->profiles[0].evictor.evict_failed_bare);
  const std::vector<Strategy>& strategies = policy->profiles[0].strategies;
  ASSERT_EQ(strategies.size(), 3u);
  EXPECT_EQ(strategies[0].restart_threshold, 100);
  EXPECT_TRUE(strategies[0].including_init_containers);
  EXPECT_THAT(strategies[0].states, ElementsAre("CrashLoopBackOff"));
  EXPECT_TRUE(strategies[0].label_selector->Matches({{"a", "b"}}));
  EXPECT_EQ(strategies[1].min_age_seconds, 60);
  EXPECT_THAT(strategies[1].reasons, ElementsAre("OutOfcpu"));
  EXPECT_THAT(strategies[1].exit_codes, ElementsAre(1, -2));
  EXPECT_THAT(strategies[1].exclude_owner_kinds, ElementsAre("Job"));
  EXPECT_EQ(strategies[2].max_age_seconds, 604800);
  EXPECT_THAT(strategies[2].states, ElementsAre("Pending", "PodInitializing"));
  EXPECT_THAT(strategies[2].include_owner_kinds, ElementsAre("Job"));
  EXPECT_THAT(strategies[2].exit_codes, ElementsAre(3));
  EXPECT_TRUE(strategies[2].including_ephemeral_containers);
  ASSERT_EQ(strategies[2].conditions.size(), 1u);
  EXPECT_EQ(strategies[2].conditions[0].reason, "PodCompleted");
  EXPECT_EQ(strategies[2].conditions[0].status, "True");
  EXPECT_EQ(strategies[2].conditions[0].min_seconds_since, 14400);
  EXPECT_FALSE(LooksAtFinishedPods(DefaultPolicy()));
}

TEST(ReadPolicyTest, WhatUpstreamRefusesOfAPodsStatusIsRefused) {
  const auto error = [](const std::string& name, const std::string& args) {
    return ErrorOf(
        WithConfig(absl::StrCat("{name: ", name, ", args: ", args, "}")));
  };
  const std::string at = "profiles[0].pluginConfig[0].args";
  EXPECT_EQ(error("RemovePodsHavingTooManyRestarts", "{}"),
            at + ".podRestartThreshold: invalid PodsHavingTooManyRestarts "
                 "threshold, got 0");
  EXPECT_EQ(error("RemovePodsHavingTooManyRestarts",
                  "{podRestartThreshold: 1, states: [Running, Pending]}"),
            at + ".states[1]: states must be one of [CrashLoopBackOff Running]"
                 ", got \"Pending\"");
  EXPECT_EQ(error("RemovePodsHavingTooManyRestarts", "{reasons: [a]}"),
            at + ".reasons: unknown field");
  EXPECT_EQ(error("RemoveFailedPods", "{minPodLifetimeSeconds: -1}"),
            at + ".minPodLifetimeSeconds: must not be negative, got -1");
  EXPECT_EQ(error("PodLifeTime", "{includingInitContainers: true}"),
            at + ": at least one filtering criterion must be specified "
                 "(maxPodLifeTimeSeconds, states, conditions, or exitCodes)");
  EXPECT_EQ(error("PodLifeTime", "{conditions: [{}]}"),
            at + ".conditions[0]: at least one of type, status, reason, or "
                 "minTimeSinceLastTransitionSeconds must be set");
  EXPECT_EQ(error("PodLifeTime", "{ownerKinds: {include: [a], exclude: [b]}}"),
            at + ".ownerKinds: only one of Include/Exclude ownerKinds can be "
                 "set");
  EXPECT_THAT(error("PodLifeTime", "{states: [Started]}"),
              ::testing::HasSubstr("StartError Succeeded UnexpectedAdmission"
                                   "Error Unknown], got \"Started\""));
  EXPECT_EQ(ErrorOf(Read("profiles: [{plugins: {deschedule: {enabled: "
                         "[PodLifeTime]}}}]")),
            "profiles[0].pluginConfig.PodLifeTime.args: at least one filtering "
            "criterion must be specified (maxPodLifeTimeSeconds, states, "
            "conditions, or exitCodes)");
}

TEST(ReadPolicyTest, ReadsTheStrategiesAboutUtilization) {
  const absl::StatusOr<Policy> policy = Read(R"(
profiles:
- name: p
  pluginConfig:
  - name: LowNodeUtilization
    args: {thresholds: {cpu: 20, pods: 10.5}, targetThresholds: {cpu: 10, pods: 50}, useDeviationThresholds: true, numberOfNodes: 3, evictableNamespaces: {exclude: [kube-system]}, metricsUtilization: null}
  - name: HighNodeUtilization
    args: {thresholds: {memory: 20}, evictionModes: [OnlyThresholdingResources]}
  plugins:
    balance: {enabled: [LowNodeUtilization, HighNodeUtilization]}
)");
  ASSERT_TRUE(policy.ok()) << policy.status();
  const std::vector<Strategy>& strategies = policy->profiles[0].strategies;
  ASSERT_EQ(strategies.size(), 2u);
  const UtilizationArgs& low = strategies[0].utilization;
  EXPECT_EQ(low.thresholds, (ResourceThresholds{{"cpu", 20}, {"pods", 10.5}}));
  EXPECT_EQ(low.target_thresholds,
            (ResourceThresholds{{"cpu", 10}, {"pods", 50}}));
  EXPECT_TRUE(low.use_deviation_thresholds);
  EXPECT_EQ(low.number_of_nodes, 3);
  EXPECT_THAT(strategies[0].exclude_namespaces, ElementsAre("kube-system"));
  EXPECT_TRUE(strategies[1].utilization.only_thresholding_resources);
  EXPECT_FALSE(LooksAtFinishedPods(*policy));
}

TEST(ReadPolicyTest, WhatUpstreamRefusesOfUtilizationIsRefused) {
  const auto error = [](const std::string& name, const std::string& args) {
    return ErrorOf(
        WithConfig(absl::StrCat("{name: ", name, ", args: ", args, "}")));
  };
  const std::string at = "profiles[0].pluginConfig[0].args";
  EXPECT_EQ(error("LowNodeUtilization", "{}"),
            at + ".thresholds: no resource threshold is configured");
  EXPECT_EQ(error("LowNodeUtilization", "{thresholds: {cpu: 1}}"),
            at + ".targetThresholds: no resource threshold is configured");
  EXPECT_EQ(error("LowNodeUtilization", "{thresholds: {cpu: 101}}"),
            at + ".thresholds.cpu: cpu threshold not in [0, 100] range, got "
                 "101");
  EXPECT_EQ(error("LowNodeUtilization", "{thresholds: {cpu: much}}"),
            at + ".thresholds.cpu: must be a number, got \"much\"");
  EXPECT_EQ(error("LowNodeUtilization",
                  "{thresholds: {cpu: 1}, targetThresholds: {memory: 2}}"),
            at + ": thresholds and targetThresholds configured different "
                 "resources");
  EXPECT_EQ(error("LowNodeUtilization",
                  "{thresholds: {cpu: 3}, targetThresholds: {cpu: 2}}"),
            at + ".thresholds.cpu: thresholds' cpu percentage is greater than "
                 "targetThresholds', got 3 and 2");
  EXPECT_EQ(error("HighNodeUtilization",
                  "{thresholds: {cpu: 3}, targetThresholds: {cpu: 2}}"),
            at + ".targetThresholds: unknown field");
  EXPECT_EQ(error("HighNodeUtilization",
                  "{thresholds: {cpu: 3}, evictionModes: [All]}"),
            at + ".evictionModes[0]: invalid eviction mode \"All\"");
  EXPECT_EQ(error("HighNodeUtilization",
                  "{thresholds: {cpu: 3}, evictableNamespaces: {include: "
                  "[a]}}"),
            at + ".evictableNamespaces.include: only Exclude namespaces can "
                 "be set, inclusion is not supported");
  EXPECT_EQ(error("LowNodeUtilization", "{evictionLimits: {node: 1}}"),
            at + ".evictionLimits: vicinal does not support limits of one "
                 "strategy");
}

TEST(ReadPolicyTest, ErrorsNameTheFieldAndTheValue) {
  EXPECT_EQ(ErrorOf(ReadPolicy("apiVersion: v1\nkind: DeschedulerPolicy")),
            "apiVersion: must be \"descheduler/v1alpha2\", got \"v1\"");
  EXPECT_EQ(ErrorOf(ReadPolicy("apiVersion: descheduler/v1alpha2\nkind: Pod")),
            "kind: must be \"DeschedulerPolicy\", got \"Pod\"");
  EXPECT_EQ(ErrorOf(Read("maxNoOfPodsToEvictPerNodes: 1")),
            "maxNoOfPodsToEvictPerNodes: unknown field");
  EXPECT_EQ(ErrorOf(Read("maxNoOfPodsToEvictTotal: -1")),
            "maxNoOfPodsToEvictTotal: must not be negative, got -1");
  EXPECT_EQ(ErrorOf(Read("nodeSelector: 'a in b'")),
            "nodeSelector: cannot read \"a in b\" as a label selector");
  EXPECT_EQ(ErrorOf(Read("metricsProviders: []")),
            "metricsProviders: vicinal does not support metrics");
  EXPECT_EQ(ErrorOf(WithConfig("{name: DefaultEvictor, args: {nodefit: "
                               "true}}")),
            "profiles[0].pluginConfig[0].args.nodefit: unknown field");
  EXPECT_EQ(ErrorOf(WithConfig("{name: DefaultEvictor, args: {minPodAge: "
                               "tomorrow}}")),
            "profiles[0].pluginConfig[0].args.minPodAge: must be a duration "
            "such as \"1h30m\", got \"tomorrow\"");
  EXPECT_EQ(ErrorOf(WithConfig("{name: DefaultEvictor, args: "
                               "{ignorePodsWithoutPDB: true}}")),
            "profiles[0].pluginConfig[0].args.ignorePodsWithoutPDB: vicinal "
            "does not support ignorePodsWithoutPDB");
  EXPECT_EQ(
      ErrorOf(WithConfig("{name: DefaultEvictor, args: {podProtections: "
                         "{defaultDisabled: [PodsWithPVC]}}}")),
      "profiles[0].pluginConfig[0].args.podProtections.defaultDisabled[0]: "
      "unknown protection \"PodsWithPVC\"");
  EXPECT_EQ(ErrorOf(WithConfig(
                "{name: DefaultEvictor, args: {evictDaemonSetPods: true, "
                "podProtections: {extraEnabled: [PodsWithPVC]}}}")),
            "profiles[0].pluginConfig[0].args.podProtections: cannot be used "
            "beside the deprecated fields evict… and ignore…");
  EXPECT_EQ(ErrorOf(WithConfig("{name: DefaultEvictor, args: "
                               "{priorityThreshold: {name: high}}}")),
            "profiles[0].pluginConfig[0].args.priorityThreshold.name: vicinal "
            "does not support the PriorityClass \"high\" by name; give its "
            "value");
  EXPECT_EQ(ErrorOf(WithConfig(
                "{name: RemovePodsViolatingNodeTaints, args: {namespaces: "
                "{include: [a], exclude: [b]}}}")),
            "profiles[0].pluginConfig[0].args.namespaces: only one of include "
            "and exclude can be set");
  EXPECT_EQ(ErrorOf(WithConfig("{name: RemovePodsViolatingNodeAffinity, args: "
                               "{nodeAffinityType: [required]}}")),
            "profiles[0].pluginConfig[0].args.nodeAffinityType[0]: must be "
            "requiredDuringSchedulingIgnoredDuringExecution or "
            "preferredDuringSchedulingIgnoredDuringExecution, got "
            "\"required\"");
  EXPECT_EQ(ErrorOf(WithConfig("{name: RemovePodsViolatingNodeTaints, args: "
                               "{constraints: [DoNotSchedule]}}")),
            "profiles[0].pluginConfig[0].args.constraints: unknown field");
}

TEST(ReadPolicyTest, TheDefaultHasEveryHardRule) {
  const Policy policy = DefaultPolicy();
  ASSERT_EQ(policy.profiles.size(), 1u);
  EXPECT_EQ(policy.profiles[0].strategies.size(), 5u);
  EXPECT_EQ(policy.max_per_owner, 1);
  EXPECT_THAT(policy.profiles[0].strategies[0].include_namespaces, IsEmpty());
}

}  // namespace
}  // namespace vicinal
