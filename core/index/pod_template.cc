#include "core/index/pod_template.h"

#include <utility>

#include "absl/hash/hash.h"

namespace vicinal {
namespace {

std::size_t HashOf(std::size_t hash, const PodAffinityTerm& term) {
  hash = absl::HashOf(hash, term.topology_key, term.namespaces);
  if (!term.label_selector) return hash;
  for (const auto& [key, value] : term.label_selector->match_labels) {
    hash = absl::HashOf(hash, key, value);
  }
  for (const auto& requirement : term.label_selector->match_expressions) {
    hash = absl::HashOf(hash, requirement.key, requirement.values);
  }
  return hash;
}

std::size_t HashOf(std::size_t hash, const PodAffinity& affinity) {
  for (const PodAffinityTerm& term : affinity.required) {
    hash = HashOf(hash, term);
  }
  for (const auto& [weight, term] : affinity.preferred) {
    hash = HashOf(absl::HashOf(hash, weight), term);
  }
  return hash;
}

std::size_t HashOf(std::size_t hash, const NodeSelector& selector) {
  for (const NodeSelectorTerm& term : selector) {
    for (const auto& requirement : term.match_expressions) {
      hash = absl::HashOf(hash, requirement.key, requirement.values);
    }
    // The pods of a DaemonSet differ in nothing but this.
    for (const auto& requirement : term.match_fields) {
      hash = absl::HashOf(hash, requirement.key, requirement.values);
    }
  }
  return hash;
}

}  // namespace

void OwnFields::SwapWith(Pod& pod) {
  using std::swap;
  swap(name, pod.meta.name);
  swap(uid, pod.meta.uid);
  swap(labels, pod.meta.labels);
  swap(deletion_timestamp, pod.meta.deletion_timestamp);
  swap(start_time, pod.status.start_time);
  swap(node_name, pod.spec.node_name);
  swap(phase, pod.status.phase);
  swap(nominated_node_name, pod.status.nominated_node_name);
  swap(scheduling_failure, pod.status.scheduling_failure);
  swap(resource_version, pod.resource_version);
}

std::size_t HashOfTemplate(const Pod& pod) {
  std::size_t hash =
      absl::HashOf(pod.meta.namespace_name, pod.spec.scheduler_name,
                   pod.spec.priority.value_or(0));
  for (const OwnerReference& owner : pod.meta.owner_references) {
    hash = absl::HashOf(hash, owner.kind, owner.name);
  }
  for (const Container& container : pod.spec.containers) {
    hash = absl::HashOf(hash, container.name, container.image);
  }
  if (pod.spec.node_selector) {
    for (const auto& [key, value] : *pod.spec.node_selector) {
      hash = absl::HashOf(hash, key, value);
    }
  }
  if (!pod.spec.affinity) return hash;
  const Affinity& affinity = *pod.spec.affinity;
  if (affinity.node_affinity && affinity.node_affinity->required) {
    hash = HashOf(hash, *affinity.node_affinity->required);
  }
  if (affinity.pod_affinity) hash = HashOf(hash, *affinity.pod_affinity);
  if (affinity.pod_anti_affinity) {
    hash = HashOf(hash, *affinity.pod_anti_affinity);
  }
  return hash;
}

}  // namespace vicinal
