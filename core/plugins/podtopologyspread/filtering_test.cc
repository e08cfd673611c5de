#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/framework.h"
#include "core/plugins/podtopologyspread/podtopologyspread.h"
#include "core/plugins/podtopologyspread/podtopologyspread_args.h"
#include "core/testing/objects.h"
#include "core/testing/run_plugin.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr char kOk[] = "ok";
constexpr char kSkew[] =
    "Unschedulable: node(s) didn't match pod topology spread constraints";
constexpr char kMissing[] =
    "UnschedulableAndUnresolvable: node(s) didn't match pod topology spread "
    "constraints (missing required label)";

constexpr char kSelectWeb[] = "labelSelector: {matchLabels: {app: web}}";

// A constraint that forbids.
std::string Hard(std::string_view key, int max_skew,
                 std::string_view fields = kSelectWeb) {
  std::string yaml = "{topologyKey: ";
  yaml.append(key).append(", maxSkew: ").append(std::to_string(max_skew));
  yaml.append(", whenUnsatisfiable: DoNotSchedule");
  if (!fields.empty()) yaml.append(", ").append(fields);
  return yaml + "}";
}

// A pod with these constraints; `spec` has further fields.
std::string Spread(std::string_view constraints, std::string_view spec = "",
                   std::string_view metadata = "labels: {app: web}") {
  std::string yaml = "{metadata: {";
  yaml.append(metadata).append("}, spec: {");
  if (!spec.empty()) yaml.append(spec).append(", ");
  return yaml.append("topologySpreadConstraints: [")
      .append(constraints)
      .append("]}}");
}

// Nodes a1 and a2 in zone a, b1 in zone b, x1 without a zone.
class PodTopologySpreadFilterTest : public ::testing::Test {
 protected:
  PodTopologySpreadFilterTest() {
    AddNode(cluster_, "a1", {{"zone", "a"}, {"host", "a1"}});
    AddNode(cluster_, "a2", {{"zone", "a"}, {"host", "a2"}});
    AddNode(cluster_, "b1", {{"zone", "b"}, {"host", "b1"}});
    AddNode(cluster_, "x1", {{"host", "x1"}});
  }

  // Adds `count` pods of app web.
  void AddWeb(const std::string& node, int count,
              const std::string& metadata = "") {
    for (int i = 0; i < count; ++i) {
      AddPod(cluster_, node,
             "{metadata: {name: web-" + std::to_string(++pods_) +
                 ", labels: {app: web}" + metadata + "}}");
    }
  }

  std::map<std::string, std::string> Filter(std::string_view pod) const {
    return RunFilter(plugin_, cluster_, MakePod(pod));
  }

  const PodTopologySpread plugin_{PodTopologySpreadArgs()};
  ClusterState cluster_;
  int pods_ = 0;
};

TEST_F(PodTopologySpreadFilterTest, APodWithoutConstraintsIsSkipped) {
  EXPECT_THAT(Filter("{}"), ElementsAre(Pair("*", "skip")));
}

TEST_F(PodTopologySpreadFilterTest, ConstraintsThatOnlyPreferAreSkipped) {
  EXPECT_THAT(
      Filter(Spread("{topologyKey: zone, maxSkew: 1, "
                    "whenUnsatisfiable: ScheduleAnyway, labelSelector: {}}")),
      ElementsAre(Pair("*", "skip")));
}

TEST_F(PodTopologySpreadFilterTest, ADomainMayExceedTheEmptiestByMaxSkew) {
  AddWeb("a1", 1);
  EXPECT_THAT(Filter(Spread(Hard("zone", 1))),
              ElementsAre(Pair("a1", kSkew), Pair("a2", kSkew), Pair("b1", kOk),
                          Pair("x1", kMissing)));
  EXPECT_THAT(Filter(Spread(Hard("zone", 2))),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk), Pair("b1", kOk),
                          Pair("x1", kMissing)));
  AddWeb("b1", 1);
  EXPECT_THAT(Filter(Spread(Hard("zone", 1))),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk), Pair("b1", kOk),
                          Pair("x1", kMissing)));
}

