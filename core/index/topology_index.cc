#include "core/index/topology_index.h"

#include <glog/logging.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/index/canonical_key.h"
#include "core/index/give_back_room.h"
#include "core/index/group_search.h"
#include "core/index/node_counts.h"

namespace vicinal {

// How many pods match one query.
struct PodCounter {
  std::string key;  // In counters_.
  PodQuery query;
  PlacementCounts pods;
  std::uint64_t last_question = 0;
  std::optional<WideCounters::Place> wide;  // Its place, if it is a wide one.

  // One that all matching pods' labels must satisfy, to be found by.
  const Selector& selector() const { return query.conditions.front().selector; }
};

namespace {

// What questions made ready is bounded; more than this is not kept over a
// change. A counter is a few words for every node with matching pods, a node
// set is one for every node, a domain cell is one word.
constexpr std::size_t kMaxCounters = 8192;
constexpr std::size_t kMaxTopologyKeys = 256;
constexpr std::size_t kMaxNodeSets = 256;
constexpr std::size_t kMaxDomainCells = 8 << 20;

// A counter is wide if more than this share of all groups has a label by which
// it is found.
constexpr std::size_t kWideShare = 32;
// So many of the wide counters made last are compared with a new one.
constexpr std::size_t kMaxRecent = 8;
constexpr std::size_t kFewDifferences = 16;  // Not worth to look further.

// Of a group's labels the one with a key, null if there is none. Cost:
// O(log labels).
template <typename Posting>
Posting* FindPosting(std::span<Posting> all, std::string_view key) {
  constexpr std::size_t kFew = 16;  // Of these, looking at each is faster.
  const auto has_key = [key](const Posting& posting) {
    return *posting.label->key == key;
  };
  auto it = all.begin();
  if (all.size() <= kFew) {
    it = std::find_if(it, all.end(), has_key);
  } else {
    it = std::lower_bound(it, all.end(), key,
                          [](const Posting& posting, std::string_view wanted) {
                            return *posting.label->key < wanted;
                          });
    if (it != all.end() && !has_key(*it)) it = all.end();
  }
  return it == all.end() ? nullptr : &*it;
}

template <typename Posting>
bool Matches(const PodCounter& counter, const PodGroup& group,
             std::span<Posting> labels) {
  return counter.query.Matches(
      group.namespace_name(),
      [labels](const std::string& key) -> const std::string* {
        const Posting* const posting = FindPosting(labels, key);
        return posting == nullptr ? nullptr : &posting->label->value;
      },
      group.terminating());
}

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

}  // namespace

// Spelled out for clang, which asks for initializers of constants.
TopologyIndex::TopologyIndex() : no_pods_(), no_domains_() {}
TopologyIndex::~TopologyIndex() = default;

void TopologyIndex::AddNode(NodeId id, const Node* node) {
  if (id >= nodes_.size()) nodes_.resize(id + 1, nullptr);
  CHECK(nodes_[id] == nullptr) << "node " << id << " is there twice";
  nodes_[id] = node;
  ++node_count_;
  UpdateNode(id);
}

void TopologyIndex::UpdateNode(NodeId id) {
  AssertAlone();
  const Node& node = *nodes_[id];
  for (const auto& [key, value] : node.meta.labels) label_keys_.insert(key);
  // Sets leave the old domains before they join the new ones.
  for (auto& [key, set] : node_sets_) set->Remove(id);
  for (auto& [key, domains] : domains_) {
    domains.Set(id, node.meta.labels.Find(key));
  }
  for (auto& [key, set] : node_sets_) set->Add(id, node);
}

void TopologyIndex::RemoveNode(NodeId id) {
  AssertAlone();
  nodes_[id] = nullptr;
  for (auto& [key, set] : node_sets_) set->Remove(id);
  for (auto& [key, domains] : domains_) domains.Set(id, nullptr);
  if (--node_count_ > 0) return;
  ForgetDomainCounts();
  node_sets_.clear();
  domains_.clear();
  label_keys_.clear();
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
  }
  ++slot->holders;
  return slot.get();
}

void TopologyIndex::Drop(CarriedTerm* carried) {
  if (--carried->holders > 0) return;
  CHECK(carried->pods.by_node().empty()) << "a term that pods carry is dropped";
  terms_.erase(KeyOf(carried->kind, carried->term, carried->weight));
  GiveBackRoom(terms_);
}

