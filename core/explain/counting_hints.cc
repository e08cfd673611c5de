#include "core/explain/counting_hints.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/explain/describe.h"
#include "core/model/node.h"
#include "core/model/topology_spread_constraint.h"

namespace vicinal {
namespace {

std::string Domains(std::size_t count, const std::string& key) {
  if (key == kHostnameLabel) return Counted(count, "node");
  return Counted(count, "domain") + " of " + key;
}

class CountingHints {
 public:
  CountingHints(const ClusterState& cluster, const PodInfo& pod,
                const Explanation& explanation, std::string_view path_prefix)
      : cluster_(cluster),
        pod_(pod),
        explanation_(explanation),
        path_prefix_(path_prefix) {}

  std::vector<Hint> Find() {
    for (const SpreadState& spread : explanation_.spreads) {
      TaintedMinimum(spread);
    }
    LargestNode();
    return std::move(hints_);
  }

  // A rule that the pod has against its like allows one in each domain.
  std::string AtMostOneEach(const std::string& rule) const {
    const auto& terms = pod_.required_anti_affinity_terms;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (rule == path_prefix_ + RequiredTermPath("podAntiAffinity", i)) {
        return AtMostOneEach(terms[i], rule);
      }
    }
    return "";
  }

 private:
  bool Has(const NodeExplanation& node, auto&& is_it) const {
    return std::ranges::any_of(node.causes, [&](std::size_t cause) {
      return is_it(explanation_.causes[cause]);
    });
  }

  std::string AtMostOneEach(const AffinityTerm& term,
                            const std::string& rule) const {
    const Labels& labels =
        cluster_.NamespaceLabels(pod_.pod.meta.namespace_name);
    if (!term.Matches(pod_.pod, labels)) return "";
    std::set<std::string> all;
    std::set<std::string> taken;
    for (const NodeExplanation& node : explanation_.nodes) {
      const std::string* value =
          cluster_.FindNode(node.name)->labels().Find(term.topology_key);
      if (value == nullptr) continue;
      all.insert(*value);
      if (Has(node, [&](const Cause& cause) {
            return cause.kind == Cause::Kind::kAntiAffinity &&
                   cause.rule == rule;
          })) {
        taken.insert(*value);
      }
    }
    if (taken.empty()) return "";
    const std::string domains = Domains(all.size(), term.topology_key);
    const std::string at_most = "at most " + Counted(all.size(), "replica");
    if (taken.size() == all.size()) {
      return domains + ", each already has one: " + at_most;
    }
    return absl::StrCat(domains, ", of which ", taken.size(), " already ",
                        taken.size() == 1 ? "has" : "have", " one: ", at_most);
  }

  // A domain that counts, and that is closed to the pod by taints, keeps the
  // minimum low.
  void TaintedMinimum(const SpreadState& spread) {
    if (!spread.hard || !spread.rule.starts_with(path_prefix_ + "spec.")) {
      return;
    }
    if (!Refuses(spread)) return;
    const TopologySpreadConstraint* written = Written(spread.rule);
    if (written == nullptr || written->node_taints_policy == "Honor") return;
    for (const SpreadDomain& domain : spread.domains) {
      if (!domain.eligible || domain.pods != spread.numbers.minimum) continue;
      if (!IsTainted(spread.topology_key, domain.value)) continue;
      hints_.push_back(
          {absl::StrCat(spread.topology_key, "=", domain.value, " counts with ",
                        Counted(static_cast<std::size_t>(domain.pods), "pod"),
                        " for ", spread.rule,
                        ", but the taints of its nodes keep the pod away: "
                        "nodeTaintsPolicy: Honor would leave it out."),
           {}});
    }
  }

  bool Refuses(const SpreadState& spread) const {
    return std::ranges::any_of(explanation_.causes, [&](const Cause& cause) {
      return cause.kind == Cause::Kind::kSpread && cause.rule == spread.rule;
    });
  }

  const TopologySpreadConstraint* Written(const std::string& rule) const {
    const auto& all = pod_.pod.spec.topology_spread_constraints;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (rule == absl::StrCat(path_prefix_, "spec.topologySpreadConstraints[",
                               i, "]")) {
        return &all[i];
      }
    }
    return nullptr;
  }

  bool IsTainted(const std::string& key, const std::string& value) const {
    bool any = false;
    for (const NodeExplanation& node : explanation_.nodes) {
      const std::string* found =
          cluster_.FindNode(node.name)->labels().Find(key);
      if (found == nullptr || *found != value) continue;
      any = true;
      if (!Has(node, [](const Cause& cause) {
            return cause.kind == Cause::Kind::kTaint;
          })) {
        return false;
      }
    }
    return any;
  }

