#include "core/model/pod_affinity.h"

namespace vicinal {
namespace {

void Merge(const Labels& pod_labels, const std::vector<std::string>& keys,
           const char* op, LabelSelector& selector) {
  for (const std::string& key : keys) {
    if (const std::string* value = pod_labels.Find(key)) {
      selector.match_expressions.push_back({key, op, {*value}});
    }
  }
}

void Merge(const Labels& pod_labels, PodAffinityTerm& term) {
  if (!term.label_selector) return;
  Merge(pod_labels, term.match_label_keys, "In", *term.label_selector);
  Merge(pod_labels, term.mismatch_label_keys, "NotIn", *term.label_selector);
}

}  // namespace

void MergeLabelKeys(const Labels& pod_labels, PodAffinity& affinity) {
  for (PodAffinityTerm& term : affinity.required) Merge(pod_labels, term);
  for (WeightedPodAffinityTerm& term : affinity.preferred) {
    Merge(pod_labels, term.term);
  }
}

}  // namespace vicinal
