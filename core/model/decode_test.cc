#include "core/model/decode.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vicinal {
namespace {

template <typename T>
T Parse(std::string_view json) {
  JsonReader reader;
  absl::StatusOr<T> object = reader.ReadCopy<T>(json);
  EXPECT_TRUE(object.ok()) << object.status() << " in " << json;
  return object.ok() ? *std::move(object) : T();
}

template <typename T>
std::string ErrorOf(std::string_view json) {
  JsonReader reader;
  return std::string(reader.ReadCopy<T>(json).status().message());
}

Quantity Amount(std::string_view text) { return *Quantity::Parse(text); }

LabelSelector Selecting(const char* key, const char* value) {
  return {{{key, value}}, {}};
}

TEST(DecodeTest, PodMetadata) {
  const Pod pod = Parse<Pod>(R"({"apiVersion": "v1", "kind": "Pod",
    "metadata": {
      "name": "web-1", "namespace": "shop", "uid": "u-1",
      "creationTimestamp": null, "managedFields": [{"x": 1}],
      "labels": {"app": "web", "empty": ""},
      "deletionTimestamp": "2026-01-01T00:00:00Z",
      "ownerReferences": [
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web",
         "uid": "r", "controller": true, "blockOwnerDeletion": true},
        {"apiVersion": "v1", "kind": "Node", "name": "n1"}]}})");
  ObjectMeta want;
  want.name = "web-1";
  want.namespace_name = "shop";
  want.uid = "u-1";
  want.labels = {{"app", "web"}, {"empty", ""}};
  want.deletion_timestamp = "2026-01-01T00:00:00Z";
  want.owner_references = {{"apps/v1", "ReplicaSet", "web", true},
                           {"v1", "Node", "n1", false}};
  EXPECT_EQ(pod.meta, want);
  EXPECT_TRUE(IsTerminating(pod));
}

TEST(DecodeTest, PodSpec) {
  const Pod pod = Parse<Pod>(R"({"spec": {
    "nodeName": "n1", "schedulerName": "mine", "priority": -5,
    "nodeSelector": {"disk": "ssd"},
    "tolerations": [{"key": "k", "operator": "Equal", "value": "v",
                     "effect": "NoExecute", "tolerationSeconds": 300}],
    "containers": [{"name": "c", "image": "img:1",
      "resources": {"requests": {"cpu": "500m", "memory": 1024},
                    "limits": {"cpu": "1"}}}],
    "initContainers": [{"name": "i", "restartPolicy": "Always"}],
    "overhead": {"cpu": "10m"},
    "resources": {"requests": {"cpu": "2"}},
    "volumes": [{"name": "v", "emptyDir": {}},
                {"name": "m", "image": {"reference": "model:1"}}]}})");
  PodSpec want;
  want.node_name = "n1";
  want.scheduler_name = "mine";
  want.priority = -5;
  want.node_selector = Labels{{"disk", "ssd"}};
  want.tolerations = {{"k", "Equal", "v", "NoExecute"}};
  want.containers = {{"c",
                      "img:1",
                      {{"cpu", Amount("500m")}, {"memory", Amount("1024")}},
                      ""}};
  want.init_containers = {{"i", "", {}, "Always"}};
  want.overhead = {{"cpu", Amount("10m")}};
  want.requests = ResourceList{{"cpu", Amount("2")}};
  want.image_volumes = {"model:1"};
  EXPECT_EQ(pod.spec, want);
}

