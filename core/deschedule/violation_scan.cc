#include "core/deschedule/violation_scan.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/deschedule/node_utilization.h"
#include "core/index/pod_info.h"
#include "core/index/topology_index.h"
#include "core/model/node_selector.h"
#include "core/model/taint.h"
#include "core/plugins/interpodaffinity/incoming_terms.h"
#include "core/plugins/podtopologyspread/constraint.h"

namespace vicinal {
namespace {

auto LabelsOf(const StoredPod& pod) {
  return [&pod](const std::string& key) { return pod.FindLabel(key); };
}

// One distinct term, whoever carries it.
struct Term {
  PodQuery query;
  const TopologyDomains* domains = nullptr;
  const PlacementCounts* pods = nullptr;
  const DomainCounts* counts = nullptr;
  bool hard = false;
  std::int64_t cost = 0;  // Of each pair.
  // Where a pod has another one near that it had better not have.
  absl::flat_hash_set<DomainId> crowded;
};

// What the pods of one template have in common.
struct Template {
  std::optional<RequiredNodeAffinity> required;
  std::optional<PreferredSchedulingTerms> preferred;
  std::int64_t best_preferred = 0;
  const AffinityTally* affinity = nullptr;
  const DuplicateTally* duplicates = nullptr;
  std::vector<Term*> terms;
};

class ViolationScanner {
 public:
  ViolationScanner(const ClusterState& cluster, const RuleTallies& rules)
      : cluster_(cluster), index_(cluster.topology()), rules_(rules) {}

  ViolationScan Take() {
    scan_.cost = rules_.TotalCost();
    FindTaints();
    cluster_.ForEachPod([this](const StoredPod& pod) {
      if (pod.node() != nullptr && pod.node()->id != kNoNode) LookAt(pod);
    });
    for (const auto& [key, term] : terms_) FindCrowds(*term);
    for (const auto& tally : rules_.spreads()) FindSurplus(*tally);
    for (const auto& utilization : rules_.utilizations()) {
      FindSources(*utilization);
    }
    return std::move(scan_);
  }

 private:
  void AddCandidate(StrategyKind kind, const StoredPod& pod) {
    scan_.candidates[static_cast<std::size_t>(kind)].insert(&pod);
  }

  void FindTaints() {
    for (const NodeInfo* node : cluster_.Nodes()) {
      for (const Taint& taint : node->node->taints) {
        if (taint.effect == kNoSchedule ||
            (taint.effect == kPreferNoSchedule &&
             rules_.scope().prefer_no_schedule)) {
          tainted_.insert(node->id);
        }
      }
    }
  }

  Template& TemplateOf(const StoredPod& pod) {
    const auto [it, is_new] = templates_.try_emplace(&pod.common());
    Template& known = it->second;
    if (!is_new) return known;
    const Pod& common = pod.common();
    const PodInfo info(common);
    const auto& affinity = common.spec.affinity;
    if (common.spec.node_selector || (affinity && affinity->node_affinity &&
                                      affinity->node_affinity->required)) {
      known.required.emplace(common.spec.node_selector,
                             affinity ? affinity->node_affinity : std::nullopt);
    }
    if (rules_.scope().preferred_node_affinity && affinity &&
        affinity->node_affinity && affinity->node_affinity->preferred) {
      absl::StatusOr<PreferredSchedulingTerms> terms =
          PreferredSchedulingTerms::Parse(*affinity->node_affinity->preferred);
      if (terms.ok()) known.preferred = *std::move(terms);
    }
    if (known.preferred) {
      for (const NodeInfo* node : cluster_.Nodes()) {
        known.best_preferred =
            std::max(known.best_preferred,
                     known.preferred->Score(node->labels(), node->Name()));
      }
    }
    known.affinity = rules_.AffinityOf(info);
    known.duplicates = rules_.DuplicatesOf(common);
    for (const AffinityTerm& term : info.required_anti_affinity_terms) {
      known.terms.push_back(TermOf(term, true, 1));
    }
    if (rules_.scope().preferred_pod_affinity) {
      for (const auto& [term, weight] : info.preferred_anti_affinity_terms) {
        known.terms.push_back(TermOf(term, false, weight));
      }
      for (const auto& [term, weight] : info.preferred_affinity_terms) {
        known.terms.push_back(TermOf(term, false, -weight));
      }
    }
    return known;
  }

  Term* TermOf(const AffinityTerm& written, bool hard, std::int64_t cost) {
    const AffinityTerm merged = WithNamespacesMerged(cluster_, written);
    PodQuery query = QueryFor({merged});
    std::unique_ptr<Term>& term = terms_[absl::StrCat(
        query.Key(), "\n", written.topology_key, "\n", hard, " ", cost)];
    if (term == nullptr) {
      term = std::make_unique<Term>();
      term->domains = &index_.Domains(written.topology_key);
      term->pods = &index_.Count(query);
      term->counts = &index_.ByDomain(*term->pods, *term->domains);
      term->query = std::move(query);
      term->hard = hard;
      term->cost = cost;
    }
    return term.get();
  }