  // A request that no node could meet even if it were empty.
  void LargestNode() {
    struct Largest {
      std::int64_t requested = 0;
      std::int64_t allocatable = -1;
      std::string node;
      std::size_t nodes = 0;
    };
    std::map<std::string, Largest> by_resource;
    for (const NodeExplanation& node : explanation_.nodes) {
      for (const std::size_t index : node.causes) {
        const auto& numbers = explanation_.causes[index].resource;
        if (!numbers || numbers->requested <= numbers->allocatable) continue;
        Largest& largest = by_resource[numbers->name];
        ++largest.nodes;
        largest.requested = numbers->requested;
        if (numbers->allocatable > largest.allocatable) {
          largest.allocatable = numbers->allocatable;
          largest.node = node.name;
        }
      }
    }
    for (const auto& [name, largest] : by_resource) {
      if (largest.nodes < explanation_.nodes.size()) continue;
      hints_.push_back(
          {largest.allocatable == 0
               ? absl::StrCat("No node has any ", name, ".")
               : absl::StrCat("No node is large enough for ",
                              DescribeAmount(name, largest.requested), " ",
                              name, ": the largest, ", largest.node, ", has ",
                              DescribeAmount(name, largest.allocatable), "."),
           {}});
    }
  }

  const ClusterState& cluster_;
  const PodInfo& pod_;
  const Explanation& explanation_;
  const std::string path_prefix_;
  std::vector<Hint> hints_;
};

class KeysOnNoNode {
 public:
  KeysOnNoNode(const ClusterState& cluster, std::string_view path_prefix)
      : cluster_(cluster), path_prefix_(path_prefix) {}

  void Look(const std::string& key, const std::string& rule,
            std::string_view effect) {
    if (cluster_.Nodes().empty() ||
        std::ranges::any_of(cluster_.Nodes(), [&](const NodeInfo* node) {
          return node->labels().Has(key);
        })) {
      return;
    }
    found_.push_back(absl::StrCat(path_prefix_, rule,
                                  ": no node has the label ", key, ": ",
                                  std::string(effect)));
  }

  std::vector<std::string> Take() { return std::move(found_); }

 private:
  const ClusterState& cluster_;
  const std::string path_prefix_;
  std::vector<std::string> found_;
};

constexpr char kPreferredPath[] =
    ".preferredDuringSchedulingIgnoredDuringExecution[";

}  // namespace

std::vector<Hint> FindCountingHints(const ClusterState& cluster,
                                    const PodInfo& pod,
                                    const Explanation& explanation,
                                    std::string_view path_prefix) {
  return CountingHints(cluster, pod, explanation, path_prefix).Find();
}

std::string AtMost(const ClusterState& cluster, const PodInfo& pod,
                   const Explanation& explanation, const CauseGroup& group,
                   std::string_view path_prefix) {
  if (group.kind != Cause::Kind::kAntiAffinity) return "";
  return CountingHints(cluster, pod, explanation, path_prefix)
      .AtMostOneEach(group.rule);
}

std::vector<std::string> FindMistakes(const ClusterState& cluster,
                                      const PodInfo& pod,
                                      const Explanation& explanation,
                                      std::string_view path_prefix) {
  KeysOnNoNode keys(cluster, path_prefix);
  // Where the rule refuses everywhere, a hint says so.
  for (std::size_t i = 0; i < pod.required_anti_affinity_terms.size(); ++i) {
    keys.Look(pod.required_anti_affinity_terms[i].topology_key,
              RequiredTermPath("podAntiAffinity", i), "it keeps no pods apart");
  }
  const auto preferred = [&](const std::vector<WeightedAffinityTerm>& terms,
                             const char* kind) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      keys.Look(terms[i].term.topology_key,
                absl::StrCat("spec.affinity.", kind, kPreferredPath, i, "]"),
                "it prefers no node");
    }
  };
  preferred(pod.preferred_affinity_terms, "podAffinity");
  preferred(pod.preferred_anti_affinity_terms, "podAntiAffinity");
  const auto& constraints = pod.pod.spec.topology_spread_constraints;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (constraints[i].when_unsatisfiable != kScheduleAnyway) continue;
    keys.Look(constraints[i].topology_key,
              absl::StrCat("spec.topologySpreadConstraints[", i, "]"),
              "it spreads nothing");
  }
  std::vector<std::string> mistakes = keys.Take();
  for (const SpreadState& spread : explanation.spreads) {
    if (spread.numbers.self != 0 ||
        !spread.rule.starts_with(std::string(path_prefix) + "spec.")) {
      continue;
    }
    mistakes.push_back(
        absl::StrCat(spread.rule,
                     ".labelSelector does not match the labels of the pod "
                     "itself, which so is not spread"));
  }
  return mistakes;
}

}  // namespace vicinal