TEST_F(PodTopologySpreadFilterTest, AMissingLabelIsUnresolvableAndSkewIsNot) {
  AddWeb("a1", 1);
  const auto outcome =
      Filter(Spread(Hard("zone", 1) + ", " + Hard("absent", 1)));
  // The first constraint that fails decides, in the order they are written.
  EXPECT_EQ(outcome.at("x1"), kMissing);
  EXPECT_EQ(outcome.at("a1"), kMissing);
  EXPECT_EQ(outcome.at("b1"), kMissing);
  AddNode(cluster_, "a1", {{"zone", "a"}, {"absent", "v"}});
  AddNode(cluster_, "b1", {{"zone", "b"}, {"absent", "v"}});
  const auto both = Filter(Spread(Hard("zone", 1) + ", " + Hard("absent", 1)));
  EXPECT_EQ(both.at("a1"), kSkew);
  EXPECT_EQ(both.at("a2"), kSkew);
  EXPECT_EQ(both.at("x1"), kMissing);
}

TEST_F(PodTopologySpreadFilterTest,
       APodThatItsSelectorDoesNotSelectAddsNothing) {
  AddWeb("a1", 1);
  EXPECT_THAT(Filter(Spread(Hard("zone", 1), "", "labels: {app: db}")),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk), Pair("b1", kOk),
                          Pair("x1", kMissing)));
  AddWeb("a1", 1);
  EXPECT_THAT(Filter(Spread(Hard("zone", 1), "", "labels: {app: db}")),
              ElementsAre(Pair("a1", kSkew), Pair("a2", kSkew), Pair("b1", kOk),
                          Pair("x1", kMissing)));
}

TEST_F(PodTopologySpreadFilterTest, TerminatingPodsDoNotCount) {
  AddWeb("a1", 3, ", deletionTimestamp: 2026-01-01T00:00:00Z");
  EXPECT_THAT(Filter(Spread(Hard("zone", 1))),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk), Pair("b1", kOk),
                          Pair("x1", kMissing)));
}

TEST_F(PodTopologySpreadFilterTest, PodsOfOtherNamespacesDoNotCount) {
  AddWeb("a1", 3, ", namespace: other");
  EXPECT_THAT(Filter(Spread(Hard("zone", 1))),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk), Pair("b1", kOk),
                          Pair("x1", kMissing)));
}

TEST_F(PodTopologySpreadFilterTest,
       AnEmptySelectorCountsNobodyButThePodItself) {
  AddWeb("a1", 5);
  constexpr char kAll[] = "labelSelector: {}";
  EXPECT_THAT(Filter(Spread(Hard("zone", 1, kAll))),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk), Pair("b1", kOk),
                          Pair("x1", kMissing)));
  // maxSkew 0 does not pass validation, and so shows the pod's own 1.
  EXPECT_THAT(Filter(Spread(Hard("zone", 0, kAll))),
              ElementsAre(Pair("a1", kSkew), Pair("a2", kSkew),
                          Pair("b1", kSkew), Pair("x1", kMissing)));
}

TEST_F(PodTopologySpreadFilterTest, AnAbsentSelectorSelectsNobody) {
  AddWeb("a1", 5);
  EXPECT_THAT(Filter(Spread(Hard("zone", 0, ""))),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk), Pair("b1", kOk),
                          Pair("x1", kMissing)));
}

TEST_F(PodTopologySpreadFilterTest, NodesWithoutAllKeysAreNotCounted) {
  // x1 has a host, but no zone: it is no domain of host.
  AddWeb("a1", 1);
  AddWeb("a2", 1);
  AddWeb("b1", 1);
  EXPECT_THAT(Filter(Spread(Hard("host", 1) + ", " + Hard("zone", 5))),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk), Pair("b1", kOk),
                          Pair("x1", kMissing)));
  EXPECT_THAT(Filter(Spread(Hard("host", 1))),
              ElementsAre(Pair("a1", kSkew), Pair("a2", kSkew),
                          Pair("b1", kSkew), Pair("x1", kOk)));
}

TEST_F(PodTopologySpreadFilterTest, PodsOnNodesWithoutAllKeysAreNotCounted) {
  AddNode(cluster_, "b2", {{"zone", "b"}});
  AddWeb("b2", 3);
  EXPECT_THAT(Filter(Spread(Hard("zone", 1) + ", " + Hard("host", 1))),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk), Pair("b1", kOk),
                          Pair("b2", kMissing), Pair("x1", kMissing)));
}

