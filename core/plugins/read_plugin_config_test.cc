#include "core/plugins/read_plugin_config.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace vicinal {
namespace {

// An object around the list, so that errors have a path.
struct Profile {
  PluginConfig config;
};

absl::Status Decode(JsonValue value, const JsonPath& path, Profile* out) {
  return ForEachField(
      value, path,
      [out](std::string_view, JsonValue field, const JsonPath& where) {
        return Decode(field, where, &out->config);
      });
}

absl::StatusOr<PluginConfig> Read(const std::string& list) {
  absl::StatusOr<Profile> profile =
      JsonReader().ReadCopy<Profile>("{\"c\":" + list + "}");
  if (!profile.ok()) return profile.status();
  return profile->config;
}

absl::StatusOr<PluginConfig> ReadArgs(const std::string& plugin,
                                      const std::string& args) {
  return Read(R"([{"name":")" + plugin + R"(","args":)" + args + "}]");
}

std::string Error(const absl::StatusOr<PluginConfig>& config) {
  return config.ok() ? "" : std::string(config.status().message());
}

TEST(PluginConfigTest, DefaultsAreThoseOfUpstream) {
  for (const char* list :
       {"null", "[]", R"([{"name":"InterPodAffinity"}])",
        R"([{"name":"NodeResourcesFit","args":null}])",
        R"([{"name":"NodeResourcesFit","args":{"scoringStrategy":null}},)"
        R"({"name":"PodTopologySpread","args":{}},)"
        R"({"name":"InterPodAffinity","args":{"hardPodAffinityWeight":null}},)"
        R"({"name":"NodeResourcesBalancedAllocation","args":)"
        R"({"resources":[]}}])"}) {
    const absl::StatusOr<PluginConfig> config = Read(list);
    ASSERT_TRUE(config.ok()) << config.status();
    EXPECT_EQ(*config, PluginConfig()) << list;
  }
  const PluginConfig config;
  EXPECT_EQ(config.inter_pod_affinity.hard_pod_affinity_weight, 1);
  EXPECT_FALSE(
      config.inter_pod_affinity.ignore_preferred_terms_of_existing_pods);
  EXPECT_TRUE(config.pod_topology_spread.system_defaulting);
  const std::vector<ResourceSpec> resources = {{"cpu", 1}, {"memory", 1}};
  EXPECT_EQ(config.node_resources_fit.scoring_strategy.type, "LeastAllocated");
  EXPECT_EQ(config.node_resources_fit.scoring_strategy.resources, resources);
  EXPECT_EQ(config.node_resources_balanced_allocation.resources, resources);
  EXPECT_FALSE(config.node_affinity.added_affinity.has_value());
}

TEST(PluginConfigTest, ReadsInterPodAffinityArgs) {
  const auto config = Read(R"([{"args":{"hardPodAffinityWeight":0,)"
                           R"("ignorePreferredTermsOfExistingPods":true,)"
                           R"("kind":"InterPodAffinityArgs",)"
                           R"("apiVersion":"kubescheduler.config.k8s.io/v1"},)"
                           R"("name":"InterPodAffinity"}])");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->inter_pod_affinity, (InterPodAffinityArgs{0, true}));
}

TEST(PluginConfigTest, ReadsPodTopologySpreadArgs) {
  const auto list = ReadArgs(
      "PodTopologySpread",
      R"({"defaultingType":"List","defaultConstraints":[{"maxSkew":3,)"
      R"("topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway"}]})");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_FALSE(list->pod_topology_spread.system_defaulting);
  ASSERT_EQ(list->pod_topology_spread.default_constraints.size(), 1u);
  EXPECT_EQ(list->pod_topology_spread.default_constraints[0].max_skew, 3);
  const auto none =
      ReadArgs("PodTopologySpread", R"({"defaultingType":"List"})");
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_FALSE(none->pod_topology_spread.system_defaulting);
}

