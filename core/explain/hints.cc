#include "core/explain/hints.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/explain/counting_hints.h"
#include "core/explain/describe.h"
#include "core/explain/existing_pods.h"
#include "core/model/did_you_mean.h"
#include "core/model/go_int64.h"
#include "core/plugins/interpodaffinity/incoming_terms.h"

namespace vicinal {
namespace {

constexpr std::size_t kMaxListed = 5;
constexpr std::size_t kMaxSets = 3;  // Of pods that block some nodes.

std::string Names(const std::vector<std::string>& nodes) {
  return Listed(nodes, kMaxListed);
}

// What keeps the pod from every node that a rule is about.
class HopelessRules {
 public:
  HopelessRules(const ClusterState& cluster, const PodInfo& pod,
                const Explanation& explanation, std::string_view path_prefix)
      : cluster_(cluster),
        pod_(pod),
        explanation_(explanation),
        path_prefix_(path_prefix) {}

  std::vector<Hint> Find() {
    for (const CauseGroup& group : explanation_.groups) {
      switch (group.kind) {
        case Cause::Kind::kMissingKey:
          MissingKey(group);
          break;
        case Cause::Kind::kNodeAffinity:
          NodeLabel(group);
          break;
        default:
          break;
      }
    }
    NobodyToJoin();
    for (const SpreadState& spread : explanation_.spreads) MinDomains(spread);
    return std::move(hints_);
  }

 private:
  bool EverywhereRefused(const CauseGroup& group) const {
    return group.nodes == explanation_.nodes.size() && group.nodes > 0;
  }

  // How many nodes have each label key.
  const std::map<std::string, std::size_t>& NodeKeys() {
    if (node_keys_.empty()) {
      for (const NodeInfo* node : cluster_.Nodes()) {
        for (const auto& [key, value] : node->labels()) ++node_keys_[key];
      }
    }
    return node_keys_;
  }

  std::string InsteadOf(const std::string& key) {
    std::vector<std::string> keys;
    std::vector<std::string> told;
    for (const auto& [known, count] : NodeKeys()) {
      keys.push_back(known);
      told.push_back(absl::StrCat(known, " (", count, ")"));
    }
    std::string text;
    // By its last part, since the prefix may be the one that is wrong.
    std::string guess = DidYouMean(key, keys);
    const std::string_view last =
        std::string_view(key).substr(key.rfind('/') + 1);
    for (const std::string& known : keys) {
      if (guess.empty() && known.ends_with("/" + std::string(last))) {
        guess = known;
      }
      // The same last part beats a similar spelling.
      if (known != guess && known.ends_with("/" + std::string(last))) {
        guess = known;
      }
    }
    if (!guess.empty()) absl::StrAppend(&text, " Did you mean ", guess, "?");
    if (!told.empty()) {
      absl::StrAppend(&text, " Keys that nodes have: ", Listed(told, 8), ".");
    }
    return text;
  }

  void MissingKey(const CauseGroup& group) {
    const std::string& key =
        explanation_.causes[group.causes.front()].topology_key;
    if (!EverywhereRefused(group) || NodeKeys().contains(key)) return;
    hints_.push_back(
        {absl::StrCat("No node has the label ", key, ", the topologyKey of ",
                      group.rule, ".", InsteadOf(key)),
         {}});
  }

  void NodeLabel(const CauseGroup& group) {
    const std::string& key =
        explanation_.causes[group.causes.front()].topology_key;
    if (!EverywhereRefused(group) || key.empty()) return;
    if (!NodeKeys().contains(key)) {
      hints_.push_back({absl::StrCat("No node has the label ", key, ", which ",
                                     group.rule, " asks for.", InsteadOf(key)),
                        {}});
      return;
    }
    std::set<std::string> values;
    for (const std::size_t cause : group.causes) {
      const auto& domain = explanation_.causes[cause].domain;
      if (domain) values.insert(*domain);
    }
    hints_.push_back(
        {absl::StrCat("No node meets ", group.rule, ": the pod ", group.wants,
                      ", but nodes have ", key, " = ",
                      Listed({values.begin(), values.end()}, 8), "."),
         {}});
  }

  // Required affinity to pods that are nowhere.
  void NobodyToJoin() {
    const std::vector<AffinityTerm>& terms = pod_.required_affinity_terms;
    std::set<std::string> rules;  // That refuse somewhere.
    for (const CauseGroup& group : explanation_.groups) {
      if (group.kind == Cause::Kind::kAffinity) rules.insert(group.rule);
    }
    bool each_has_pods = true;
    bool found_all = false;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const std::string rule =
          path_prefix_ + RequiredTermPath("podAffinity", i);
      if (!rules.contains(rule)) continue;
      const Found found = PodsFor(terms[i]);
      found_all |= found.all_terms;
      if (found.in_scope > 0) continue;
      each_has_pods = false;
      hints_.push_back({WhyNobody(terms[i], rule, found), {}});
    }
    if (!rules.empty() && terms.size() > 1 && each_has_pods && !found_all) {
      hints_.push_back(
          {absl::StrCat("No single pod matches all ", terms.size(),
                        " terms of ", path_prefix_,
                        "spec.affinity.podAffinity: one and the same "
                        "pod must match every labelSelector of the list."),
           {}});
    }
  }