TEST_F(PodTopologySpreadFilterTest, AllConstraintsMustHold) {
  AddWeb("a1", 1);
  EXPECT_THAT(Filter(Spread(Hard("zone", 2) + ", " + Hard("host", 1))),
              ElementsAre(Pair("a1", kSkew), Pair("a2", kOk), Pair("b1", kOk),
                          Pair("x1", kMissing)));
}

TEST_F(PodTopologySpreadFilterTest, AnEmptyTopologyValueIsADomain) {
  AddNode(cluster_, "x1", {{"zone", ""}});
  AddWeb("a1", 1);
  AddWeb("b1", 1);
  EXPECT_THAT(Filter(Spread(Hard("zone", 1))),
              ElementsAre(Pair("a1", kSkew), Pair("a2", kSkew),
                          Pair("b1", kSkew), Pair("x1", kOk)));
}

TEST_F(PodTopologySpreadFilterTest,
       WithFewerDomainsThanMinDomainsTheMinimumIsZero) {
  AddWeb("a1", 1);
  AddWeb("b1", 1);
  const auto filter = [this](const char* min_domains) {
    return Filter(
        Spread(Hard("zone", 1, std::string(kSelectWeb) + min_domains)));
  };
  EXPECT_THAT(filter(", minDomains: 2"),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk), Pair("b1", kOk),
                          Pair("x1", kMissing)));
  EXPECT_THAT(filter(", minDomains: 3"),
              ElementsAre(Pair("a1", kSkew), Pair("a2", kSkew),
                          Pair("b1", kSkew), Pair("x1", kMissing)));
}

TEST_F(PodTopologySpreadFilterTest, NodesThatThePodDoesNotSelectAreNoDomains) {
  AddNode(cluster_, "b1", {{"zone", "b"}, {"disk", "ssd"}});
  AddNode(cluster_, "c1", {{"zone", "c"}});
  AddWeb("b1", 1);
  // Without c, b is the emptiest.
  EXPECT_EQ(
      Filter(Spread(Hard("zone", 1), "nodeSelector: {disk: ssd}")).at("b1"),
      kOk);
  constexpr char kAffinity[] =
      "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution"
      ": {nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: "
      "Exists}]}]}}}";
  EXPECT_EQ(Filter(Spread(Hard("zone", 1), kAffinity)).at("b1"), kOk);
  EXPECT_EQ(Filter(Spread(Hard("zone", 1))).at("b1"), kSkew);
}

TEST_F(PodTopologySpreadFilterTest, NodeAffinityPolicyIgnoreCountsAllNodes) {
  AddNode(cluster_, "b1", {{"zone", "b"}, {"disk", "ssd"}});
  AddWeb("b1", 1);
  const auto at_b1 = [this](const char* policy) {
    return Filter(Spread(Hard("zone", 1, std::string(kSelectWeb) + policy),
                         "nodeSelector: {disk: ssd}"))
        .at("b1");
  };
  EXPECT_EQ(at_b1(", nodeAffinityPolicy: Ignore"), kSkew);
  EXPECT_EQ(at_b1(", nodeAffinityPolicy: Honor"), kOk);
  EXPECT_EQ(at_b1(""), kOk);
}

TEST_F(PodTopologySpreadFilterTest,
       TaintedNodesCountUnlessNodeTaintsPolicyIsHonor) {
  Node tainted = MakeNode("c1", {{"zone", "c"}});
  tainted.taints = {{"k", "v", kNoSchedule}};
  cluster_.Upsert(tainted);
  AddWeb("a1", 1);
  AddWeb("b1", 1);
  const auto at_b1 = [this](const char* policy, const char* spec) {
    return Filter(
               Spread(Hard("zone", 1, std::string(kSelectWeb) + policy), spec))
        .at("b1");
  };
  EXPECT_EQ(at_b1("", ""), kSkew);
  EXPECT_EQ(at_b1(", nodeTaintsPolicy: Ignore", ""), kSkew);
  EXPECT_EQ(at_b1(", nodeTaintsPolicy: Honor", ""), kOk);
  EXPECT_EQ(
      at_b1(", nodeTaintsPolicy: Honor", "tolerations: [{operator: Exists}]"),
      kSkew);
  tainted.taints = {{"k", "v", kPreferNoSchedule}};
  cluster_.Upsert(tainted);
  EXPECT_EQ(at_b1(", nodeTaintsPolicy: Honor", ""), kSkew);
}