TEST(PluginConfigTest, ReadsNodeResourcesArgs) {
  const auto config = Read(
      R"([{"name":"NodeResourcesFit","args":{"ignoredResources":["a.com/x"],)"
      R"("ignoredResourceGroups":["b.com"],"scoringStrategy":)"
      R"({"type":"RequestedToCapacityRatio","resources":[{"name":"cpu"},)"
      R"({"name":"memory","weight":0},{"name":"a.com/x","weight":7}],)"
      R"("requestedToCapacityRatio":{"shape":[{"utilization":0,"score":1},)"
      R"({"utilization":100,"score":10}]}}}},)"
      R"({"name":"NodeResourcesBalancedAllocation","args":)"
      R"({"resources":[{"name":"a.com/x"}]}}])");
  ASSERT_TRUE(config.ok()) << config.status();
  const NodeResourcesFitArgs& fit = config->node_resources_fit;
  EXPECT_EQ(fit.ignored_resources, std::vector<std::string>{"a.com/x"});
  EXPECT_EQ(fit.ignored_resource_groups, std::vector<std::string>{"b.com"});
  EXPECT_EQ(fit.scoring_strategy,
            (ScoringStrategy{"RequestedToCapacityRatio",
                             {{"cpu", 1}, {"memory", 1}, {"a.com/x", 7}},
                             {{0, 1}, {100, 10}}}));
  EXPECT_EQ(config->node_resources_balanced_allocation.resources,
            (std::vector<ResourceSpec>{{"a.com/x", 1}}));
}

TEST(PluginConfigTest, ReadsNodeAffinityArgs) {
  const auto config = ReadArgs(
      "NodeAffinity",
      R"({"addedAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
      R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone",)"
      R"("operator":"Exists"}]}]}}})");
  ASSERT_TRUE(config.ok()) << config.status();
  ASSERT_TRUE(config->node_affinity.added_affinity.has_value());
  EXPECT_EQ(config->node_affinity.added_affinity->required->size(), 1u);
}

TEST(PluginConfigTest, SkipsUpstreamsOtherPlugins) {
  EXPECT_EQ(Error(Read(R"([{"name":"DefaultPreemption","args":)"
                       R"({"minCandidateNodesPercentage":10}},)"
                       R"({"name":"VolumeBinding","args":{}},)"
                       R"({"name":"DynamicResources","args":{}}])")),
            "");
}

TEST(PluginConfigTest, UnknownAndRepeatedPluginsAreRefused) {
  EXPECT_EQ(Error(ReadArgs("Coscheduling", "{}")),
            "c[0].name: no plugin with arguments has the name "
            "\"Coscheduling\"");
  EXPECT_EQ(Error(Read(R"([{"name":"NodeAffinity"},{"name":"NodeAffinity"}])")),
            "c[1]: repeated config for plugin NodeAffinity");
}

TEST(PluginConfigTest, WrongTypesAreRefused) {
  EXPECT_EQ(Error(Read("{}")), "c: must be an array, got an object");
  EXPECT_EQ(Error(Read(R"(["x"])")), "c[0]: must be an object, got \"x\"");
  EXPECT_EQ(Error(ReadArgs("NodeAffinity", "[]")),
            "c[0].args: must be an object, got an array");
  EXPECT_EQ(
      Error(ReadArgs("InterPodAffinity", R"({"hardPodAffinityWeight":"1"})")),
      "c[0].args.hardPodAffinityWeight: must be a 32-bit integer, got "
      "\"1\"");
  EXPECT_EQ(
      Error(ReadArgs("InterPodAffinity", R"({"kind":"NodeAffinityArgs"})")),
      "c[0].args.kind: must be \"InterPodAffinityArgs\", got "
      "\"NodeAffinityArgs\"");
  EXPECT_EQ(Error(ReadArgs("InterPodAffinity", R"({"apiVersion":"v2"})")),
            "c[0].args.apiVersion: must be "
            "\"kubescheduler.config.k8s.io/v1\", got \"v2\"");
}

TEST(PluginConfigTest, UnknownFieldsAreRefused) {
  EXPECT_EQ(Error(Read(R"([{"name":"NodeAffinity","arguments":{}}])")),
            "c[0].arguments: unknown field");
  const std::string fit = "NodeResourcesFit";
  for (const auto& [plugin, args] :
       std::vector<std::pair<std::string, std::string>>{
           {"InterPodAffinity", R"({"hardPodAffinityWeigth":1})"},
           {"PodTopologySpread", R"({"x":1})"},
           {"NodeAffinity", R"({"x":1})"},
           {"NodeResourcesBalancedAllocation", R"({"x":1})"},
           {"NodeResourcesBalancedAllocation", R"({"resources":[{"x":1}]})"},
           {fit, R"({"x":1})"},
           {fit, R"({"scoringStrategy":{"x":1}})"},
           {fit, R"({"scoringStrategy":{"requestedToCapacityRatio":{"x":1}}})"},
           {fit, R"({"scoringStrategy":{"requestedToCapacityRatio":)"
                 R"({"shape":[{"x":1}]}}})"}}) {
    const std::string error = Error(ReadArgs(plugin, args));
    EXPECT_NE(error.find(": unknown field"), error.npos) << args << error;
  }
}