TEST(DecodeTest, PodAffinity) {
  const Pod pod = Parse<Pod>(R"({"spec": {"affinity": {
    "podAffinity": {
      "requiredDuringSchedulingIgnoredDuringExecution": [{
        "topologyKey": "zone",
        "labelSelector": {"matchLabels": {"app": "db"}, "matchExpressions": [
          {"key": "tier", "operator": "In", "values": ["a", "b"]}]},
        "namespaces": ["x", "y"],
        "namespaceSelector": {"matchLabels": {"team": "t"}},
        "matchLabelKeys": ["hash"], "mismatchLabelKeys": ["tenant"]}]},
    "podAntiAffinity": {
      "preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 100, "podAffinityTerm": {"topologyKey": "host"}}]}}}})");
  PodAffinityTerm term;
  term.topology_key = "zone";
  term.label_selector =
      LabelSelector{{{"app", "db"}}, {{"tier", "In", {"a", "b"}}}};
  term.namespaces = {"x", "y"};
  term.namespace_selector = Selecting("team", "t");
  term.match_label_keys = {"hash"};
  term.mismatch_label_keys = {"tenant"};
  PodAffinityTerm bare;
  bare.topology_key = "host";
  Affinity want;
  want.pod_affinity.emplace().required = {term};
  want.pod_anti_affinity.emplace().preferred = {{100, bare}};
  EXPECT_EQ(pod.spec.affinity, want);
}

TEST(DecodeTest, PodNodeAffinity) {
  const Pod pod = Parse<Pod>(R"({"spec": {"affinity": {"nodeAffinity": {
    "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
      {"matchExpressions": [{"key": "cpu", "operator": "Gt", "values": ["4"]}],
       "matchFields": [
         {"key": "metadata.name", "operator": "In", "values": ["n1"]}]}, {}]},
    "preferredDuringSchedulingIgnoredDuringExecution": [
      {"weight": 3, "preference": {"matchExpressions": [
        {"key": "disk", "operator": "Exists"}]}}]}}}})");
  NodeAffinity want;
  want.required = {{{{"cpu", "Gt", {"4"}}}, {{"metadata.name", "In", {"n1"}}}},
                   {}};
  want.preferred = {{3, {{{"disk", "Exists", {}}}, {}}}};
  ASSERT_TRUE(pod.spec.affinity.has_value());
  EXPECT_EQ(pod.spec.affinity->node_affinity, want);
}

TEST(DecodeTest, PodTopologySpreadConstraints) {
  const Pod pod = Parse<Pod>(R"({"spec": {"topologySpreadConstraints": [
    {"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
     "labelSelector": {"matchLabels": {"app": "web"}}, "minDomains": 3,
     "nodeAffinityPolicy": "Ignore", "nodeTaintsPolicy": "Honor",
     "matchLabelKeys": ["hash"]},
    {"maxSkew": 1, "topologyKey": "host",
     "whenUnsatisfiable": "ScheduleAnyway"}]}})");
  TopologySpreadConstraint full;
  full.max_skew = 2;
  full.topology_key = "zone";
  full.when_unsatisfiable = kDoNotSchedule;
  full.label_selector = Selecting("app", "web");
  full.min_domains = 3;
  full.node_affinity_policy = kIgnore;
  full.node_taints_policy = kHonor;
  full.match_label_keys = {"hash"};
  TopologySpreadConstraint bare;
  bare.max_skew = 1;
  bare.topology_key = "host";
  bare.when_unsatisfiable = kScheduleAnyway;
  EXPECT_EQ(pod.spec.topology_spread_constraints, (std::vector{full, bare}));
}

TEST(DecodeTest, PodStatus) {
  const Pod pod = Parse<Pod>(R"({"status": {
    "phase": "Running", "nominatedNodeName": "n2",
    "startTime": "2026-01-01T00:00:10Z",
    "initContainerStatuses": [{"name": "i"}],
    "containerStatuses": [{"name": "c", "ready": true,
      "allocatedResources": {"cpu": "1"},
      "resources": {"requests": {"cpu": "2"}}}],
    "allocatedResources": {"cpu": "3"},
    "resources": {"requests": {"cpu": "4"}},
    "conditions": [{"type": "Ready", "status": "True", "reason": "Infeasible"},
                   {"type": "PodResizePending", "reason": "Infeasible"}]}})");
  PodStatus want;
  want.phase = "Running";
  want.nominated_node_name = "n2";
  want.start_time = 1767225610;
  want.container_statuses = {
      {"c", ResourceList{{"cpu", Amount("1")}},
       ResourceRequirements{ResourceList{{"cpu", Amount("2")}}}},
      {"i", std::nullopt, std::nullopt}};
  want.allocated_resources = ResourceList{{"cpu", Amount("3")}};
  want.resources.emplace().requests = ResourceList{{"cpu", Amount("4")}};
  want.resize_infeasible = true;
  EXPECT_EQ(pod.status, want);
}

TEST(DecodeTest, ResourcesOfAStatusMayBeThereWithoutRequests) {
  const auto resources = [](const char* status) {
    return Parse<Pod>(std::string(R"({"status": )") + status + "}")
        .status.resources;
  };
  EXPECT_FALSE(resources("{}").has_value());
  EXPECT_FALSE(resources(R"({"resources": null})").has_value());
  EXPECT_EQ(resources(R"({"resources": {}})"), ResourceRequirements());
}

