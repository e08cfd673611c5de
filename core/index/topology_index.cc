#include "core/index/topology_index.h"

#include <glog/logging.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/index/canonical_key.h"

namespace vicinal {
namespace {

// More counters than this are not kept over a change. Each is a few words for
// every node that has matching pods.
constexpr std::size_t kMaxCounters = 8192;
constexpr std::size_t kMaxTopologyKeys = 256;

std::string KeyOf(CarriedTerm::Kind kind, const AffinityTerm& term,
                  std::int64_t weight) {
  std::string key;
  AppendKey(static_cast<std::size_t>(kind), key);
  AppendKey(std::to_string(weight), key);
  AppendKey(term.topology_key, key);
  AppendKey(term.namespaces, key);
  AppendKey(term.namespace_selector, key);
  AppendKey(term.selector, key);
  return key;
}

template <typename Visit>
void ForEachOwnTerm(const PodInfo& pod, Visit&& visit) {
  using Kind = CarriedTerm::Kind;
  for (const AffinityTerm& term : pod.required_affinity_terms) {
    visit(Kind::kRequiredAffinity, term, 0);
  }
  for (const AffinityTerm& term : pod.required_anti_affinity_terms) {
    visit(Kind::kRequiredAntiAffinity, term, 0);
  }
  for (const auto& [term, weight] : pod.preferred_affinity_terms) {
    visit(Kind::kPreferred, term, weight);
  }
  for (const auto& [term, weight] : pod.preferred_anti_affinity_terms) {
    visit(Kind::kPreferred, term, -std::int64_t{weight});
  }
}

std::string GroupKeyOf(const PodInfo& pod) {
  std::string key;
  AppendKey(pod.pod.meta.namespace_name, key);
  AppendKey(pod.pod.meta.labels, key);
  AppendKey(IsTerminating(pod.pod) ? 1 : 0, key);
  ForEachOwnTerm(pod, [&key](CarriedTerm::Kind kind, const AffinityTerm& term,
                             std::int64_t weight) {
    AppendKey(KeyOf(kind, term, weight), key);
  });
  return key;
}

}  // namespace

struct TopologyIndex::Counter {
  std::string key;  // In counters_.
  PodQuery query;
  NodeCounts nodes;
  std::uint64_t last_question = 0;
  absl::flat_hash_set<PodGroup*> groups;  // That match.

  // One that all matching pods' labels must satisfy, to be found by.
  const Selector& selector() const { return query.conditions.front().selector; }
};

class PodGroup {
 public:
  std::string key;  // In groups_.
  std::string namespace_name;
  Labels labels;
  bool terminating = false;
  NodeCounts nodes;
  std::size_t pods = 0;
  std::vector<CarriedTerm*> terms;  // One may be there several times.
  absl::flat_hash_set<TopologyIndex::Counter*> counters;  // That it matches.

