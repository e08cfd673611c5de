// Source: pkg/scheduler/framework/plugins/interpodaffinity/filtering.go.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/index/topology_index.h"
#include "core/plugins/interpodaffinity/incoming_terms.h"
#include "core/plugins/interpodaffinity/interpodaffinity.h"
#include "core/plugins/interpodaffinity/last_domains.h"

namespace vicinal {
namespace {

// A set of domains of one topology key.
class DomainSet {
 public:
  explicit DomainSet(const TopologyDomains& domains)
      : domains_(&domains), members_(domains.id_limit() + 1, false) {}

  // Adds the domain of a node, if it has one.
  void AddDomainOf(NodeId node) {
    const DomainId domain = domains_->Of(node);
    if (domain != kNoDomain) Add(domain);
  }

  // Adds the domains in which there is any of what was counted.
  void AddDomainsOf(const TopologyIndex& index, const PlacementCounts& counts) {
    index.ForEachDomain(counts, *domains_,
                        [this](DomainId domain, std::int64_t) { Add(domain); });
  }

  bool HasKey(NodeId node) const { return domains_->Of(node) != kNoDomain; }
  bool HasDomainOf(NodeId node) const {
    return members_[SlotOf(domains_->Of(node))];
  }
  bool empty() const { return empty_; }
  const TopologyDomains& domains() const { return *domains_; }

 private:
  // kNoDomain is the largest number and so comes first; it is never a member.
  static std::size_t SlotOf(DomainId domain) {
    return static_cast<DomainId>(domain + 1);
  }
  void Add(DomainId domain) {
    members_[SlotOf(domain)] = true;
    empty_ = false;
  }

  const TopologyDomains* domains_;
  std::vector<bool> members_;  // By slot.
  bool empty_ = true;
};

// Terms of one kind. Those of one topology key share a set of domains: as many
// terms as an API server takes still leave few sets to look at for each node.
class TermSets {
 public:
  // The set of the term's topology key, to which the caller adds the domains
  // with pods that the term is about.
  DomainSet& Add(AffinityTerm term, const TopologyDomains& domains) {
    const std::size_t set = FindOrAdd(domains);
    terms_.push_back({std::move(term), set});
    return sets_[set];
  }
  // The set of these domains.
  DomainSet& Of(const TopologyDomains& domains) {
    return sets_[FindOrAdd(domains)];
  }

  struct Term {
    AffinityTerm term;
    std::size_t set;
  };
  const std::vector<Term>& terms() const { return terms_; }
  const std::vector<DomainSet>& sets() const { return sets_; }
  std::vector<DomainSet>& sets() { return sets_; }

 private:
  std::size_t FindOrAdd(const TopologyDomains& domains) {
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      if (&sets_[i].domains() == &domains) return i;
    }
    sets_.emplace_back(domains);
    return sets_.size() - 1;
  }

  std::vector<Term> terms_;
  std::vector<DomainSet> sets_;  // One for each topology key.
};

class AffinityFilter : public PreparedFilter {
 public:
  AffinityFilter(const ClusterState& cluster, const PodInfo& pod)
      : pod_(pod),
        index_(cluster.topology()),
        namespace_labels_(
            cluster.NamespaceLabels(pod.pod.meta.namespace_name)) {
    PrepareAffinity(cluster);
    for (const AffinityTerm& written : pod.required_anti_affinity_terms) {
      AffinityTerm term = WithNamespacesMerged(cluster, written);
      const PlacementCounts& matching = index_.Count(QueryFor({term}));
      const TopologyDomains& domains = index_.Domains(term.topology_key);
      anti_affinity_.Add(std::move(term), domains)
          .AddDomainsOf(index_, matching);
    }
    LastDomains domains(index_);
    index_.ForEachAntiAffinityAbout(
        pod.pod, namespace_labels_, [&](const CarriedTerm& carried) {
          existing_anti_affinity_.Of(domains.Of(carried.term.topology_key))
              .AddDomainsOf(index_, carried.pods);
        });
  }

  // Whether no node can be refused.
  bool IsVacuous() const {
    return affinity_.terms().empty() && anti_affinity_.terms().empty() &&
           std::all_of(
               existing_anti_affinity_.sets().begin(),
               existing_anti_affinity_.sets().end(),
               [](const DomainSet& domains) { return domains.empty(); });
  }

  Status Filter(const NodeInfo& node) const override {
    return StatusOf(Judge(node.id));
  }