TEST(DecodeTest, OnlyAPendingResizeWithThatReasonIsInfeasible) {
  EXPECT_FALSE(Parse<Pod>(R"({"status": {"conditions": [
      {"type": "PodResizePending", "reason": "Deferred"}]}})")
                   .status.resize_infeasible);
  EXPECT_FALSE(Parse<Pod>(R"({"status": {"conditions": [
      {"type": "PodScheduled", "reason": "Infeasible"}]}})")
                   .status.resize_infeasible);
}

TEST(DecodeTest, ATimeMayHaveAnOffsetAndAFraction) {
  const auto start_time = [](const std::string& time) {
    return Parse<Pod>(R"({"status": {"startTime": )" + time + "}}")
        .status.start_time;
  };
  EXPECT_EQ(start_time(R"("2026-01-01T02:00:10+02:00")"), 1767225610);
  EXPECT_EQ(start_time(R"("2026-01-01T00:00:10.999Z")"), 1767225610);
  EXPECT_EQ(start_time("null"), std::nullopt);
}

TEST(DecodeTest, ATimeThatIsNoneIsNamedWithItsPath) {
  for (const char* bad : {"yesterday", "", "2026-01-01", "infinite-past",
                          " 2026-01-01T00:00:10Z"}) {
    EXPECT_EQ(ErrorOf<Pod>(std::string(R"({"status": {"startTime": ")") + bad +
                           R"("}})"),
              std::string("status.startTime: must be an RFC 3339 time, got ") +
                  '"' + bad + '"');
  }
}

TEST(DecodeTest, TheConditionPodScheduledTellsAFailedAttempt) {
  const auto failed = [](const std::string& conditions) {
    return Parse<Pod>(R"({"status": {"conditions": [)" + conditions + "]}}")
        .status.scheduling_failure;
  };
  const auto with = [&failed](const std::string& field,
                              const std::string& value) {
    return failed(R"({"type": "PodScheduled", "status": "False", ")" + field +
                  R"(": ")" + value + R"("})");
  };
  EXPECT_NE(with("reason", "Unschedulable"), 0u);
  EXPECT_EQ(with("reason", "Unschedulable"), with("reason", "Unschedulable"));
  for (const char* field :
       {"reason", "message", "lastProbeTime", "lastTransitionTime"}) {
    EXPECT_NE(with(field, "a"), with(field, "b")) << field;
  }
  EXPECT_EQ(failed(R"({"type": "PodScheduled", "status": "True"})"), 0u);
  EXPECT_EQ(failed(R"({"type": "Ready", "status": "False"})"), 0u);
  EXPECT_EQ(failed(""), 0u);
}

TEST(DecodeTest, TheVersionOfAPodIsANumber) {
  const auto version = [](const std::string& metadata) {
    return Parse<Pod>(R"({"metadata": )" + metadata + "}").resource_version;
  };
  EXPECT_EQ(version(R"({"resourceVersion": "12345678901"})"), 12345678901u);
  EXPECT_EQ(version("{}"), 0u);
  for (const char* other : {"", "abc", "12x", "-1", "99999999999999999999"}) {
    EXPECT_EQ(version(std::string(R"({"resourceVersion": ")") + other + "\"}"),
              0u);
  }
  EXPECT_EQ(ErrorOf<Pod>(R"({"metadata": {"resourceVersion": 1}})"),
            "metadata.resourceVersion: must be a string, got 1");
}

TEST(DecodeTest, ANodeWithEverything) {
  const Node node = Parse<Node>(R"({"kind": "Node",
    "metadata": {"name": "n1", "labels": {"zone": "a"}},
    "spec": {"unschedulable": true, "podCIDR": "10.0.0.0/24",
             "taints": [{"key": "k", "value": "v", "effect": "NoSchedule",
                         "timeAdded": "2026-01-01T00:00:00Z"}]},
    "status": {"allocatable": {"cpu": "4", "pods": "110"},
               "capacity": {"cpu": "5"},
               "images": [{"names": ["a:1", "a@sha256:0"], "sizeBytes": 77}]}
    })");
  Node want;
  want.meta.name = "n1";
  want.meta.labels = {{"zone", "a"}};
  want.unschedulable = true;
  want.taints = {{"k", "v", "NoSchedule"}};
  want.allocatable = {{"cpu", Amount("4")}, {"pods", Amount("110")}};
  want.images = {{{"a:1", "a@sha256:0"}, 77}};
  EXPECT_EQ(node, want);
}

