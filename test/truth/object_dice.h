// Objects of property tests.
#ifndef VICINAL_TEST_TRUTH_OBJECT_DICE_H_
#define VICINAL_TEST_TRUTH_OBJECT_DICE_H_

#include <optional>
#include <string>
#include <utility>

#include "core/model/node.h"
#include "core/model/pod.h"
#include "core/plugins/podtopologyspread/podtopologyspread.h"
#include "core/testing/dice.h"

namespace vicinal {

// Makes up objects out of few names, so that they meet.
class ObjectDice : public Dice {
 public:
  using Dice::Dice;

  std::string NamespaceName() { return Of({"ns1", "ns2", "ns3"}); }
  std::string TopologyKey() {
    return Of({kHostnameLabel, kZoneLabel, "rack", kZoneLabel});
  }

  Labels PodLabels() {
    Labels labels;
    if (Chance(85)) labels.Set("app", Of({"a", "b", "c"}));
    if (Chance(40)) labels.Set("tier", Of({"x", "", "y"}));
    if (Chance(10)) labels.Set("only", std::to_string(Below(1000)));
    return labels;
  }

  std::optional<LabelSelector> Selecting() {
    if (Chance(5)) return std::nullopt;
    LabelSelector selector;
    if (Chance(70)) selector.match_labels.Set("app", Of({"a", "b", "c"}));
    if (Chance(35)) {
      const std::string op = Of({"In", "NotIn", "Exists", "DoesNotExist"});
      LabelSelectorRequirement requirement{Of({"tier", "app", "only"}), op, {}};
      if (op == "In" || op == "NotIn") {
        requirement.values = {Of({"x", "a"}), Of({"", "b", "a"})};
      }
      selector.match_expressions.push_back(requirement);
    }
    return selector;
  }

  PodAffinityTerm Term() {
    PodAffinityTerm term;
    term.label_selector = Selecting();
    term.topology_key = TopologyKey();
    if (Chance(30)) term.namespaces = {NamespaceName(), NamespaceName()};
    if (Chance(10)) return OfNearlyAllPods(std::move(term));
    if (Chance(25)) {
      LabelSelector& selector = term.namespace_selector.emplace();
      if (Chance(70)) {
        const std::string op = Of({"In", "NotIn", "Exists"});
        selector.match_expressions.push_back({"env", op, {}});
        if (op != "Exists") {
          selector.match_expressions.back().values = {Of({"prod", "test"})};
        }
      }
    }
    return term;
  }

  // Of all namespaces, by a selector that names no value to find pods by.
  PodAffinityTerm OfNearlyAllPods(PodAffinityTerm term) {
    term.namespace_selector.emplace();
    LabelSelector& selector = term.label_selector.emplace();
    for (int i = Below(3); i > 0; --i) {
      const std::string op = Of({"NotIn", "NotIn", "Exists", "DoesNotExist"});
      selector.match_expressions.push_back(
          {Of({"tier", "app", "only"}), op, {}});
      if (op == "NotIn") {
        selector.match_expressions.back().values = {Of({"x", "a"}), "b"};
      }
    }
    return term;
  }

  PodAffinity SomeAffinity() {
    PodAffinity affinity;
    if (Chance(50)) affinity.required.push_back(Term());
    if (Chance(15)) affinity.required.push_back(Term());
    if (Chance(45)) {
      affinity.preferred.push_back({Of({1, 50, 100}), Term()});
      if (Chance(30)) affinity.preferred.push_back(affinity.preferred.back());
    }
    return affinity;
  }

  TopologySpreadConstraint Constraint() {
    TopologySpreadConstraint constraint;
    constraint.max_skew = Of({1, 1, 2, 3});
    constraint.topology_key = TopologyKey();
    constraint.when_unsatisfiable = Of({kDoNotSchedule, kScheduleAnyway});
    constraint.label_selector = Selecting();
    if (Chance(20)) constraint.min_domains = Of({1, 2, 4});
    if (Chance(20)) constraint.node_affinity_policy = Of({kHonor, kIgnore});
    if (Chance(30)) constraint.node_taints_policy = Of({kHonor, kIgnore});
    if (Chance(20)) constraint.match_label_keys = {Of({"app", "tier"})};
    return constraint;
  }

  Pod MakePod() {
    Pod pod;
    pod.meta.name = "p" + std::to_string(Below(14));
    pod.meta.namespace_name = NamespaceName();
    pod.meta.uid = std::to_string(Number());
    pod.meta.labels = PodLabels();
    if (Chance(10)) pod.meta.deletion_timestamp = "2026-01-01T00:00:00Z";
    if (Chance(35)) {
      Affinity& affinity = pod.spec.affinity.emplace();
      if (Chance(60)) affinity.pod_affinity = SomeAffinity();
      if (Chance(60)) affinity.pod_anti_affinity = SomeAffinity();
    }
    if (Chance(30)) pod.spec.topology_spread_constraints = {Constraint()};
    if (Chance(15)) {
      pod.spec.topology_spread_constraints.push_back(Constraint());
    }
    if (Chance(15)) pod.spec.node_selector = Labels{{"rack", "r1"}};
    if (Chance(15)) pod.spec.tolerations = {{"t", "Exists", "", ""}};
    if (Chance(15)) pod.spec.priority = Of({0, 10});
    return pod;
  }

  // "n6" never exists.
  std::string NodeName() { return "n" + std::to_string(Below(7)); }

  Node MakeNode() {
    Node node;
    node.meta.name = "n" + std::to_string(Below(6));
    if (Chance(90)) node.meta.labels.Set(kHostnameLabel, node.meta.name);
    if (Chance(85)) node.meta.labels.Set(kZoneLabel, Of({"z1", "z2", ""}));
    if (Chance(60)) node.meta.labels.Set("rack", Of({"r1", "r2"}));
    if (Chance(20)) node.taints = {{"t", "", kNoSchedule}};
    return node;
  }
};

}  // namespace vicinal

#endif  // VICINAL_TEST_TRUTH_OBJECT_DICE_H_