  void FilterNodes(const CandidateNodes& nodes,
                   NodeStatuses& statuses) const override {
    std::array<NodeStatuses::Id, kVerdicts> refused = {NodeStatuses::kSuccess};
    for (std::size_t verdict = 1; verdict < kVerdicts; ++verdict) {
      refused[verdict] = statuses.Add(StatusOf(static_cast<Verdict>(verdict)));
    }
    const std::span<const NodeId> ids = nodes.ids();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!statuses.ok(i)) continue;
      statuses.Set(i, refused[Judge(ids[i])]);
    }
  }

  std::unique_ptr<PreparedFilter> WithPods(
      std::span<const PodInfo* const> added,
      const NodeInfo& node) const override {
    auto filter = std::make_unique<AffinityFilter>(*this);
    for (const PodInfo* pod : added) filter->Add(*pod, node.id);
    return filter;
  }

 private:
  enum Verdict {
    kFits,
    kNoAffinity,
    kOwnAntiAffinity,
    kExistingAntiAffinity,
    kVerdicts,
  };

  static Status StatusOf(Verdict verdict) {
    switch (verdict) {
      case kNoAffinity:
        return Status(Code::kUnschedulableAndUnresolvable,
                      InterPodAffinity::kReasonAffinity);
      case kOwnAntiAffinity:
        return Status(Code::kUnschedulable,
                      InterPodAffinity::kReasonAntiAffinity);
      case kExistingAntiAffinity:
        return Status(Code::kUnschedulable,
                      InterPodAffinity::kReasonExistingAntiAffinity);
      default:
        return Status();
    }
  }

  // With few branches: which nodes are refused the processor cannot foresee.
  Verdict Judge(NodeId node) const {
    if (!SatisfiesAffinity(node)) return kNoAffinity;
    bool own = false;
    for (const DomainSet& domains : anti_affinity_.sets()) {
      own |= domains.HasDomainOf(node);
    }
    bool existing = false;
    for (const DomainSet& domains : existing_anti_affinity_.sets()) {
      existing |= domains.HasDomainOf(node);
    }
    const Verdict without_own = existing ? kExistingAntiAffinity : kFits;
    return own ? kOwnAntiAffinity : without_own;
  }

  // One existing pod must match all affinity terms; it then counts for each
  // term's topology.
  void PrepareAffinity(const ClusterState& cluster) {
    if (pod_.required_affinity_terms.empty()) return;
    std::vector<AffinityTerm> terms;
    for (const AffinityTerm& term : pod_.required_affinity_terms) {
      terms.push_back(WithNamespacesMerged(cluster, term));
    }
    const PlacementCounts& matching = index_.Count(QueryFor(terms));
    for (AffinityTerm& term : terms) {
      const TopologyDomains& domains = index_.Domains(term.topology_key);
      affinity_.Add(std::move(term), domains);
    }
    for (DomainSet& domains : affinity_.sets()) {
      domains.AddDomainsOf(index_, matching);
    }
    matches_itself_ = MatchesAllAffinityTerms(pod_.pod);
  }

  bool MatchesAllAffinityTerms(const Pod& pod) const {
    return std::all_of(affinity_.terms().begin(), affinity_.terms().end(),
                       [&pod](const TermSets::Term& affinity) {
                         return MatchesExisting(affinity.term, pod);
                       });
  }

  // Counts one more pod as running on a node.
  void Add(const PodInfo& added, NodeId node) {
    for (const AffinityTerm& term : added.required_anti_affinity_terms) {
      if (!term.Matches(pod_.pod, namespace_labels_)) continue;
      existing_anti_affinity_.Of(index_.Domains(term.topology_key))
          .AddDomainOf(node);
    }
    if (MatchesAllAffinityTerms(added.pod)) {
      for (DomainSet& domains : affinity_.sets()) domains.AddDomainOf(node);
    }
    for (const auto& [term, set] : anti_affinity_.terms()) {
      if (MatchesExisting(term, added.pod)) {
        anti_affinity_.sets()[set].AddDomainOf(node);
      }
    }
  }

  bool SatisfiesAffinity(NodeId node) const {
    bool pods_exist = true;
    bool none_anywhere = true;
    for (const DomainSet& domains : affinity_.sets()) {
      // Every key must be there, also for the first pod of a group.
      if (!domains.HasKey(node)) return false;
      pods_exist &= domains.HasDomainOf(node);
      none_anywhere &= domains.empty();
    }
    // The first pod of a group: nobody matches anywhere, but the pod itself
    // would.
    return pods_exist || (none_anywhere && matches_itself_);
  }

  const PodInfo& pod_;
  const TopologyIndex& index_;
  const Labels& namespace_labels_;
  TermSets affinity_;
  bool matches_itself_ = false;  // All terms of affinity_.
  TermSets anti_affinity_;
  TermSets existing_anti_affinity_;  // Without the terms.
};

}  // namespace

PreFilterResult InterPodAffinity::PreFilter(const ClusterState& cluster,
                                            const PodInfo& pod) const {
  PreFilterResult result;
  if (!pod.parse_error.ok()) {
    result.status = Status(
        Code::kUnschedulableAndUnresolvable,
        std::vector{"parsing pod: " + std::string(pod.parse_error.message())});
    return result;
  }
  auto filter = std::make_unique<AffinityFilter>(cluster, pod);
  if (filter->IsVacuous()) {
    result.status = Status::Skip();
  } else {
    result.filter = std::move(filter);
  }
  return result;
}

}  // namespace vicinal
