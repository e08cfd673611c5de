#include "core/explain/interpodaffinity_causes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/explain/describe.h"
#include "core/explain/existing_pods.h"
#include "core/plugins/interpodaffinity/incoming_terms.h"
#include "core/plugins/interpodaffinity/interpodaffinity.h"

namespace vicinal {
namespace {

std::string Key(std::string_view kind, std::size_t term,
                std::string_view domain) {
  return absl::StrCat("InterPodAffinity/", std::string(kind), "/", term, "/",
                      std::string(domain));
}

// Nominated pods belong to one node, and so make a cause of their own.
std::string SuffixFor(const Refusal& refusal) {
  return refusal.nominated.empty() ? "" : "\n" + refusal.node.Name();
}

std::string Domain(const std::string& key, const std::string& value) {
  return key + "=" + value;
}

Cause AffinityCause(Cause::Kind kind, std::string_view reason) {
  Cause cause;
  cause.kind = kind;
  cause.plugin = InterPodAffinity::kName;
  cause.reason = reason;
  return cause;
}

void Sort(std::vector<PodReference>& pods) {
  std::sort(pods.begin(), pods.end());
  pods.erase(std::unique(pods.begin(), pods.end()), pods.end());
}

std::string PodsAre(std::size_t count) {
  return count == 1 ? "1 such pod is" : absl::StrCat(count, " such pods are");
}

}  // namespace

InterPodAffinityCauses::InterPodAffinityCauses(const ClusterState& cluster,
                                               const PodInfo& pod)
    : cluster_(cluster), pod_(pod) {
  const auto add = [&](const std::vector<AffinityTerm>& written,
                       std::string_view kind, std::vector<Term>& terms) {
    for (std::size_t i = 0; i < written.size(); ++i) {
      terms.push_back({written[i],
                       WithNamespacesMerged(cluster, written[i]),
                       RequiredTermPath(kind, i),
                       {}});
    }
  };
  add(pod.required_affinity_terms, "podAffinity", affinity_);
  add(pod.required_anti_affinity_terms, "podAntiAffinity", anti_affinity_);
  if (!affinity_.empty() || !anti_affinity_.empty()) {
    for (const NodeInfo* node : cluster.Nodes()) {
      const auto put = [node](Term& term, const StoredPod& existing) {
        const std::string* value =
            node->labels().Find(term.written.topology_key);
        if (value == nullptr) return;
        term.pods[*value].push_back(ReferenceTo(existing, *node));
      };
      for (const StoredPod* existing : node->pods) {
        if (!affinity_.empty() && IsAboutAll(*existing)) {
          for (Term& term : affinity_) put(term, *existing);
        }
        for (Term& term : anti_affinity_) {
          if (IsAbout(term.merged, *existing)) put(term, *existing);
        }
      }
    }
  }
  for (Term& term : anti_affinity_) {
    for (auto& [value, pods] : term.pods) Sort(pods);
  }
  CollectExisting(cluster);
}

void InterPodAffinityCauses::CollectExisting(const ClusterState& cluster) {
  const Labels& namespace_labels =
      cluster.NamespaceLabels(pod_.pod.meta.namespace_name);
  std::set<NodeId> nodes;  // With pods that carry a term about the pod.
  cluster.topology().ForEachAntiAffinityAbout(
      pod_.pod, namespace_labels, [&](const CarriedTerm& carried) {
        carried.pods.by_node().ForEach(
            [&nodes](NodeId node, std::int32_t) { nodes.insert(node); });
      });
  for (const NodeId id : nodes) {
    const NodeInfo& node = cluster.NodeById(id);
    for (const StoredPod* existing : node.pods) {
      for (const AffinityTerm& term : AntiAffinityTermsOf(*existing)) {
        if (!term.Matches(pod_.pod, namespace_labels)) continue;
        const std::string* value = node.labels().Find(term.topology_key);
        if (value == nullptr) continue;
        existing_[term.topology_key][*value].push_back(
            ReferenceTo(*existing, node));
      }
    }
  }
}

bool InterPodAffinityCauses::IsAboutAll(const StoredPod& pod) const {
  return std::all_of(
      affinity_.begin(), affinity_.end(),
      [&pod](const Term& term) { return IsAbout(term.merged, pod); });
}

bool InterPodAffinityCauses::IsAboutAll(const Pod& pod) const {
  return std::all_of(
      affinity_.begin(), affinity_.end(),
      [&pod](const Term& term) { return MatchesExisting(term.merged, pod); });
}

std::vector<std::size_t> InterPodAffinityCauses::Find(const Refusal& refusal,
                                                      CauseList& causes) {
  std::vector<std::size_t> found;
  FindAffinity(refusal, causes, found);
  FindAntiAffinity(refusal, causes, found);
  FindExistingAntiAffinity(refusal, causes, found);
  return found;
}

void InterPodAffinityCauses::FindAffinity(const Refusal& refusal,
                                          CauseList& causes,
                                          std::vector<std::size_t>& found) {
  if (affinity_.empty()) return;
  const Labels& node_labels = refusal.node.labels();
  const bool nominated_match = std::any_of(
      refusal.nominated.begin(), refusal.nominated.end(),
      [this](const PodInfo* other) { return IsAboutAll(other->pod); });
  bool has_all_keys = true;
  bool none_anywhere = !nominated_match;
  for (const Term& term : affinity_) {
    has_all_keys &= node_labels.Has(term.written.topology_key);
    none_anywhere &= term.pods.empty();
  }
  // The first of a group may go anywhere where the keys are.
  if (has_all_keys && none_anywhere && IsAboutAll(pod_.pod)) {
    return;
  }
  for (std::size_t i = 0; i < affinity_.size(); ++i) {
    const Term& term = affinity_[i];
    const std::string& key = term.written.topology_key;
    const std::string* value = node_labels.Find(key);
    const auto wants = [&] {
      return "wants to share " + key + " with " + DescribePods(term.written);
    };
    if (value == nullptr) {
      found.push_back(causes.FindOrAdd(Key("affinity-key", i, ""), [&] {
        Cause cause = AffinityCause(Cause::Kind::kMissingKey,
                                    InterPodAffinity::kReasonAffinity);
        cause.rule = term.rule;
        cause.wants = wants();
        cause.found = "no label " + key;
        cause.topology_key = key;
        return cause;
      }));
      continue;
    }
    if (nominated_match || term.pods.contains(*value)) continue;
    // The other terms decide if there is nobody for the group to join.
    if (none_anywhere && !has_all_keys && IsAboutAll(pod_.pod)) {
      continue;
    }
    found.push_back(causes.FindOrAdd(Key("affinity", i, *value), [&] {
      Cause cause = AffinityCause(Cause::Kind::kAffinity,
                                  InterPodAffinity::kReasonAffinity);
      cause.rule = term.rule;
      cause.wants = wants();
      cause.found = "no such pod in " + Domain(key, *value) + NobodyNear(term);
      cause.topology_key = key;
      cause.domain = *value;
      return cause;
    }));
  }
}

// Where the pods are instead.
std::string InterPodAffinityCauses::NobodyNear(const Term& term) const {
  if (term.pods.empty()) return ", nor anywhere else";
  std::vector<std::string> values;
  for (const auto& [value, pods] : term.pods) values.push_back(value);
  return "; only in " + Listed(values, 5);
}

void InterPodAffinityCauses::FindAntiAffinity(const Refusal& refusal,
                                              CauseList& causes,
                                              std::vector<std::size_t>& found) {
  for (std::size_t i = 0; i < anti_affinity_.size(); ++i) {
    const Term& term = anti_affinity_[i];
    const std::string& key = term.written.topology_key;
    const std::string* value = refusal.node.labels().Find(key);
    if (value == nullptr) continue;
    std::vector<PodReference> nominated;
    for (const PodInfo* other : refusal.nominated) {
      if (MatchesExisting(term.merged, other->pod)) {
        nominated.push_back(ReferenceToNominated(*other, refusal.node));
      }
    }
    const auto there = term.pods.find(*value);
    if (there == term.pods.end() && nominated.empty()) continue;
    const std::string suffix = nominated.empty() ? "" : SuffixFor(refusal);
    found.push_back(causes.FindOrAdd(Key("anti", i, *value) + suffix, [&] {
      Cause cause = AffinityCause(Cause::Kind::kAntiAffinity,
                                  InterPodAffinity::kReasonAntiAffinity);
      cause.rule = term.rule;
      cause.wants =
          "must not share " + key + " with " + DescribePods(term.written);
      cause.topology_key = key;
      cause.domain = *value;
      if (there != term.pods.end()) cause.blocking_pods = there->second;
      cause.blocking_pods.insert(cause.blocking_pods.end(), nominated.begin(),
                                 nominated.end());
      Sort(cause.blocking_pods);
      cause.found =
          PodsAre(cause.blocking_pods.size()) + " in " + Domain(key, *value);
      return cause;
    }));
  }
}

// Whether the pod's own rules name all of the pods already: what avoids itself
// is also avoided, which needs no telling.
bool InterPodAffinityCauses::AreAvoided(const std::vector<PodReference>& pods,
                                        const NodeInfo& node) const {
  return std::all_of(pods.begin(), pods.end(), [&](const PodReference& pod) {
    return std::any_of(anti_affinity_.begin(), anti_affinity_.end(),
                       [&](const Term& term) {
                         const std::string* value =
                             node.labels().Find(term.written.topology_key);
                         if (value == nullptr) return false;
                         const auto domain = term.pods.find(*value);
                         return domain != term.pods.end() &&
                                std::binary_search(domain->second.begin(),
                                                   domain->second.end(), pod);
                       });
  });
}

void InterPodAffinityCauses::FindExistingAntiAffinity(
    const Refusal& refusal, CauseList& causes,
    std::vector<std::size_t>& found) {
  // The nominated pods' terms, by topology key.
  std::map<std::string, std::vector<PodReference>> nominated;
  const Labels& namespace_labels =
      cluster_.NamespaceLabels(pod_.pod.meta.namespace_name);
  for (const PodInfo* other : refusal.nominated) {
    for (const AffinityTerm& term : other->required_anti_affinity_terms) {
      if (!term.Matches(pod_.pod, namespace_labels)) continue;
      nominated[term.topology_key].push_back(
          ReferenceToNominated(*other, refusal.node));
    }
  }
  std::set<std::string> keys;
  for (const auto& [key, pods] : existing_) keys.insert(key);
  for (const auto& [key, pods] : nominated) keys.insert(key);
  for (const std::string& key : keys) {
    const std::string* value = refusal.node.labels().Find(key);
    if (value == nullptr) continue;
    std::vector<PodReference> blocking;
    if (const auto domains = existing_.find(key); domains != existing_.end()) {
      const auto there = domains->second.find(*value);
      if (there != domains->second.end()) blocking = there->second;
    }
    std::string suffix;
    if (const auto more = nominated.find(key); more != nominated.end()) {
      suffix = SuffixFor(refusal);
      blocking.insert(blocking.end(), more->second.begin(), more->second.end());
    }
    if (blocking.empty() || AreAvoided(blocking, refusal.node)) continue;
    found.push_back(
        causes.FindOrAdd(Key("existing/" + key, 0, *value) + suffix, [&] {
          Cause cause =
              AffinityCause(Cause::Kind::kExistingAntiAffinity,
                            InterPodAffinity::kReasonExistingAntiAffinity);
          cause.wants =
              "is not wanted near by pods there, by their own "
              "podAntiAffinity with topologyKey " +
              key;
          cause.topology_key = key;
          cause.domain = *value;
          cause.blocking_pods = blocking;
          Sort(cause.blocking_pods);
          cause.found = PodsAre(cause.blocking_pods.size()) + " in " +
                        Domain(key, *value);
          return cause;
        }));
  }
}

}  // namespace vicinal
