#include "core/index/pod_info.h"

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "core/model/field_error.h"

namespace vicinal {
namespace {

absl::StatusOr<AffinityTerm> Parse(const Pod& pod,
                                   const PodAffinityTerm& term) {
  absl::StatusOr<Selector> selector = AsSelector(term.label_selector);
  if (!selector.ok()) return selector.status();
  absl::StatusOr<Selector> namespace_selector =
      AsSelector(term.namespace_selector);
  if (!namespace_selector.ok()) return namespace_selector.status();
  AffinityTerm parsed;
  parsed.selector = *std::move(selector);
  parsed.namespace_selector = *std::move(namespace_selector);
  parsed.topology_key = term.topology_key;
  parsed.namespaces = term.namespaces;
  // The pod's own namespace only if the term says nothing about namespaces.
  if (term.namespaces.empty() && !term.namespace_selector.has_value()) {
    parsed.namespaces.push_back(pod.meta.namespace_name);
  }
  return parsed;
}

// Parses all terms of a category, or none.
template <typename Parsed, typename Written, typename ParseOne>
void ParseAll(const std::vector<Written>& written, const char* category,
              ParseOne parse_one, std::vector<Parsed>& parsed,
              std::vector<std::string>& errors) {
  for (const Written& term : written) {
    absl::StatusOr<Parsed> one = parse_one(term);
    if (!one.ok()) {
      errors.push_back(std::string(category) + ": " +
                       std::string(one.status().message()));
      parsed.clear();
      return;
    }
    parsed.push_back(*std::move(one));
  }
}

}  // namespace

bool AffinityTerm::Matches(const Pod& pod,
                           const Labels& namespace_labels) const {
  const bool namespace_matches =
      std::find(namespaces.begin(), namespaces.end(),
                pod.meta.namespace_name) != namespaces.end() ||
      namespace_selector.Matches(namespace_labels);
  return namespace_matches && selector.Matches(pod.meta.labels);
}

PodInfo::PodInfo(Pod new_pod, const KubernetesRelease& release)
    : pod(std::move(new_pod)), resource(CalculatePodResource(pod, release)) {
  if (!pod.spec.affinity) return;
  const auto parse = [this](const PodAffinityTerm& term) {
    return Parse(pod, term);
  };
  const auto parse_weighted = [this](const WeightedPodAffinityTerm& weighted)
      -> absl::StatusOr<WeightedAffinityTerm> {
    absl::StatusOr<AffinityTerm> term = Parse(pod, weighted.term);
    if (!term.ok()) return term.status();
    return WeightedAffinityTerm{*std::move(term), weighted.weight};
  };
  const PodAffinity affinity =
      pod.spec.affinity->pod_affinity.value_or(PodAffinity());
  const PodAffinity anti_affinity =
      pod.spec.affinity->pod_anti_affinity.value_or(PodAffinity());
  std::vector<std::string> errors;
  ParseAll(affinity.required, "requiredAffinityTerms", parse,
           required_affinity_terms, errors);
  ParseAll(anti_affinity.required, "requiredAntiAffinityTerms", parse,
           required_anti_affinity_terms, errors);
  ParseAll(affinity.preferred, "preferredAffinityTerms", parse_weighted,
           preferred_affinity_terms, errors);
  ParseAll(anti_affinity.preferred, "preferredAntiAffinityTerms",
           parse_weighted, preferred_anti_affinity_terms, errors);
  if (!errors.empty()) {
    parse_error = absl::InvalidArgumentError(AggregateError(errors));
  }
}

bool PodInfo::HasAffinity() const {
  return !required_affinity_terms.empty() ||
         !required_anti_affinity_terms.empty() ||
         !preferred_affinity_terms.empty() ||
         !preferred_anti_affinity_terms.empty();
}

}  // namespace vicinal