TEST(DecodeTest, ANamespace) {
  const Namespace object = Parse<Namespace>(
      R"({"metadata": {"name": "shop", "labels": {"team": "t"}},
          "spec": {"finalizers": ["kubernetes"]}})");
  EXPECT_EQ(object.meta.name, "shop");
  EXPECT_EQ(object.meta.labels, (Labels{{"team", "t"}}));
}

TEST(DecodeTest, AServiceTellsAnAbsentSelectorFromAnEmptyOne) {
  const auto selector = [](const char* spec) {
    return Parse<Service>(
               std::string(R"({"metadata": {"name": "s"}, "spec": )") + spec +
               "}")
        .selector;
  };
  EXPECT_EQ(selector(R"({"selector": {"app": "web"}, "ports": [{"port": 1}]})"),
            (Labels{{"app", "web"}}));
  EXPECT_EQ(selector(R"({"selector": {}})"), Labels());
  EXPECT_EQ(selector(R"({"selector": null})"), std::nullopt);
  EXPECT_EQ(selector("{}"), std::nullopt);
}

TEST(DecodeTest, AReplicationControllerSelectsByLabels) {
  const auto object = Parse<ReplicationController>(
      R"({"metadata": {"name": "r", "namespace": "x"},
          "spec": {"selector": {"app": "web"}, "replicas": 3}})");
  EXPECT_EQ(object.meta.namespace_name, "x");
  EXPECT_EQ(object.selector, (Labels{{"app", "web"}}));
}

TEST(DecodeTest, AReplicaSetAndAStatefulSetSelectByLabelSelector) {
  constexpr char kJson[] =
      R"({"metadata": {"name": "r"},
          "spec": {"selector": {"matchLabels": {"app": "web"}}}})";
  EXPECT_EQ(Parse<ReplicaSet>(kJson).selector, Selecting("app", "web"));
  EXPECT_EQ(Parse<StatefulSet>(kJson).selector, Selecting("app", "web"));
  constexpr char kBare[] = R"({"metadata": {"name": "r"}, "spec": {}})";
  EXPECT_EQ(Parse<ReplicaSet>(kBare).selector, std::nullopt);
  EXPECT_EQ(Parse<StatefulSet>(kBare).selector, std::nullopt);
}

TEST(DecodeTest, AbsentAndEmptySelectorsOfATermDiffer) {
  const auto term = [](const std::string& fields) {
    const Pod pod = Parse<Pod>(
        R"({"spec": {"affinity": {"podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [{)" +
        fields + R"("topologyKey": "zone"}]}}}})");
    return pod.spec.affinity->pod_affinity->required.at(0);
  };
  EXPECT_FALSE(term("").label_selector.has_value());
  EXPECT_FALSE(term(R"("labelSelector": null,)").label_selector.has_value());
  EXPECT_EQ(term(R"("labelSelector": {},)").label_selector, LabelSelector());
  EXPECT_FALSE(term("").namespace_selector.has_value());
  EXPECT_FALSE(
      term(R"("namespaceSelector": null,)").namespace_selector.has_value());
  EXPECT_EQ(term(R"("namespaceSelector": {},)").namespace_selector,
            LabelSelector());
}

TEST(DecodeTest, AbsentAndEmptyNodeAffinityDiffer) {
  const auto affinity = [](const std::string& json) {
    return Parse<Pod>(R"({"spec": {"affinity": {"nodeAffinity": )" + json +
                      "}}}")
        .spec.affinity->node_affinity;
  };
  EXPECT_EQ(affinity("null"), std::nullopt);
  EXPECT_EQ(affinity("{}"), NodeAffinity());
  const auto empty = affinity(
      R"({"requiredDuringSchedulingIgnoredDuringExecution": {},
          "preferredDuringSchedulingIgnoredDuringExecution": []})");
  ASSERT_TRUE(empty.has_value());
  EXPECT_EQ(empty->required, NodeSelector());
  EXPECT_EQ(empty->preferred, std::vector<PreferredSchedulingTerm>());
}