  void LookAt(const StoredPod& pod) {
    const NodeInfo& node = *pod.node();
    Template& common = TemplateOf(pod);
    for (Term* term : common.terms) LookAtTerm(pod, *term);
    if (pod.terminating()) return;
    if (tainted_.contains(node.id)) LookAtTaints(pod);
    if (common.required &&
        !common.required->Matches(node.labels(), node.Name())) {
      ++scan_.cost.hard_violations;
      AddCandidate(StrategyKind::kNodeAffinity, pod);
    }
    if (common.preferred) {
      const std::int64_t score =
          common.preferred->Score(node.labels(), node.Name());
      scan_.cost.soft -= score;
      if (score < common.best_preferred) {
        AddCandidate(StrategyKind::kNodeAffinity, pod);
      }
    }
    if (common.affinity != nullptr &&
        !common.affinity->Holds(
            node.id, common.affinity->query().Matches(pod.namespace_name(),
                                                      LabelsOf(pod), false))) {
      AddCandidate(StrategyKind::kRequiredPodAffinity, pod);
    }
    if (common.duplicates != nullptr &&
        common.duplicates->At(node.id) > common.duplicates->share()) {
      AddCandidate(StrategyKind::kDuplicates, pod);
    }
  }

  void LookAtTerm(const StoredPod& pod, Term& term) {
    const DomainId domain = term.domains->Of(pod.node()->id);
    if (domain == kNoDomain) return;
    const bool self = term.query.Matches(pod.namespace_name(), LabelsOf(pod),
                                         pod.terminating());
    const std::int64_t others = term.counts->Of(domain) - (self ? 1 : 0);
    if (others == 0) return;
    (term.hard ? scan_.cost.hard_violations : scan_.cost.soft) +=
        term.cost * others;
    if (term.cost < 0) return;
    term.crowded.insert(domain);
    if (pod.terminating()) return;
    AddCandidate(term.hard ? StrategyKind::kInterPodAntiAffinity
                           : StrategyKind::kSoftAntiAffinity,
                 pod);
  }

  void LookAtTaints(const StoredPod& pod) {
    bool hard = false;
    for (const Taint& taint : pod.node()->node->taints) {
      const bool soft = taint.effect == kPreferNoSchedule &&
                        rules_.scope().prefer_no_schedule;
      if (!soft && taint.effect != kNoSchedule) continue;
      if (Tolerate(pod.common().spec.tolerations, taint,
                   cluster_.release().taint_comparisons)) {
        continue;
      }
      AddCandidate(StrategyKind::kNodeTaints, pod);
      if (soft) {
        scan_.cost.soft += kPreferNoScheduleWeight;
      } else {
        hard = true;
      }
    }
    scan_.cost.hard_violations += hard ? 1 : 0;
  }

  // Calls `visit(const StoredPod&)` for the pods on a node that the query is
  // about, without terminating ones.
  template <typename Visit>
  void ForEachMatching(const PodQuery& query, NodeId node, Visit&& visit) {
    for (const StoredPod* pod : cluster_.NodeById(node).pods) {
      if (!pod->terminating() &&
          query.Matches(pod->namespace_name(), LabelsOf(*pod), false)) {
        visit(*pod);
      }
    }
  }

  // The pods that somebody does not want near.
  void FindCrowds(const Term& term) {
    if (term.crowded.empty()) return;
    term.pods->by_node().ForEach([&](NodeId node, std::int32_t) {
      if (!term.crowded.contains(term.domains->Of(node))) return;
      ForEachMatching(term.query, node, [&](const StoredPod& pod) {
        AddCandidate(term.hard ? StrategyKind::kInterPodAntiAffinity
                               : StrategyKind::kSoftAntiAffinity,
                     pod);
      });
    });
  }

  void FindSurplus(const SpreadTally& tally) {
    if (tally.Excess() == 0) return;
    const PodQuery query = QueryFor(tally.constraint(), tally.namespace_name());
    index_.Count(query).by_node().ForEach([&](NodeId node, std::int32_t) {
      if (!tally.IsTooMany(node)) return;
      ForEachMatching(query, node, [&](const StoredPod& pod) {
        AddCandidate(StrategyKind::kTopologySpread, pod);
      });
    });
  }

  // The pods on nodes that are too full, or to be emptied.
  void FindSources(const NodeUtilization& utilization) {
    for (const NodeInfo* node : cluster_.Nodes()) {
      if (!utilization.IsSource(*node)) continue;
      for (const StoredPod* pod : node->pods) {
        if (!pod->terminating()) AddCandidate(utilization.kind(), *pod);
      }
    }
  }

  const ClusterState& cluster_;
  const TopologyIndex& index_;
  const RuleTallies& rules_;
  ViolationScan scan_;
  absl::flat_hash_set<NodeId> tainted_;
  absl::flat_hash_map<const Pod*, Template> templates_;
  absl::flat_hash_map<std::string, std::unique_ptr<Term>> terms_;
};

}  // namespace

ViolationScan ScanViolations(const ClusterState& cluster,
                             const RuleTallies& rules) {
  return ViolationScanner(cluster, rules).Take();
}

}  // namespace vicinal
