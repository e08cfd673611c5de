#include "core/deschedule/evictability.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/deschedule/rule_tallies.h"
#include "core/index/stored_pod.h"

namespace vicinal {
namespace {

constexpr std::int32_t kSystemCriticalPriority = 2'000'000'000;

}  // namespace

Evictability::Evictability(const ClusterState& cluster,
                           const PodFactsMap& facts, std::int64_t now)
    : facts_(facts), now_(now) {
  // The keys are the same for all pods of a template.
  absl::flat_hash_map<const Pod*, std::int64_t> templates;
  cluster.ForEachPod(
      [&templates](const StoredPod& pod) { ++templates[&pod.common()]; });
  for (const auto& [common, count] : templates) {
    const std::string owner = OwnerKeyOf(common->meta);
    if (!owner.empty()) pods_of_owner_[owner] += count;
  }
}

PodFacts Evictability::FactsOf(const ObjectKey& pod) const {
  const auto it = facts_.find(pod);
  return it == facts_.end() ? PodFacts() : it->second;
}

std::string Evictability::WhyNot(const ClusterState& cluster, const Pod& pod,
                                 const EvictorArgs& args) const {
  const PodFacts facts = FactsOf(KeyOf(pod.meta));
  if (facts.mirror) return "it is a mirror pod";
  if (facts.is_static) return "it is a static pod";
  if (IsTerminating(pod)) return "it is terminating";
  const std::vector<OwnerReference>& owners = pod.meta.owner_references;
  if (facts.evict_annotation) return "";
  if (args.respect_prefer_no_eviction && facts.prefer_no_eviction) {
    return "it has the annotation "
           "descheduler.alpha.kubernetes.io/prefer-no-eviction";
  }
  if (owners.empty() &&
      !(args.evict_failed_bare && pod.status.phase == "Failed")) {
    return "it has no owner that would replace it";
  }
  const std::int32_t priority = PodPriority(pod);
  if (!args.evict_system_critical) {
    if (priority >= kSystemCriticalPriority) {
      return absl::StrCat("it is system-critical (priority ", priority, ")");
    }
    if (args.priority_threshold && priority >= *args.priority_threshold) {
      return absl::StrCat("its priority ", priority,
                          " is not below the threshold ",
                          *args.priority_threshold);
    }
  }
  if (!args.evict_daemon_set &&
      std::ranges::any_of(owners, [](const OwnerReference& owner) {
        return owner.kind == "DaemonSet";
      })) {
    return "it belongs to a DaemonSet";
  }
  if (!args.evict_local_storage && facts.local_storage) {
    return "it has local storage (emptyDir or hostPath)";
  }
  if (args.protect_pvc && facts.pvc) {
    return "it has a PersistentVolumeClaim";
  }
  if (args.protect_resource_claims && facts.resource_claims) {
    return "it has resource claims";
  }
  if (args.label_selector && !args.label_selector->Matches(pod.meta.labels)) {
    return "its labels do not match DefaultEvictor's labelSelector";
  }
  if (args.namespace_label_selector &&
      !args.namespace_label_selector->Matches(
          cluster.NamespaceLabels(pod.meta.namespace_name))) {
    return "the labels of its namespace do not match DefaultEvictor's "
           "namespaceLabelSelector";
  }
  if (args.min_replicas > 1 && owners.size() == 1) {
    const auto replicas = pods_of_owner_.find(OwnerKeyOf(pod.meta));
    const std::int64_t count =
        replicas == pods_of_owner_.end() ? 0 : replicas->second;
    if (count < args.min_replicas) {
      return absl::StrCat("its owner has ", count, " pods, minReplicas is ",
                          args.min_replicas);
    }
  }
  if (args.min_pod_age &&
      (!pod.status.start_time ||
       now_ - *pod.status.start_time < args.min_pod_age->count())) {
    return "it is younger than minPodAge";
  }
  return "";
}

}  // namespace vicinal
