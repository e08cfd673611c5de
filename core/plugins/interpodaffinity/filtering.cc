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

struct TermDomains {
  AffinityTerm term;
  DomainSet domains;  // With pods that the term is about.
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
      DomainSet domains(index_.Domains(term.topology_key));
      domains.AddDomainsOf(index_, index_.Count(QueryFor({term})));
      anti_affinity_.push_back({std::move(term), std::move(domains)});
    }
    index_.ForEachTermAbout(
        pod.pod, namespace_labels_, [&](const CarriedTerm& carried) {
          if (carried.kind != CarriedTerm::Kind::kRequiredAntiAffinity) return;
          DomainSet& domains =
              ExistingAntiAffinity(index_.Domains(carried.term.topology_key));
          domains.AddDomainsOf(index_, carried.pods);
        });
  }

  // Whether no node can be refused.
  bool IsVacuous() const {
    return affinity_.empty() && anti_affinity_.empty() &&
           std::all_of(
               existing_anti_affinity_.begin(), existing_anti_affinity_.end(),
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
    for (const TermDomains& anti : anti_affinity_) {
      own |= anti.domains.HasDomainOf(node);
    }
    bool existing = false;
    for (const DomainSet& domains : existing_anti_affinity_) {
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
      DomainSet domains(index_.Domains(term.topology_key));
      domains.AddDomainsOf(index_, matching);
      affinity_.push_back({std::move(term), std::move(domains)});
    }
  }

  // The domains of a topology key that existing pods' terms close.
  DomainSet& ExistingAntiAffinity(const TopologyDomains& domains) {
    for (DomainSet& known : existing_anti_affinity_) {
      if (&known.domains() == &domains) return known;
    }
    return existing_anti_affinity_.emplace_back(domains);
  }

  bool MatchesAllAffinityTerms(const Pod& pod) const {
    return std::all_of(affinity_.begin(), affinity_.end(),
                       [&pod](const TermDomains& affinity) {
                         return MatchesExisting(affinity.term, pod);
                       });
  }

  // Counts one more pod as running on a node.
  void Add(const PodInfo& added, NodeId node) {
    for (const AffinityTerm& term : added.required_anti_affinity_terms) {
      if (!term.Matches(pod_.pod, namespace_labels_)) continue;
      ExistingAntiAffinity(index_.Domains(term.topology_key)).AddDomainOf(node);
    }
    if (MatchesAllAffinityTerms(added.pod)) {
      for (TermDomains& affinity : affinity_) {
        affinity.domains.AddDomainOf(node);
      }
    }
    for (TermDomains& anti : anti_affinity_) {
      if (MatchesExisting(anti.term, added.pod)) anti.domains.AddDomainOf(node);
    }
  }

  bool SatisfiesAffinity(NodeId node) const {
    bool pods_exist = true;
    bool none_anywhere = true;
    for (const TermDomains& affinity : affinity_) {
      // Every key must be there, also for the first pod of a group.
      if (!affinity.domains.HasKey(node)) return false;
      pods_exist &= affinity.domains.HasDomainOf(node);
      none_anywhere &= affinity.domains.empty();
    }
    // The first pod of a group: nobody matches anywhere, but the pod itself
    // would.
    return pods_exist || (none_anywhere && MatchesAllAffinityTerms(pod_.pod));
  }

  const PodInfo& pod_;
  const TopologyIndex& index_;
  const Labels& namespace_labels_;
  std::vector<TermDomains> affinity_;
  std::vector<TermDomains> anti_affinity_;
  std::vector<DomainSet> existing_anti_affinity_;  // One for each topology key.
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