PodGroup* TopologyIndex::AddPod(const PodGroupKey& key, const PodGroup* like) {
  AssertAlone();
  HashedLabels labels = HashEach(key.labels);
  const std::size_t hash = key.Hash(labels);
  const HashedGroupKey hashed = {key, std::move(labels), hash};
  const auto it = groups_.find(hashed);
  PodGroup& group = it == groups_.end() ? CreateGroup(hashed, like) : **it;
  ++group.pods_;
  return &group;
}

void TopologyIndex::RemovePod(PodGroup* group) {
  AssertAlone();
  if (--group->pods_ == 0) DeleteGroup(group);
}

void TopologyIndex::Place(PodGroup& group, NodeId node) {
  AssertAlone();
  group.nodes_.Add(node, 1);
  for (CarriedTerm* carried : group.terms_) {
    if (carried->pods.by_node().empty()) {
      LookupOf(*carried).Add(carried, carried->term.selector);
    }
    carried->pods.Add(node, 1);
  }
  const auto count = [node](PodCounter* counter) {
    counter->pods.Add(node, 1);
  };
  std::for_each(group.counters_.begin(), group.counters_.end(), count);
  wide_counters_.ForEach(group.id_, count);
  TrimCaches();
}

void TopologyIndex::Unplace(PodGroup& group, NodeId node) {
  AssertAlone();
  CHECK_GT(group.nodes_.Get(node), 0) << "no pod of the group on node " << node;
  group.nodes_.Add(node, -1);
  for (CarriedTerm* carried : group.terms_) {
    carried->pods.Add(node, -1);
    if (carried->pods.by_node().empty()) {
      LookupOf(*carried).Remove(carried, carried->term.selector);
    }
  }
  const auto count = [node](PodCounter* counter) {
    counter->pods.Add(node, -1);
  };
  std::for_each(group.counters_.begin(), group.counters_.end(), count);
  wide_counters_.ForEach(group.id_, count);
}

PodGroup& TopologyIndex::CreateGroup(const HashedGroupKey& hashed,
                                     const PodGroup* like) {
  const auto& [key, labels, hash] = hashed;
  if (like == nullptr) {
    for (const HashedLabel& label : labels) labels_.Prefetch(label);
  }
  auto created = std::make_unique<PodGroup>();
  PodGroup& group = *created;
  group.hash_ = hash;
  group.terminating_ = key.terminating;
  group.id_ = numbers_.Add(&group, key.terminating);
  recent_.clear();
  group.terms_.assign(key.terms.begin(), key.terms.end());
  const auto posting = [](LabelTable::Label* label) {
    return PodGroup::Posting{
        label, static_cast<std::uint32_t>(label->groups.size() - 1)};
  };
  group.namespace_ =
      posting(namespaces_.Add(HashedLabel("", key.namespace_name), group.id_));
  group.label_count_ = static_cast<std::uint32_t>(labels.size());
  group.postings_ = std::make_unique<PodGroup::Posting[]>(labels.size());
  std::span<const PodGroup::Posting> known;
  if (like != nullptr) known = like->postings();
  std::transform(
      labels.begin(), labels.end(), group.postings_.get(),
      [&](const HashedLabel& label) {
        while (!known.empty() && *known.front().label->key < label.key) {
          known = known.subspan(1);
        }
        if (!known.empty() && *known.front().label->key == label.key &&
            known.front().label->value == label.value) {
          known.front().label->groups.push_back(group.id_);
          return posting(known.front().label);
        }
        return posting(labels_.Add(label, group.id_));
      });
  counter_lookup_.ForEachCandidate(labels, [&](PodCounter* counter) {
    if (!Matches(*counter, group, group.postings())) return;
    if (counter->wide) {
      AssertAlone();
      wide_counters_.Insert(*counter->wide, group.id_);
    } else {
      group.counters_.push_back(counter);
    }
  });
  groups_.insert(std::move(created));
  return group;
}

