#include "core/index/pod_templates.h"

#include <utility>

#include "core/index/pod_info.h"

namespace vicinal {

PodTemplate* PodTemplates::Acquire(Pod&& pod) {
  auto it = templates_.find(pod);
  if (it == templates_.end()) {
    auto made = std::make_unique<PodTemplate>();
    PodInfo info(std::move(pod), release_);
    using Kind = CarriedTerm::Kind;
    const auto carry = [&](Kind kind, const AffinityTerm& term,
                           std::int64_t weight) {
      made->terms.push_back(index_.Carry(kind, term, weight));
    };
    for (const AffinityTerm& term : info.required_affinity_terms) {
      carry(Kind::kRequiredAffinity, term, 0);
    }
    for (const AffinityTerm& term : info.required_anti_affinity_terms) {
      carry(Kind::kRequiredAntiAffinity, term, 0);
    }
    for (const auto& [term, weight] : info.preferred_affinity_terms) {
      carry(Kind::kPreferred, term, weight);
    }
    for (const auto& [term, weight] : info.preferred_anti_affinity_terms) {
      carry(Kind::kPreferred, term, -std::int64_t{weight});
    }
    made->resource = std::move(info.resource);
    made->pod = std::move(info.pod);
    it = templates_.insert(std::move(made)).first;
  }
  ++(*it)->holders;
  return it->get();
}

void PodTemplates::Release(PodTemplate* used) {
  if (--used->holders > 0) return;
  for (CarriedTerm* term : used->terms) index_.Drop(term);
  templates_.erase(templates_.find(used->pod));
}

}  // namespace vicinal