  struct Found {
    std::size_t in_scope = 0;          // Selected, in a right namespace.
    std::set<std::string> namespaces;  // Other namespaces with such pods.
    std::vector<std::string> merged;   // The right namespaces.
    bool all_namespaces = false;
    bool all_terms = false;
  };

  Found PodsFor(const AffinityTerm& term) {
    const AffinityTerm merged = WithNamespacesMerged(cluster_, term);
    std::vector<AffinityTerm> all;
    for (const AffinityTerm& other : pod_.required_affinity_terms) {
      all.push_back(WithNamespacesMerged(cluster_, other));
    }
    Found found;
    found.merged = merged.namespaces;
    found.all_namespaces = merged.namespace_selector.Empty();
    for (const NodeInfo* node : cluster_.Nodes()) {
      for (const StoredPod* pod : node->pods) {
        if (!Selects(merged.selector, *pod)) continue;
        if (!IsAbout(merged, *pod)) {
          found.namespaces.insert(pod->namespace_name());
          continue;
        }
        ++found.in_scope;
        found.all_terms |= std::all_of(
            all.begin(), all.end(),
            [&](const AffinityTerm& one) { return IsAbout(one, *pod); });
      }
    }
    return found;
  }

  std::string WhyNobody(const AffinityTerm& term, const std::string& rule,
                        const Found& found) const {
    const Selector& selector = term.namespace_selector;
    if (!found.all_namespaces && found.merged.empty()) {
      return absl::StrCat("No namespace has the labels ", Describe(selector),
                          ", which ", rule, ".namespaceSelector asks for.");
    }
    std::string text =
        absl::StrCat("No running pod is one of the ", DescribePods(term),
                     ", whom ", rule, " wants near");
    if (!found.namespaces.empty()) {
      const std::vector<std::string> names(found.namespaces.begin(),
                                           found.namespaces.end());
      return absl::StrCat(text, "; such pods run in ", Listed(names, 5),
                          ", which a term reaches with `namespaces` or "
                          "`namespaceSelector`.");
    }
    return text + ": such a pod has to run first.";
  }

  void MinDomains(const SpreadState& spread) {
    const SkewNumbers& numbers = spread.numbers;
    if (!spread.hard || numbers.domains >= numbers.min_domains) return;
    const bool refuses =
        std::any_of(explanation_.causes.begin(), explanation_.causes.end(),
                    [&spread](const Cause& cause) {
                      return cause.kind == Cause::Kind::kSpread &&
                             cause.rule == spread.rule;
                    });
    if (!refuses) return;
    hints_.push_back(
        {absl::StrCat(
             spread.rule, " asks for minDomains ", numbers.min_domains,
             ", but there are only ",
             Counted(static_cast<std::size_t>(numbers.domains), "domain"),
             " of ", spread.topology_key,
             " that count, so that the minimum is taken as 0: add ",
             Counted(static_cast<std::size_t>(numbers.min_domains -
                                              numbers.domains),
                     "domain"),
             " or lower minDomains."),
         {}});
  }

  const ClusterState& cluster_;
  const PodInfo& pod_;
  const Explanation& explanation_;
  const std::string path_prefix_;
  std::map<std::string, std::size_t> node_keys_;
  std::vector<Hint> hints_;
};

// Nodes that are closed for exactly the same causes.
struct Closed {
  std::vector<const Cause*> causes;
  std::vector<std::string> nodes;
};

bool IsBlockedByPods(const Cause& cause) {
  return cause.kind == Cause::Kind::kAntiAffinity ||
         cause.kind == Cause::Kind::kExistingAntiAffinity ||
         cause.kind == Cause::Kind::kPort || cause.kind == Cause::Kind::kSpread;
}

std::string NameOf(const PodReference& pod) {
  return pod.key.namespace_name + "/" + pod.key.name;
}

// Only pods are in the way: which of them must go.
struct Blockers {
  std::set<PodReference> pods;  // All of these,
  std::int64_t surplus = 0;     // and that many of each of these sets.
  const Cause* spread = nullptr;
  const Closed* closed = nullptr;