TEST_F(PodTopologySpreadFilterTest,
       InclusionPoliciesHoldForTheirConstraintOnly) {
  AddNode(cluster_, "b1", {{"zone", "b"}, {"host", "b1"}, {"disk", "ssd"}});
  AddWeb("b1", 1);
  // By zone only b counts; by host all nodes do, and a1 is the emptiest.
  const std::string by_zone = Hard("zone", 1);
  const std::string by_host =
      Hard("host", 1, std::string(kSelectWeb) + ", nodeAffinityPolicy: Ignore");
  EXPECT_EQ(Filter(Spread(by_zone, "nodeSelector: {disk: ssd}")).at("b1"), kOk);
  EXPECT_EQ(
      Filter(Spread(by_zone + ", " + by_host, "nodeSelector: {disk: ssd}"))
          .at("b1"),
      kSkew);
}

TEST_F(PodTopologySpreadFilterTest, WithoutAnyDomainTheMinimumIsZero) {
  AddWeb("a1", 1);
  const auto at_a1 = [this](int max_skew) {  // Which is not included.
    return Filter(Spread(Hard("zone", max_skew), "nodeSelector: {disk: ssd}"))
        .at("a1");
  };
  EXPECT_EQ(at_a1(1), kOk);
  EXPECT_EQ(at_a1(0), kSkew);  // By the pod itself.
}

TEST_F(PodTopologySpreadFilterTest,
       MatchLabelKeysNarrowTheSelectorToThePodsValues) {
  AddWeb("a1", 1);
  AddPod(cluster_, "b1", "{metadata: {name: r, labels: {app: web, hash: v2}}}");
  const auto filter = [this](const char* keys) {
    return Filter(Spread(
        Hard("zone", 1, std::string(kSelectWeb) + ", matchLabelKeys: " + keys),
        "", "labels: {app: web, hash: v2}"));
  };
  EXPECT_THAT(filter("[hash]"),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk), Pair("b1", kSkew),
                          Pair("x1", kMissing)));
  // A key that the pod lacks is left out.
  EXPECT_THAT(filter("[absent]"),
              ElementsAre(Pair("a1", kOk), Pair("a2", kOk), Pair("b1", kOk),
                          Pair("x1", kMissing)));
}

TEST_F(PodTopologySpreadFilterTest, MatchLabelKeysMakeAnEmptySelectorCount) {
  AddWeb("a1", 1);
  EXPECT_EQ(Filter(Spread(Hard("zone", 1,
                               "labelSelector: {}, matchLabelKeys: [app]")))
                .at("a1"),
            kSkew);
}

TEST_F(PodTopologySpreadFilterTest, MatchLabelKeysWithoutSelectorSelectNobody) {
  AddWeb("a1", 5);
  EXPECT_EQ(Filter(Spread(Hard("zone", 0, "matchLabelKeys: [app]"))).at("a1"),
            kOk);
}

TEST_F(PodTopologySpreadFilterTest, ASelectorThatDoesNotParseIsAnError) {
  EXPECT_THAT(
      Filter(Spread(Hard("zone", 1,
                         "labelSelector: {matchExpressions: "
                         "[{key: app, operator: Gt}]}"))),
      ElementsAre(Pair("*",
                       "Error: get constraints from pod: obtaining pod's hard "
                       "topology spread constraints: \"Gt\" is not a valid "
                       "label selector operator")));
}

TEST_F(PodTopologySpreadFilterTest, ListedDefaultsApplyToPodsOfAService) {
  PodTopologySpreadArgs args;
  args.system_defaulting = false;
  TopologySpreadConstraint& constraint =
      args.default_constraints.emplace_back();
  constraint.max_skew = 1;
  constraint.topology_key = "zone";
  constraint.when_unsatisfiable = kDoNotSchedule;
  const PodTopologySpread plugin(args);
  const PodInfo pod = MakePod("{metadata: {labels: {app: web}}}");
  AddWeb("a1", 1);
  EXPECT_THAT(RunFilter(plugin, cluster_, pod), ElementsAre(Pair("*", "skip")));
  AddObjects(cluster_,
             "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n"
             "spec: {selector: {app: web}}");
  EXPECT_THAT(RunFilter(plugin, cluster_, pod),
              ElementsAre(Pair("a1", kSkew), Pair("a2", kSkew), Pair("b1", kOk),
                          Pair("x1", kMissing)));
  // Any constraint of its own, even one that only prefers, replaces them.
  EXPECT_THAT(RunFilter(plugin, cluster_,
                        MakePod(Spread("{topologyKey: zone, maxSkew: 1, "
                                       "whenUnsatisfiable: ScheduleAnyway}"))),
              ElementsAre(Pair("*", "skip")));
}