TEST(DecodeTest, ATermWithoutTopologyKeyIsRefusedWithItsWholePath) {
  EXPECT_EQ(ErrorOf<Pod>(R"({"spec": {"affinity": {"podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                  {"labelSelector": {}}]}}}})"),
            "spec.affinity.podAntiAffinity."
            "requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: "
            "required");
  EXPECT_EQ(ErrorOf<Pod>(R"({"spec": {"affinity": {"podAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                  {"weight": 1, "podAffinityTerm": {"topologyKey": "zone"}},
                  {"weight": 1, "podAffinityTerm": {"topologyKey": ""}}
                  ]}}}})"),
            "spec.affinity.podAffinity."
            "preferredDuringSchedulingIgnoredDuringExecution[1]."
            "podAffinityTerm.topologyKey: required");
}

TEST(DecodeTest, AConstraintWithoutKeyOrActionIsRefused) {
  EXPECT_EQ(ErrorOf<Pod>(R"({"spec": {"topologySpreadConstraints": [
                {"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}]}})"),
            "spec.topologySpreadConstraints[0].topologyKey: required");
  EXPECT_EQ(ErrorOf<Pod>(R"({"spec": {"topologySpreadConstraints": [
                {"maxSkew": 1, "topologyKey": "zone"}]}})"),
            "spec.topologySpreadConstraints[0].whenUnsatisfiable: required");
}

TEST(DecodeTest, ObjectsThatAreKeptByNameMustHaveOne) {
  constexpr char kNoName[] = R"({"metadata": {"namespace": "x"}, "spec": {}})";
  constexpr char kError[] = "metadata.name: required";
  EXPECT_EQ(ErrorOf<Node>(kNoName), kError);
  EXPECT_EQ(ErrorOf<Namespace>(kNoName), kError);
  EXPECT_EQ(ErrorOf<Service>(kNoName), kError);
  EXPECT_EQ(ErrorOf<ReplicationController>(kNoName), kError);
  EXPECT_EQ(ErrorOf<ReplicaSet>(kNoName), kError);
  EXPECT_EQ(ErrorOf<StatefulSet>(kNoName), kError);
  EXPECT_EQ(ErrorOf<Node>("{}"), kError);
}

TEST(DecodeTest, APodNeedsNothing) { EXPECT_EQ(Parse<Pod>("{}"), Pod()); }

TEST(DecodeTest, WrongTypesAreNamedWithPathAndValue) {
  EXPECT_EQ(ErrorOf<Pod>(R"({"spec": {"priority": "high"}})"),
            "spec.priority: must be a 32-bit integer, got \"high\"");
  EXPECT_EQ(ErrorOf<Pod>(R"({"metadata": {"labels": {"app": true}}})"),
            "metadata.labels.app: must be a string, got true");
  EXPECT_EQ(ErrorOf<Pod>(R"({"spec": []})"),
            "spec: must be an object, got an array");
  EXPECT_EQ(ErrorOf<Pod>(R"({"spec": {"containers": [{"resources":
                {"requests": {"cpu": true}}}]}})"),
            "spec.containers[0].resources.requests.cpu: must be a quantity, "
            "got true");
  EXPECT_EQ(ErrorOf<Node>(R"({"metadata": {"name": "n"},
                              "status": {"images": [{"names": "x"}]}})"),
            "status.images[0].names: must be an array, got \"x\"");
}

TEST(DecodeTest, ABadQuantityIsNamedWithItsPath) {
  const std::string error = ErrorOf<Node>(
      R"({"metadata": {"name": "n"}, "status": {"allocatable":
          {"cpu": "4x"}}})");
  EXPECT_TRUE(std::string_view(error).starts_with("status.allocatable.cpu: "))
      << error;
}

TEST(DecodeTest, AQuantityMayBeANumber) {
  const Node node = Parse<Node>(
      R"({"metadata": {"name": "n"},
          "status": {"allocatable": {"cpu": 1.5 , "memory": 2e3, "x": null}}})");
  EXPECT_EQ(node.allocatable.at("cpu"), Amount("1500m"));
  EXPECT_EQ(node.allocatable.at("memory"), Amount("2000"));
  EXPECT_EQ(node.allocatable.at("x"), Quantity());
}

}  // namespace
}  // namespace vicinal