void TopologyIndex::DeleteGroup(PodGroup* group) {
  CHECK(group->nodes_.empty()) << "a group goes whose pods are on nodes";
  for (const PodGroup::Posting& posting : group->postings()) {
    // The label goes with its last group; otherwise it stays where it is.
    const auto moved = labels_.Remove(posting.label, posting.position);
    if (!moved) continue;
    FindPosting(numbers_.Of(*moved)->postings(), *posting.label->key)
        ->position = posting.position;
  }
  const PodGroup::Posting& posting = group->namespace_;
  if (const auto moved = namespaces_.Remove(posting.label, posting.position)) {
    numbers_.Of(*moved)->namespace_.position = posting.position;
  }
  numbers_.Remove(group->id_);
  wide_counters_.Forget(group->id_);
  recent_.clear();
  groups_.erase(groups_.find(group));
  if (!groups_.empty()) return;
  while (!counters_.empty()) DropCounter(*counters_.begin()->second);
}

const TopologyDomains& TopologyIndex::Domains(
    const std::string& topology_key) const {
  if (!label_keys_.contains(topology_key)) return no_domains_;
  const MutexLock lock(cache_mutex_);
  const auto [it, is_new] = domains_.try_emplace(topology_key);
  if (is_new) {
    for (NodeId id = 0; id < nodes_.size(); ++id) {
      if (nodes_[id] == nullptr) continue;
      it->second.Set(id, nodes_[id]->meta.labels.Find(topology_key));
    }
  }
  return it->second;
}

const NodeSet& TopologyIndex::Nodes(const NodeCondition& condition) const {
  if (node_count_ == 0) return no_nodes_;
  std::string key = condition.Key();
  const MutexLock lock(cache_mutex_);
  std::unique_ptr<NodeSet>& slot = node_sets_[std::move(key)];
  if (slot == nullptr) {
    slot = std::make_unique<NodeSet>(condition);
    for (NodeId id = 0; id < nodes_.size(); ++id) {
      if (nodes_[id] != nullptr) slot->Add(id, *nodes_[id]);
    }
  }
  return *slot;
}

template <typename Visit>
void TopologyIndex::ForEachWith(const Requirement& anchor,
                                Visit&& visit) const {
  for (const std::string& value : anchor.values()) {
    const LabelTable::Label* const label = labels_.Find({anchor.key(), value});
    if (label == nullptr) continue;
    for (const GroupId group : label->groups) visit(group);
  }
}

bool TopologyIndex::IsWide(const Selector& selector) const {
  const Requirement* const anchor = AnchorOf(selector);
  if (anchor == nullptr) return true;
  std::size_t groups = 0;
  for (const std::string& value : anchor->values()) {
    const LabelTable::Label* const label = labels_.Find({anchor->key(), value});
    if (label != nullptr) groups += label->groups.size();
  }
  return groups > groups_.size() / kWideShare;
}

const PlacementCounts& TopologyIndex::Count(const PodQuery& query) const {
  if (groups_.empty()) return no_pods_;
  std::string key = query.Key();
  const MutexLock lock(cache_mutex_);
  std::unique_ptr<PodCounter>& slot = counters_[key];
  if (slot == nullptr) {
    slot = std::make_unique<PodCounter>();
    slot->key = std::move(key);
    slot->query = query;
    if (IsWide(slot->selector())) {
      CountMany(*slot);
    } else {
      CountFew(*slot);
    }
    counter_lookup_.Add(slot.get(), slot->selector());
  }
  slot->last_question = ++questions_;
  return slot->pods;
}

void TopologyIndex::CountFew(PodCounter& counter) const {
  ForEachWith(*AnchorOf(counter.selector()), [&](GroupId id) {
    PodGroup& group = *numbers_.Of(id);
    auto& counters = group.counters_;
    // Visited before: a value is listed twice.
    if (!counters.empty() && counters.back() == &counter) return;
    if (!Matches(counter, group, group.postings())) return;
    counters.push_back(&counter);
    group.nodes_.ForEach([&counter](NodeId node, std::int32_t pods) {
      counter.pods.Add(node, pods);
    });
  });
}

void TopologyIndex::CountMany(PodCounter& counter) const {
  GroupSet members =
      SearchGroups(counter.query,
                   {labels_, namespaces_, numbers_.all(), numbers_.running()});
  // From the counter that differs least, or from nothing.
  GroupSet counted;
  std::size_t differences = members.size();
  const PodCounter* closest = nullptr;
  for (auto recent = recent_.rbegin();
       recent != recent_.rend() && differences > kFewDifferences; ++recent) {
    const std::size_t count = members.CountDifferences(recent->members);
    if (count >= differences) continue;
    differences = count;
    counted = recent->members;
    closest = recent->counter;
  }
  NodeCounts pods;
  if (closest != nullptr) pods = closest->pods.by_node().Copy();
  members.ForEachDifference(counted, [&](GroupId id) {
    const std::int32_t sign = members.Has(id) ? 1 : -1;
    numbers_.Of(id)->nodes_.ForEach(
        [&](NodeId node, std::int32_t count) { pods.Add(node, sign * count); });
  });
  counter.pods = PlacementCounts(std::move(pods));
  counter.wide = wide_counters_.Add(&counter, members);
  if (recent_.size() == kMaxRecent) recent_.erase(recent_.begin());
  recent_.push_back({&counter, std::move(members)});
}