  bool Matches(const PodQuery& query) const {
    return query.Matches(namespace_name, labels, terminating);
  }
};

TopologyIndex::TopologyIndex() = default;
TopologyIndex::~TopologyIndex() = default;

void TopologyIndex::AddNode(NodeId node, const Labels& labels) {
  if (node >= node_labels_.size()) node_labels_.resize(node + 1, nullptr);
  CHECK(node_labels_[node] == nullptr) << "node " << node << " is there twice";
  node_labels_[node] = &labels;
  ++node_count_;
  UpdateNode(node);
}

void TopologyIndex::UpdateNode(NodeId node) {
  for (auto& [key, domains] : domains_) {
    domains.Set(node, node_labels_[node]->Find(key));
  }
}

void TopologyIndex::RemoveNode(NodeId node) {
  node_labels_[node] = nullptr;
  for (auto& [key, domains] : domains_) domains.Set(node, nullptr);
  if (--node_count_ == 0) domains_.clear();
}

PodGroup* TopologyIndex::AddPod(const PodInfo& pod, NodeId node) {
  PodGroup& group = FindOrCreateGroup(pod);
  ++group.pods;
  group.nodes.Add(node, 1);
  for (CarriedTerm* carried : group.terms) carried->nodes.Add(node, 1);
  for (Counter* counter : group.counters) counter->nodes.Add(node, 1);
  if (counters_.size() > kMaxCounters) EvictCounters();
  if (domains_.size() > kMaxTopologyKeys) domains_.clear();
  return &group;
}

void TopologyIndex::RemovePod(PodGroup* group, NodeId node) {
  CHECK_GT(group->nodes.Get(node), 0) << "no pod of the group on node " << node;
  group->nodes.Add(node, -1);
  for (CarriedTerm* carried : group->terms) carried->nodes.Add(node, -1);
  for (Counter* counter : group->counters) counter->nodes.Add(node, -1);
  if (--group->pods == 0) DeleteGroup(*group);
}

PodGroup& TopologyIndex::FindOrCreateGroup(const PodInfo& pod) {
  std::string key = GroupKeyOf(pod);
  std::unique_ptr<PodGroup>& slot = groups_[key];
  if (slot != nullptr) return *slot;
  slot = std::make_unique<PodGroup>();
  PodGroup& group = *slot;
  group.key = std::move(key);
  group.namespace_name = pod.pod.meta.namespace_name;
  group.labels = pod.pod.meta.labels;
  group.terminating = IsTerminating(pod.pod);
  ForEachOwnTerm(pod, [&](CarriedTerm::Kind kind, const AffinityTerm& term,
                          std::int64_t weight) {
    group.terms.push_back(Carry(kind, term, weight));
  });
  for (const auto& [label, value] : group.labels) {
    groups_by_label_[LabelPosting(label, value)].insert(&group);
  }
  groups_by_namespace_[group.namespace_name].insert(&group);
  counter_lookup_.ForEachCandidate(group.labels, [&group](Counter* counter) {
    if (!group.Matches(counter->query)) return;
    group.counters.insert(counter);
    counter->groups.insert(&group);
  });
  return group;
}

void TopologyIndex::DeleteGroup(PodGroup& group) {
  for (Counter* counter : group.counters) counter->groups.erase(&group);
  for (CarriedTerm* carried : group.terms) Drop(carried);
  for (const auto& [label, value] : group.labels) {
    const auto it = groups_by_label_.find(LabelPosting(label, value));
    it->second.erase(&group);
    if (it->second.empty()) groups_by_label_.erase(it);
  }
  const auto it = groups_by_namespace_.find(group.namespace_name);
  it->second.erase(&group);
  if (it->second.empty()) groups_by_namespace_.erase(it);
  const std::string key = std::move(group.key);
  groups_.erase(key);
  if (!groups_.empty()) return;
  while (!counters_.empty()) DropCounter(*counters_.begin()->second);
}

CarriedTerm* TopologyIndex::Carry(CarriedTerm::Kind kind,
                                  const AffinityTerm& term,
                                  std::int64_t weight) {
  std::unique_ptr<CarriedTerm>& slot = terms_[KeyOf(kind, term, weight)];
  if (slot == nullptr) {
    slot = std::make_unique<CarriedTerm>();
    slot->kind = kind;
    slot->term = term;
    slot->weight = weight;
    term_lookup_.Add(slot.get(), term.selector);
  }
  ++slot->groups;
  return slot.get();
}

void TopologyIndex::Drop(CarriedTerm* carried) {
  if (--carried->groups > 0) return;
  term_lookup_.Remove(carried, carried->term.selector);
  terms_.erase(KeyOf(carried->kind, carried->term, carried->weight));
}

const TopologyDomains& TopologyIndex::Domains(
    const std::string& topology_key) const {
  if (node_count_ == 0) return no_domains_;
  const std::lock_guard lock(cache_mutex_);
  const auto [it, is_new] = domains_.try_emplace(topology_key);
  if (is_new) {
    for (NodeId node = 0; node < node_labels_.size(); ++node) {
      if (node_labels_[node] == nullptr) continue;
      it->second.Set(node, node_labels_[node]->Find(topology_key));
    }
  }
  return it->second;
}

template <typename Visit>
void TopologyIndex::ForEachGroup(const PodQuery::Condition& condition,
                                 Visit&& visit) const {
  const auto visit_all = [&visit](const auto& postings,
                                  const std::string& posting) {
    const auto it = postings.find(posting);
    if (it == postings.end()) return;
    for (PodGroup* group : it->second) visit(*group);
  };
  if (condition.selector.IsNothing()) return;
  if (const Requirement* anchor = AnchorOf(condition.selector)) {
    for (const std::string& value : anchor->values()) {
      visit_all(groups_by_label_, LabelPosting(anchor->key(), value));
    }
  } else if (!condition.all_namespaces) {
    for (const std::string& name : condition.namespaces) {
      visit_all(groups_by_namespace_, name);
    }
  } else {
    for (const auto& [key, group] : groups_) visit(*group);
  }
}

const NodeCounts& TopologyIndex::Count(const PodQuery& query) const {
  if (groups_.empty()) return no_pods_;
  std::string key = query.Key();
  const std::lock_guard lock(cache_mutex_);
  std::unique_ptr<Counter>& slot = counters_[key];
  if (slot == nullptr) {
    slot = std::make_unique<Counter>();
    Counter* const counter = slot.get();
    counter->key = std::move(key);
    counter->query = query;
    ForEachGroup(query.conditions.front(), [&](PodGroup& group) {
      // A namespace or a value may be listed twice.
      if (!group.Matches(query) || !group.counters.insert(counter).second) {
        return;
      }
      counter->groups.insert(&group);
      for (const auto& [node, pods] : group.nodes) {
        counter->nodes.Add(node, pods);
      }
    });
    counter_lookup_.Add(counter, counter->selector());
  }
  slot->last_question = ++questions_;
  return slot->nodes;
}

void TopologyIndex::DropCounter(Counter& counter) {
  for (PodGroup* group : counter.groups) group->counters.erase(&counter);
  counter_lookup_.Remove(&counter, counter.selector());
  const std::string key = std::move(counter.key);
  counters_.erase(key);
}

void TopologyIndex::EvictCounters() {
  std::vector<Counter*> by_age;
  for (const auto& [key, counter] : counters_) by_age.push_back(counter.get());
  const auto middle = by_age.begin() + std::ssize(by_age) / 2;
  std::nth_element(by_age.begin(), middle, by_age.end(),
                   [](const Counter* a, const Counter* b) {
                     return a->last_question < b->last_question;
                   });
  std::for_each(by_age.begin(), middle,
                [this](Counter* counter) { DropCounter(*counter); });
}

bool TopologyIndex::IsEmpty() const {
  return node_count_ == 0 && groups_.empty() && groups_by_label_.empty() &&
         groups_by_namespace_.empty() && terms_.empty() &&
         term_lookup_.empty() && counters_.empty() && counter_lookup_.empty() &&
         domains_.empty();
}

}  // namespace vicinal