TEST(PluginConfigTest, ValuesAreValidated) {
  EXPECT_EQ(
      Error(ReadArgs("InterPodAffinity", R"({"hardPodAffinityWeight":101})")),
      "c[0].args: hardPodAffinityWeight: Invalid value: 101: not in "
      "valid range [0, 100]");
  EXPECT_EQ(
      Error(ReadArgs("InterPodAffinity", R"({"hardPodAffinityWeight":-1})")),
      "c[0].args: hardPodAffinityWeight: Invalid value: -1: not in "
      "valid range [0, 100]");
  EXPECT_EQ(Error(ReadArgs("NodeResourcesFit", R"({"scoringStrategy":{}})")),
            "c[0].args: scoringStrategy.type: Unsupported value: \"\": "
            "supported values: \"LeastAllocated\", \"MostAllocated\", "
            "\"RequestedToCapacityRatio\"");
  EXPECT_EQ(Error(ReadArgs("NodeResourcesBalancedAllocation",
                           R"({"resources":[{"name":"cpu","weight":2}]})")),
            "c[0].args: resources[0].weight: Invalid value: 2: must be 1");
  EXPECT_EQ(
      Error(ReadArgs("NodeAffinity",
                     R"({"addedAffinity":{"requiredDuringScheduling)"
                     R"(IgnoredDuringExecution":{"nodeSelectorTerms":)"
                     R"([{"matchFields":[{"key":"x","operator":"Gt"}]}]}}})")),
      "c[0].args: "
      "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution"
      ".nodeSelectorTerms[0].matchFields[0].operator: Unsupported value: "
      "\"Gt\": supported values: \"In\", \"NotIn\"");
}

TEST(PluginConfigTest, DefaultConstraintsAreValidated) {
  const auto error = [](const std::string& args) {
    return Error(ReadArgs("PodTopologySpread", args));
  };
  const std::string good =
      R"({"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule")";
  EXPECT_EQ(error(R"({"defaultingType":"Other"})"),
            "c[0].args: defaultingType: Unsupported value: \"Other\": "
            "supported values: \"System\", \"List\"");
  EXPECT_EQ(error(R"({"defaultConstraints":[)" + good + "}]}"),
            "c[0].args: defaultingType: Invalid value: \"System\": when "
            ".defaultConstraints are not empty");
  const auto list = [&](const std::string& constraints) {
    return error(R"({"defaultingType":"List","defaultConstraints":[)" +
                 constraints + "]}");
  };
  EXPECT_EQ(list(good + "}"), "");
  EXPECT_EQ(list(good + "}," + good + "}"),
            "c[0].args: defaultConstraints[1]: Duplicate value: \"{zone, "
            "DoNotSchedule}\"");
  EXPECT_EQ(list(good + R"(,"labelSelector":{}})"),
            "c[0].args: defaultConstraints[0].labelSelector: Forbidden: "
            "constraint must not define a selector, as they deduced for each "
            "pod");
  EXPECT_EQ(list(R"({"maxSkew":0,"topologyKey":"zone",)"
                 R"("whenUnsatisfiable":"Maybe"})"),
            "c[0].args: [defaultConstraints[0].maxSkew: Invalid value: 0: "
            "not in valid range (0, inf), "
            "defaultConstraints[0].whenUnsatisfiable: Unsupported value: "
            "\"Maybe\": supported values: \"DoNotSchedule\", "
            "\"ScheduleAnyway\"]");
  EXPECT_NE(list(R"({"maxSkew":1,"topologyKey":"bad key",)"
                 R"("whenUnsatisfiable":"DoNotSchedule"})"),
            "");
}

TEST(PluginConfigTest, ARatioOfAnotherStrategyIsRefusedFrom1_36On) {
  const absl::StatusOr<PluginConfig> read = ReadArgs(
      "NodeResourcesFit",
      R"({"scoringStrategy":{"type":"LeastAllocated",)"
      R"("requestedToCapacityRatio":{"shape":[{"utilization":0,"score":0}]}}})");
  ASSERT_TRUE(read.ok()) << read.status();
  PluginConfig config = *read;
  const JsonPath root;
  const JsonPath path = root.Field("c");
  EXPECT_TRUE(SetRelease(*KubernetesReleaseOf("1.35"), path, config).ok());
  EXPECT_EQ(config.release.name, "1.35");
  EXPECT_EQ(SetRelease(*KubernetesReleaseOf("1.36"), path, config).message(),
            "c: NodeResourcesFit: scoringStrategy.requestedToCapacityRatio: "
            "Forbidden: must be nil when type is not RequestedToCapacityRatio");
}

}  // namespace
}  // namespace vicinal
