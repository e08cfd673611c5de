// Source: pkg/scheduler/framework/plugins/interpodaffinity/filtering.go.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/plugins/interpodaffinity/incoming_terms.h"
#include "core/plugins/interpodaffinity/interpodaffinity.h"
#include "test/truth/interpodaffinity.h"

namespace vicinal::truth {
namespace {

// How many terms were matched in each topology domain (key, value).
using DomainCounts =
    std::map<std::pair<std::string, std::string>, std::int64_t>;

void Count(const Node& node, const std::string& topology_key,
           DomainCounts& counts) {
  if (const std::string* value = node.meta.labels.Find(topology_key)) {
    ++counts[{topology_key, *value}];
  }
}

bool IsCounted(const Node& node, const std::string& topology_key,
               const DomainCounts& counts) {
  const std::string* value = node.meta.labels.Find(topology_key);
  return value != nullptr && counts.contains({topology_key, *value});
}

bool MatchesAll(const std::vector<AffinityTerm>& terms, const Pod& pod) {
  return !terms.empty() &&
         std::all_of(terms.begin(), terms.end(), [&](const AffinityTerm& term) {
           return MatchesExisting(term, pod);
         });
}

class AffinityFilter : public PreparedFilter {
 public:
  AffinityFilter(const ClusterState& cluster, const PodInfo& pod)
      : pod_(pod),
        namespace_labels_(
            cluster.NamespaceLabels(pod.pod.meta.namespace_name)) {
    for (const AffinityTerm& term : pod.required_affinity_terms) {
      affinity_terms_.push_back(WithNamespacesMerged(cluster, term));
    }
    for (const AffinityTerm& term : pod.required_anti_affinity_terms) {
      anti_affinity_terms_.push_back(WithNamespacesMerged(cluster, term));
    }
    for (const NodeInfo* node : cluster.Nodes()) {
      for (const StoredPod* existing : node->pods) {
        Add(PodInfo(existing->ToPod()), *node->node);
      }
    }
  }

  // Whether no node can be refused.
  bool IsVacuous() const {
    return affinity_terms_.empty() && anti_affinity_terms_.empty() &&
           existing_anti_affinity_counts_.empty();
  }

  Status Filter(const NodeInfo& info) const override {
    const Node& node = *info.node;
    if (!SatisfiesAffinity(node)) {
      return Status(Code::kUnschedulableAndUnresolvable,
                    vicinal::InterPodAffinity::kReasonAffinity);
    }
    for (const AffinityTerm& term : anti_affinity_terms_) {
      if (IsCounted(node, term.topology_key, anti_affinity_counts_)) {
        return Status(Code::kUnschedulable,
                      vicinal::InterPodAffinity::kReasonAntiAffinity);
      }
    }
    for (const auto& [domain, count] : existing_anti_affinity_counts_) {
      const std::string* value = node.meta.labels.Find(domain.first);
      if (value != nullptr && *value == domain.second) {
        return Status(Code::kUnschedulable,
                      vicinal::InterPodAffinity::kReasonExistingAntiAffinity);
      }
    }
    return Status();
  }

  std::unique_ptr<PreparedFilter> WithPods(
      std::span<const PodInfo* const> added,
      const NodeInfo& node) const override {
    auto filter = std::make_unique<AffinityFilter>(*this);
    for (const PodInfo* pod : added) filter->Add(*pod, *node.node);
    return filter;
  }

 private:
  // Counts one existing pod.
  void Add(const PodInfo& existing, const Node& node) {
    for (const AffinityTerm& term : existing.required_anti_affinity_terms) {
      if (term.Matches(pod_.pod, namespace_labels_)) {
        Count(node, term.topology_key, existing_anti_affinity_counts_);
      }
    }
    if (MatchesAll(affinity_terms_, existing.pod)) {
      for (const AffinityTerm& term : affinity_terms_) {
        Count(node, term.topology_key, affinity_counts_);
      }
    }
    for (const AffinityTerm& term : anti_affinity_terms_) {
      if (MatchesExisting(term, existing.pod)) {
        Count(node, term.topology_key, anti_affinity_counts_);
      }
    }
  }

  bool SatisfiesAffinity(const Node& node) const {
    bool pods_exist = true;
    for (const AffinityTerm& term : affinity_terms_) {
      // Every key must be there, also for the first pod of a group.
      if (!node.meta.labels.Has(term.topology_key)) return false;
      pods_exist &= IsCounted(node, term.topology_key, affinity_counts_);
    }
    // The first pod of a group: nobody matches anywhere, but the pod itself
    // would.
    return pods_exist ||
           (affinity_counts_.empty() && MatchesAll(affinity_terms_, pod_.pod));
  }

  const PodInfo& pod_;
  const Labels& namespace_labels_;
  std::vector<AffinityTerm> affinity_terms_;
  std::vector<AffinityTerm> anti_affinity_terms_;
  // Pods that match all affinity terms, once for each term.
  DomainCounts affinity_counts_;
  // Pods that match an anti-affinity term.
  DomainCounts anti_affinity_counts_;
  // Existing pods' anti-affinity terms that match the incoming pod.
  DomainCounts existing_anti_affinity_counts_;
};

}  // namespace

std::string_view InterPodAffinity::Name() const {
  return vicinal::InterPodAffinity::kName;
}

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

}  // namespace vicinal::truth
