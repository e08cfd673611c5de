#include "core/deschedule/rule_tallies.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/index/topology_index.h"
#include "core/index/workload_name.h"
#include "core/model/taint.h"
#include "core/plugins/interpodaffinity/incoming_terms.h"
#include "core/plugins/podtopologyspread/constraint.h"

namespace vicinal {
namespace {

bool IsAbout(const PodQuery& query, const std::string& namespace_name,
             const Labels& labels) {
  return query.Matches(
      namespace_name,
      [&labels](const std::string& key) { return labels.Find(key); }, false);
}

bool IsAbout(const PodQuery& query, const Pod& pod) {
  return IsAbout(query, pod.meta.namespace_name, pod.meta.labels);
}

bool HasSpread(const Pod& pod, std::string_view action) {
  return std::ranges::any_of(pod.spec.topology_spread_constraints,
                             [action](const TopologySpreadConstraint& c) {
                               return c.when_unsatisfiable == action;
                             });
}

bool MatchesLabelKeys(const Pod& pod) {
  return std::ranges::any_of(pod.spec.topology_spread_constraints,
                             [](const TopologySpreadConstraint& c) {
                               return !c.match_label_keys.empty();
                             });
}

RequiredNodeAffinity RequiredOf(const Pod& pod) {
  return RequiredNodeAffinity(
      pod.spec.node_selector,
      pod.spec.affinity ? pod.spec.affinity->node_affinity : std::nullopt);
}

}  // namespace

RuleScope RuleScope::Of(const Policy& policy) {
  RuleScope scope;
  scope.utilization_nodes = policy.node_selector;
  for (const PolicyProfile& profile : policy.profiles) {
    for (const Strategy& strategy : profile.strategies) {
      switch (strategy.kind) {
        case StrategyKind::kNodeTaints:
          scope.prefer_no_schedule |= strategy.include_prefer_no_schedule;
          break;
        case StrategyKind::kNodeAffinity:
          scope.preferred_node_affinity |= strategy.preferred_node_affinity;
          break;
        case StrategyKind::kTopologySpread:
          scope.schedule_anyway |= strategy.schedule_anyway;
          break;
        case StrategyKind::kDuplicates:
          scope.duplicates_but_of.push_back(strategy.exclude_owner_kinds);
          break;
        case StrategyKind::kSoftAntiAffinity:
          scope.preferred_pod_affinity = true;
          break;
        case StrategyKind::kLowNodeUtilization:
        case StrategyKind::kHighNodeUtilization:
          scope.utilizations.push_back({strategy.kind, strategy.utilization});
          break;
        case StrategyKind::kRequiredPodAffinity:
        case StrategyKind::kInterPodAntiAffinity:
        case StrategyKind::kFailedPods:
        case StrategyKind::kTooManyRestarts:
        case StrategyKind::kPodLifeTime:
          break;
      }
    }
  }
  return scope;
}

std::string OwnerKeyOf(const ObjectMeta& meta) {
  const OwnerReference* owner = ControllerOf(meta);
  if (owner == nullptr && !meta.owner_references.empty()) {
    owner = &meta.owner_references.front();
  }
  if (owner == nullptr) return "";
  return absl::StrCat(meta.namespace_name, "/", owner->kind, "/", owner->name);
}

bool IsOwnedByOneOf(const ObjectMeta& meta,
                    const std::vector<std::string>& kinds) {
  return std::ranges::any_of(meta.owner_references,
                             [&kinds](const OwnerReference& owner) {
                               return std::ranges::count(kinds, owner.kind) > 0;
                             });
}

RuleTallies::RuleTallies(const ClusterState& cluster, RuleScope scope)
    : cluster_(cluster), scope_(std::move(scope)) {
  for (const NodeInfo* node : cluster.Nodes()) {
    if (node->node->unschedulable) unschedulable_.push_back(node->id);
  }
  for (const RuleScope::Utilization& wanted : scope_.utilizations) {
    utilizations_.push_back(std::make_unique<NodeUtilization>(
        cluster, wanted.kind, wanted.args, scope_.utilization_nodes));
  }
  // What pods of one template have in common is worked out once.
  struct Template {
    bool spreads = false;
    bool by_labels = false;  // Its constraints are not the same for all pods.
    AffinityTally* tally = nullptr;
    bool duplicates = false;
  };
  absl::flat_hash_map<const Pod*, Template> templates;
  cluster.ForEachPod([&](const StoredPod& pod) {
    if (pod.node() == nullptr || pod.node()->id == kNoNode ||
        pod.terminating()) {
      return;
    }
    const Pod& common = pod.common();
    const auto [it, is_new] = templates.try_emplace(&common);
    Template& known = it->second;
    if (is_new) {
      known.spreads =
          HasSpread(common, kDoNotSchedule) ||
          (scope_.schedule_anyway && HasSpread(common, kScheduleAnyway));
      known.by_labels = MatchesLabelKeys(common);
      known.duplicates =
          !common.meta.owner_references.empty() &&
          std::ranges::any_of(scope_.duplicates_but_of,
                              [&](const std::vector<std::string>& kinds) {
                                return !IsOwnedByOneOf(common.meta, kinds);
                              });
      if (common.spec.affinity && common.spec.affinity->pod_affinity &&
          !common.spec.affinity->pod_affinity->required.empty()) {
        const PodInfo info(common);
        if (!info.required_affinity_terms.empty()) known.tally = &TallyOf(info);
      }
    }
    if (known.spreads && (is_new || known.by_labels)) {
      Pod written = common;
      written.meta.labels = pod.labels();
      written.meta.name = pod.name();
      AddSpreads(written, kDoNotSchedule);
      if (scope_.schedule_anyway) AddSpreads(written, kScheduleAnyway);
    }
    if (known.tally != nullptr) {
      known.tally->AddCarriers(
          pod.node()->id,
          known.tally->query().Matches(
              pod.namespace_name(),
              [&pod](const std::string& key) { return pod.FindLabel(key); },
              false),
          1);
    }
    if (known.duplicates) {
      Duplicates& duplicates = duplicates_[DuplicateKeyOf(common)];
      if (duplicates.example.meta.owner_references.empty()) {
        duplicates.example = common;
      }
      duplicates.tally.Add(pod.node()->id, 1);
    }
  });
  CountDuplicateNodes();
}

void RuleTallies::CountDuplicateNodes() {
  for (auto& [key, duplicates] : duplicates_) {
    const PodSpec& spec = duplicates.example.spec;
    NodeCondition condition;
    condition.node_selector = spec.node_selector;
    if (spec.affinity) condition.node_affinity = spec.affinity->node_affinity;
    condition.tolerations = spec.tolerations;
    const NodeSet& nodes = cluster_.topology().Nodes(condition);
    auto count = static_cast<std::int64_t>(nodes.members().by_node().size());
    for (const NodeId closed : unschedulable_)
      count -= nodes.Has(closed) ? 1 : 0;
    duplicates.tally.SetNodes(count);
  }
}

std::shared_ptr<const NodeDomains> RuleTallies::DomainsOf(
    const std::string& topology_key) {
  std::shared_ptr<const NodeDomains>& domains = domains_[topology_key];
  if (domains == nullptr) {
    domains = std::make_shared<NodeDomains>(
        cluster_, topology_key, [](const NodeInfo&) { return true; });
  }
  return domains;
}

void RuleTallies::AddSpreads(const Pod& pod, std::string_view action) {
  const absl::StatusOr<std::vector<SpreadConstraint>> constraints =
      ParseConstraints(cluster_.release(), pod.spec.topology_spread_constraints,
                       pod.meta.labels, action);
  if (!constraints.ok()) return;  // No scheduler can use them either.
  std::vector<std::string> keys;
  for (const SpreadConstraint& constraint : *constraints) {
    keys.push_back(constraint.topology_key);
  }
  const TopologyIndex& index = cluster_.topology();
  for (const SpreadConstraint& constraint : *constraints) {
    if (constraint.selector.Empty()) continue;  // It counts no pods.
    const NodeCondition condition = CountedNodes(constraint, pod, keys);
    const PodQuery query = QueryFor(constraint, pod.meta.namespace_name);
    const std::string among =
        absl::StrCat(condition.Key(), "\n", constraint.topology_key);
    SpreadTally*& known = spread_of_[absl::StrCat(
        query.Key(), "\n", among, "\n", constraint.max_skew, " ",
        constraint.min_domains, std::string(action))];
    if (known != nullptr) continue;
    std::shared_ptr<const NodeDomains>& domains = domains_["\n" + among];
    if (domains == nullptr) {
      const NodeSet& nodes = index.Nodes(condition);
      domains = std::make_shared<NodeDomains>(
          cluster_, constraint.topology_key,
          [&nodes](const NodeInfo& node) { return nodes.Has(node.id); });
    }
    spreads_.push_back(std::make_unique<SpreadTally>(
        constraint, pod.meta.namespace_name,
        WorkloadName(cluster_, pod.meta, pod.meta.name),
        action == kDoNotSchedule, domains));
    known = spreads_.back().get();
    spread_lookup_[pod.meta.namespace_name].Add(known, constraint.selector);
    index.Count(query).by_node().ForEach(
        [known](NodeId node, std::int32_t count) { known->Add(node, count); });
  }
}

std::string RuleTallies::AffinityKeyOf(const PodInfo& pod) const {
  std::vector<AffinityTerm> terms;
  std::string keys;
  for (const AffinityTerm& term : pod.required_affinity_terms) {
    terms.push_back(WithNamespacesMerged(cluster_, term));
    absl::StrAppend(&keys, "\n", term.topology_key);
  }
  return QueryFor(terms).Key() + keys;
}

AffinityTally& RuleTallies::TallyOf(const PodInfo& pod) {
  AffinityTally*& tally = affinity_of_[AffinityKeyOf(pod)];
  if (tally != nullptr) return *tally;
  std::vector<AffinityTerm> terms;
  std::vector<std::string> keys;
  std::vector<std::shared_ptr<const NodeDomains>> domains;
  for (const AffinityTerm& term : pod.required_affinity_terms) {
    terms.push_back(WithNamespacesMerged(cluster_, term));
    keys.push_back(term.topology_key);
    domains.push_back(DomainsOf(term.topology_key));
  }
  affinities_.push_back(std::make_unique<AffinityTally>(
      QueryFor(terms), std::move(keys), std::move(domains)));
  tally = affinities_.back().get();
  affinity_lookup_.Add(tally, tally->query().conditions.front().selector);
  cluster_.topology()
      .Count(tally->query())
      .by_node()
      .ForEach([tally = tally](NodeId node, std::int32_t count) {
        tally->AddMatching(node, count);
      });
  return *tally;
}

std::string RuleTallies::DuplicateKeyOf(const Pod& pod) const {
  std::vector<std::string_view> images;
  for (const Container& container : pod.spec.containers) {
    images.push_back(container.image);
  }
  std::ranges::sort(images);
  std::string key = OwnerKeyOf(pod.meta);
  for (const std::string_view image : images) {
    key += '#';
    key += image;
  }
  return key;
}

void RuleTallies::Count(const PodInfo& pod, NodeId node, std::int64_t delta) {
  const ObjectMeta& meta = pod.pod.meta;
  const auto spreads = spread_lookup_.find(meta.namespace_name);
  if (spreads != spread_lookup_.end() && !IsTerminating(pod.pod)) {
    spreads->second.ForEachCandidate(meta.labels, [&](SpreadTally* tally) {
      if (tally->constraint().selector.Matches(meta.labels))
        tally->Add(node, delta);
    });
  }
  affinity_lookup_.ForEachCandidate(meta.labels, [&](AffinityTally* tally) {
    if (IsAbout(tally->query(), pod.pod)) tally->AddMatching(node, delta);
  });
  if (!pod.required_affinity_terms.empty()) {
    const auto own = affinity_of_.find(AffinityKeyOf(pod));
    if (own != affinity_of_.end()) {
      own->second->AddCarriers(node, IsAbout(own->second->query(), pod.pod),
                               delta);
    }
  }
  if (!scope_.duplicates_but_of.empty()) {
    const auto it = duplicates_.find(DuplicateKeyOf(pod.pod));
    if (it != duplicates_.end()) it->second.tally.Add(node, delta);
  }
}

const AffinityTally* RuleTallies::AffinityOf(const PodInfo& pod) const {
  if (pod.required_affinity_terms.empty()) return nullptr;
  const auto it = affinity_of_.find(AffinityKeyOf(pod));
  return it == affinity_of_.end() ? nullptr : it->second;
}

const DuplicateTally* RuleTallies::DuplicatesOf(const Pod& pod) const {
  if (scope_.duplicates_but_of.empty()) return nullptr;
  const auto it = duplicates_.find(DuplicateKeyOf(pod));
  return it == duplicates_.end() ? nullptr : &it->second.tally;
}

std::vector<const SpreadTally*> RuleTallies::SpreadsAbout(
    const std::string& namespace_name, const Labels& labels) const {
  std::vector<const SpreadTally*> tallies;
  const auto it = spread_lookup_.find(namespace_name);
  if (it == spread_lookup_.end()) return tallies;
  it->second.ForEachCandidate(labels, [&](const SpreadTally* tally) {
    if (tally->constraint().selector.Matches(labels)) tallies.push_back(tally);
  });
  return tallies;
}

std::vector<const AffinityTally*> RuleTallies::AffinitiesAbout(
    const std::string& namespace_name, const Labels& labels) const {
  std::vector<const AffinityTally*> tallies;
  affinity_lookup_.ForEachCandidate(labels, [&](const AffinityTally* tally) {
    if (IsAbout(tally->query(), namespace_name, labels))
      tallies.push_back(tally);
  });
  return tallies;
}

ClusterCost RuleTallies::TotalCost() const {
  ClusterCost cost;
  for (const auto& tally : spreads_) cost.skew += tally->Excess();
  for (const auto& [key, duplicates] : duplicates_) {
    cost.skew += duplicates.tally.Excess();
  }
  for (const auto& tally : affinities_) cost.hard_violations += tally->Broken();
  for (const auto& utilization : utilizations_) {
    cost.utilization += utilization->TotalCost(cluster_);
  }
  return cost;
}

const NodeUtilization* RuleTallies::UtilizationOf(
    const Strategy& strategy) const {
  for (const auto& utilization : utilizations_) {
    if (utilization->kind() == strategy.kind &&
        utilization->args() == strategy.utilization) {
      return utilization.get();
    }
  }
  return nullptr;
}

PodCosts::PodCosts(const ClusterState& cluster, const RuleTallies& rules,
                   const PodInfo& pod)
    : rules_(rules), pod_(pod), required_(RequiredOf(pod.pod)) {
  const TopologyIndex& index = cluster.topology();
  const ObjectMeta& meta = pod.pod.meta;
  const auto near = [&](const std::string& key, const PlacementCounts& counts,
                        std::int64_t weight) {
    const TopologyDomains& domains = index.Domains(key);
    return Near{&key, &domains, &index.ByDomain(counts, domains), weight};
  };
  const auto add_own = [&](const AffinityTerm& term, std::int64_t weight,
                           std::vector<Near>& out) {
    const AffinityTerm merged = WithNamespacesMerged(cluster, term);
    out.push_back(
        near(term.topology_key, index.Count(QueryFor({merged})), weight));
  };
  for (const AffinityTerm& term : pod.required_anti_affinity_terms) {
    add_own(term, 1, hard_);
  }
  const bool soft = rules.scope().preferred_pod_affinity;
  if (soft) {
    for (const auto& [term, weight] : pod.preferred_anti_affinity_terms) {
      add_own(term, weight, preferred_anti_);
    }
    for (const auto& [term, weight] : pod.preferred_affinity_terms) {
      add_own(term, -weight, preferred_near_);
    }
  }
  const Labels& namespace_labels = cluster.NamespaceLabels(meta.namespace_name);
  index.ForEachAntiAffinityAbout(
      pod.pod, namespace_labels, [&](const CarriedTerm& carried) {
        hard_.push_back(near(carried.term.topology_key, carried.pods, 1));
      });
  if (soft) {
    index.ForEachOtherTermAbout(
        pod.pod, namespace_labels, [&](const CarriedTerm& carried) {
          if (carried.kind != CarriedTerm::Kind::kPreferred) return;
          // Those of anti-affinity weigh less than 0.
          (carried.weight < 0 ? preferred_anti_ : preferred_near_)
              .push_back(near(carried.term.topology_key, carried.pods,
                              -carried.weight));
        });
  }
  if (rules.scope().preferred_node_affinity && pod.pod.spec.affinity &&
      pod.pod.spec.affinity->node_affinity &&
      pod.pod.spec.affinity->node_affinity->preferred) {
    absl::StatusOr<PreferredSchedulingTerms> terms =
        PreferredSchedulingTerms::Parse(
            *pod.pod.spec.affinity->node_affinity->preferred);
    if (terms.ok()) preferred_ = *std::move(terms);
  }
  if (!IsTerminating(pod.pod)) {
    spreads_ = rules.SpreadsAbout(meta.namespace_name, meta.labels);
  }
  for (const AffinityTally* tally :
       rules.AffinitiesAbout(meta.namespace_name, meta.labels)) {
    affinities_.emplace_back(tally, tally->Broken());
  }
  own_affinity_ = rules.AffinityOf(pod);
  if (own_affinity_ != nullptr) {
    own_matches_ = IsAbout(own_affinity_->query(), pod.pod);
  }
  duplicates_ = rules.DuplicatesOf(pod.pod);
}

std::int64_t PodCosts::Sum(const std::vector<Near>& terms, NodeId node) {
  std::int64_t sum = 0;
  for (const Near& term : terms) {
    const DomainId domain = term.domains->Of(node);
    if (domain != kNoDomain) sum += term.weight * term.counts->Of(domain);
  }
  return sum;
}

std::int64_t PodCosts::AntiAffinityPairs(const NodeInfo& node) const {
  return Sum(hard_, node.id);
}

std::int64_t PodCosts::PreferredAntiAffinity(const NodeInfo& node) const {
  return Sum(preferred_anti_, node.id);
}

bool PodCosts::MatchesNodeAffinity(const NodeInfo& node) const {
  return required_.Matches(node.labels(), node.Name());
}

std::int64_t PodCosts::PreferredNodeAffinity(const NodeInfo& node) const {
  return preferred_ ? preferred_->Score(node.labels(), node.Name()) : 0;
}

std::vector<std::string> PodCosts::BrokenKeys(const NodeInfo& node) const {
  std::vector<std::string> keys;
  for (const Near& term : hard_) {
    if (Sum({term}, node.id) > 0 &&
        std::ranges::count(keys, *term.topology_key) == 0) {
      keys.push_back(*term.topology_key);
    }
  }
  std::ranges::sort(keys);
  return keys;
}

std::int64_t PodCosts::Soft(const NodeInfo& node) const {
  std::int64_t cost = Sum(preferred_anti_, node.id) +
                      Sum(preferred_near_, node.id) -
                      PreferredNodeAffinity(node);
  if (rules_.scope().prefer_no_schedule) {
    for (const Taint& taint : node.node->taints) {
      if (taint.effect == kPreferNoSchedule &&
          !Tolerate(pod_.pod.spec.tolerations, taint,
                    rules_.taint_comparisons())) {
        cost += kPreferNoScheduleWeight;
      }
    }
  }
  return cost;
}

bool PodCosts::AffinityHolds(const NodeInfo& node) const {
  return own_affinity_ == nullptr ||
         own_affinity_->Holds(node.id, own_matches_,
                              own_matches_ ? node.id : kNoNode);
}

std::int64_t PodCosts::BrokenAffinities(NodeId node) const {
  std::int64_t broken = 0;
  for (const auto& [tally, without] : affinities_) {
    broken += tally->IsAmple(node) ? without : tally->Broken(node);
  }
  return broken;
}

ClusterCost PodCosts::At(const NodeInfo& node) const {
  ClusterCost cost;
  cost.hard_violations = AntiAffinityPairs(node);
  cost.soft = Soft(node);
  const bool has_taint =
      std::ranges::any_of(node.node->taints, [this](const Taint& taint) {
        return taint.effect == kNoSchedule &&
               !Tolerate(pod_.pod.spec.tolerations, taint,
                         rules_.taint_comparisons());
      });
  cost.hard_violations += has_taint ? 1 : 0;
  cost.hard_violations += MatchesNodeAffinity(node) ? 0 : 1;
  cost.hard_violations += AffinityHolds(node) ? 0 : 1;
  cost.hard_violations += BrokenAffinities(node.id);
  for (const SpreadTally* tally : spreads_) {
    cost.skew += tally->ExcessWith(node.id);
  }
  if (duplicates_ != nullptr) {
    cost.skew += duplicates_->At(node.id) >= duplicates_->share() ? 1 : 0;
  }
  for (const auto& utilization : rules_.utilizations()) {
    cost.utilization += utilization->CostWith(node, pod_.resource.resource) -
                        utilization->CostOf(node);
  }
  return cost;
}

}  // namespace vicinal