TEST_F(PodTopologySpreadFilterTest, SystemDefaultsForbidNothing) {
  AddObjects(cluster_,
             "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n"
             "spec: {selector: {app: web}}");
  EXPECT_THAT(Filter("{metadata: {labels: {app: web}}}"),
              ElementsAre(Pair("*", "skip")));
}

// For a pod that is put on a node in addition.
class PodTopologySpreadWithPodsTest : public PodTopologySpreadFilterTest {
 protected:
  // What the filter says about `node` once `added` is on `place`.
  std::string FilterWith(std::string_view incoming, std::string_view added,
                         std::string_view place, std::string_view node) const {
    const PodInfo pod = MakePod(incoming);
    const PodInfo other = MakePod(added);
    const PreFilterResult prepared = plugin_.PreFilter(cluster_, pod);
    EXPECT_TRUE(prepared.status.ok());
    const std::vector<const PodInfo*> pods = {&other};
    const auto filter =
        prepared.filter->WithPods(pods, *cluster_.FindNode(place));
    // The filter that it was made from knows nothing of it.
    EXPECT_EQ(Described(prepared.filter->Filter(*cluster_.FindNode(node))),
              Filter(incoming)[std::string(node)]);
    return Described(
        (filter ? *filter : *prepared.filter).Filter(*cluster_.FindNode(node)));
  }
};

constexpr char kWeb[] = "{metadata: {name: q, labels: {app: web}}}";

TEST_F(PodTopologySpreadWithPodsTest, AnAddedPodCountsInItsDomain) {
  EXPECT_EQ(FilterWith(Spread(Hard("zone", 1)), kWeb, "a1", "a2"), kSkew);
  EXPECT_EQ(FilterWith(Spread(Hard("zone", 1)), kWeb, "a1", "b1"), kOk);
}

TEST_F(PodTopologySpreadWithPodsTest, AnAddedPodRaisesTheMinimum) {
  AddWeb("a1", 1);
  EXPECT_EQ(FilterWith(Spread(Hard("zone", 1)), kWeb, "b1", "a1"), kOk);
}

TEST_F(PodTopologySpreadWithPodsTest,
       AnAddedPodOfAnotherNamespaceDoesNotCount) {
  EXPECT_EQ(FilterWith(Spread(Hard("zone", 1)),
                       "{metadata: {namespace: other, labels: {app: web}}}",
                       "a1", "a2"),
            kOk);
}

TEST_F(PodTopologySpreadWithPodsTest, AnAddedPodThatIsNotSelectedDoesNotCount) {
  EXPECT_EQ(FilterWith(Spread(Hard("zone", 1)),
                       "{metadata: {labels: {app: db}}}", "a1", "a2"),
            kOk);
}

TEST_F(PodTopologySpreadWithPodsTest,
       AnAddedPodOnANodeThatIsNotIncludedDoesNotCount) {
  EXPECT_EQ(FilterWith(Spread(Hard("host", 1), "nodeSelector: {zone: b}"), kWeb,
                       "a1", "a1"),
            kOk);
}

TEST_F(PodTopologySpreadWithPodsTest,
       AnAddedPodOnANodeWithoutTheKeysDoesNotMatter) {
  EXPECT_EQ(FilterWith(Spread(Hard("zone", 1)), kWeb, "x1", "a1"), kOk);
}

// As upstream: a pod that is added is counted with less care.
TEST_F(PodTopologySpreadWithPodsTest, AnAddedPodCountsEvenIfTerminating) {
  EXPECT_EQ(FilterWith(Spread(Hard("zone", 1)),
                       "{metadata: {labels: {app: web}, "
                       "deletionTimestamp: 2026-01-01T00:00:00Z}}",
                       "a1", "a2"),
            kSkew);
}

TEST_F(PodTopologySpreadWithPodsTest, AnAddedPodCountsEvenForAnEmptySelector) {
  EXPECT_EQ(FilterWith(Spread(Hard("zone", 1, "labelSelector: {}")),
                       "{metadata: {labels: {app: db}}}", "a1", "a2"),
            kSkew);
}

}  // namespace
}  // namespace vicinal