const DomainCounts& TopologyIndex::ByDomain(const PlacementCounts& counts,
                                            const TopologyDomains& domains,
                                            const NodeSet* among) const {
  const MutexLock lock(cache_mutex_);
  const std::size_t before = counts.domain_counts();
  const DomainCounts& by_domain = counts.ByDomain(
      domains, among == nullptr ? nullptr : &among->members().by_node());
  if (counts.domain_counts() > before) domain_cells_ += domains.id_limit() + 1;
  return by_domain;
}

void TopologyIndex::DropCounter(PodCounter& counter) {
  if (counter.wide) {
    wide_counters_.Remove(*counter.wide);
    std::erase_if(recent_, [&counter](const Recent& recent) {
      return recent.counter == &counter;
    });
  } else {
    ForEachWith(*AnchorOf(counter.selector()), [&](GroupId id) {
      auto& counters = numbers_.Of(id)->counters_;
      const auto it = std::find(counters.begin(), counters.end(), &counter);
      if (it != counters.end()) counters.erase(it);
    });
  }
  counter_lookup_.Remove(&counter, counter.selector());
  const std::string key = std::move(counter.key);
  counters_.erase(key);
}

void TopologyIndex::EvictCounters() {
  std::vector<PodCounter*> by_age;
  for (const auto& [key, counter] : counters_) by_age.push_back(counter.get());
  const auto middle = by_age.begin() + std::ssize(by_age) / 2;
  std::nth_element(by_age.begin(), middle, by_age.end(),
                   [](const PodCounter* a, const PodCounter* b) {
                     return a->last_question < b->last_question;
                   });
  for (auto it = by_age.begin(); it != middle; ++it) DropCounter(**it);
}

bool TopologyIndex::HasTooMuchCached() const {
  const MutexLock lock(cache_mutex_);
  return counters_.size() > kMaxCounters || node_sets_.size() > kMaxNodeSets ||
         domains_.size() > kMaxTopologyKeys || domain_cells_ > kMaxDomainCells;
}

void TopologyIndex::TrimCaches() {
  AssertAlone();
  if (counters_.size() > kMaxCounters) EvictCounters();
  const bool too_many_sets = node_sets_.size() > kMaxNodeSets;
  const bool too_many_keys = domains_.size() > kMaxTopologyKeys;
  if (!too_many_sets && !too_many_keys && domain_cells_ <= kMaxDomainCells) {
    return;
  }
  ForgetDomainCounts();
  if (too_many_sets) node_sets_.clear();
  if (too_many_keys) domains_.clear();
}

void TopologyIndex::ForgetDomainCounts() {
  for (auto& [key, counter] : counters_) counter->pods.Forget();
  for (auto& [key, carried] : terms_) carried->pods.Forget();
  for (auto& [key, set] : node_sets_) set->members().Forget();
  domain_cells_ = 0;
}

TopologyIndex::Size TopologyIndex::size() const {
  const MutexLock lock(cache_mutex_);
  Size size;
  size.nodes = node_count_;
  size.groups = groups_.size();
  size.labels = labels_.size();
  size.terms = terms_.size();
  size.counters = counters_.size();
  size.topology_keys = domains_.size();
  for (const auto& [key, domains] : domains_) size.domains += domains.size();
  size.node_sets = node_sets_.size();
  return size;
}

bool TopologyIndex::IsEmpty() const {
  const MutexLock lock(cache_mutex_);
  return node_count_ == 0 && groups_.empty() && labels_.empty() &&
         namespaces_.empty() && terms_.empty() &&
         anti_affinity_lookup_.empty() && other_term_lookup_.empty() &&
         counters_.empty() && counter_lookup_.empty() &&
         wide_counters_.empty() && recent_.empty() && node_sets_.empty() &&
         domains_.empty();
}

}  // namespace vicinal