  std::size_t Count() const {
    return pods.size() + static_cast<std::size_t>(surplus);
  }
};

std::optional<Blockers> BlockersOf(const Closed& closed) {
  Blockers blockers;
  blockers.closed = &closed;
  for (const Cause* cause : closed.causes) {
    if (!IsBlockedByPods(*cause)) return std::nullopt;
    if (cause->kind != Cause::Kind::kSpread) {
      blockers.pods.insert(cause->blocking_pods.begin(),
                           cause->blocking_pods.end());
      continue;
    }
    // More than one constraint: there is no obvious choice of pods.
    if (blockers.spread != nullptr) return std::nullopt;
    const SkewNumbers& skew = *cause->skew;
    blockers.spread = cause;
    blockers.surplus = skew.match + skew.self - skew.minimum - skew.max_skew;
  }
  return blockers;
}

std::string TextFor(const Blockers& blockers) {
  std::vector<std::string> names;
  for (const PodReference& pod : blockers.pods) names.push_back(NameOf(pod));
  std::string text = absl::StrCat("Only ", Listed(names, kMaxListed));
  if (blockers.spread != nullptr) {
    std::vector<std::string> matching;
    for (const PodReference& pod : blockers.spread->blocking_pods) {
      matching.push_back(NameOf(pod));
    }
    absl::StrAppend(&text, names.empty() ? "" : " and ",
                    Counted(static_cast<std::size_t>(blockers.surplus), "pod"),
                    " too many out of (", Listed(matching, kMaxListed), ")");
  }
  const bool one = blockers.Count() == 1;
  return absl::StrCat(text, one ? " blocks " : " block ",
                      Names(blockers.closed->nodes), ".");
}

void AddBlockers(const std::vector<Closed>& all, std::vector<Hint>& hints) {
  std::vector<Blockers> sets;
  for (const Closed& closed : all) {
    if (auto blockers = BlockersOf(closed)) sets.push_back(*blockers);
  }
  std::stable_sort(sets.begin(), sets.end(),
                   [](const Blockers& a, const Blockers& b) {
                     return a.Count() < b.Count();
                   });
  for (std::size_t i = 0; i < sets.size() && i < kMaxSets; ++i) {
    hints.push_back({TextFor(sets[i]), sets[i].closed->nodes});
  }
  if (sets.size() <= kMaxSets) return;
  std::size_t nodes = 0;
  for (std::size_t i = kMaxSets; i < sets.size(); ++i) {
    nodes += sets[i].closed->nodes.size();
  }
  hints.push_back(
      {absl::StrCat("And ", Counted(nodes, "more node"),
                    " that only pods block, with at least as many of them."),
       {}});
}

// A node that lacks only an amount of one resource, and how much.
struct Shortage {
  std::int64_t amount = 0;
  const Closed* closed = nullptr;
};

// Nodes that one change of the node or of the pod's tolerations would open.
void AddSingleCauses(const std::vector<Closed>& all, std::vector<Hint>& hints) {
  std::map<std::string, Shortage> shortages;  // The least, by resource.
  for (const Closed& closed : all) {
    if (closed.causes.size() != 1) continue;
    const Cause& cause = *closed.causes.front();
    const std::string names = Names(closed.nodes);
    switch (cause.kind) {
      case Cause::Kind::kTaint:
        hints.push_back(
            {absl::StrCat("Only the ", cause.found, " closes ", names,
                          ": a toleration would open ",
                          closed.nodes.size() == 1 ? "it" : "them", "."),
             closed.nodes});
        break;
      case Cause::Kind::kUnschedulable:
        hints.push_back(
            {absl::StrCat("Only the cordon closes ", names,
                          ": kubectl uncordon would open ",
                          closed.nodes.size() == 1 ? "it" : "them", "."),
             closed.nodes});
        break;
      case Cause::Kind::kResource: {
        const ResourceNumbers& numbers = *cause.resource;
        // Even empty they are too small; see LargestNode.
        if (numbers.requested > numbers.allocatable) break;
        const std::int64_t lacks = GoSubtract(
            numbers.requested, GoSubtract(numbers.allocatable, numbers.in_use));
        const auto [it, is_new] = shortages.try_emplace(numbers.name);
        if (is_new || lacks < it->second.amount) it->second = {lacks, &closed};
        break;
      }
      default:
        break;
    }
  }
  for (const auto& [resource, shortage] : shortages) {
    hints.push_back(
        {absl::StrCat("Only ", DescribeAmount(resource, shortage.amount), " ",
                      resource, " more would open ",
                      Names(shortage.closed->nodes), "."),
         shortage.closed->nodes});
  }
}

}  // namespace

std::vector<Hint> FindHints(const ClusterState& cluster, const PodInfo& pod,
                            const Explanation& explanation,
                            std::string_view path_prefix) {
  std::vector<Hint> hints =
      HopelessRules(cluster, pod, explanation, path_prefix).Find();
  for (Hint& hint : FindCountingHints(cluster, pod, explanation, path_prefix)) {
    hints.push_back(std::move(hint));
  }
  if (cluster.Nodes().empty()) {
    hints.push_back({"The cluster has no nodes.", {}});
  }
  std::map<std::vector<std::size_t>, Closed> by_causes;
  for (const NodeExplanation& node : explanation.nodes) {
    Closed& closed = by_causes[node.causes];
    closed.nodes.push_back(node.name);
    if (!closed.causes.empty()) continue;
    for (const std::size_t cause : node.causes) {
      closed.causes.push_back(&explanation.causes[cause]);
    }
  }
  std::vector<Closed> all;
  for (auto& [causes, closed] : by_causes) all.push_back(std::move(closed));
  AddBlockers(all, hints);
  AddSingleCauses(all, hints);
  return hints;
}

}  // namespace vicinal
