#include "core/deschedule/plan.h"

#include <glog/logging.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/deschedule/affinity_tally.h"
#include "core/deschedule/evictability.h"
#include "core/deschedule/rule_tallies.h"
#include "core/deschedule/status_match.h"
#include "core/deschedule/violation.h"
#include "core/deschedule/violation_scan.h"
#include "core/engine/decide.h"
#include "core/engine/fit_error.h"
#include "core/index/pod_info.h"
#include "core/plugins/candidate_nodes.h"

namespace vicinal {
namespace {

// At most so many pods follow one that they need near.
constexpr std::size_t kMaxFollowers = 32;

constexpr std::array<const char*, 4> kQuotaNames = {"node", "namespace",
                                                    "owner", "pass"};

// How many evictions of a kind there may be, and are.
class Quotas {
 public:
  explicit Quotas(const Policy& policy)
      : limits_{policy.max_per_node, policy.max_per_namespace,
                policy.max_per_owner, policy.max_total} {}

  // What of it is used up, in the words of a reason; empty if nothing.
  std::string Exhausted(const std::string& node, const ObjectKey& pod,
                        const std::string& owner) const {
    const auto names = NamesOf(node, pod, owner);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!limits_[i] || (names[i].empty() && i == kOwner)) continue;
      const auto it = counts_[i].find(names[i]);
      const std::int64_t count = it == counts_[i].end() ? 0 : it->second;
      if (count >= *limits_[i]) {
        return absl::StrCat(
            "the limit of ", *limits_[i],
            *limits_[i] == 1 ? " eviction per " : " evictions per ",
            kQuotaNames[i], " is reached");
      }
    }
    return "";
  }

  void Count(const std::string& node, const ObjectKey& pod,
             const std::string& owner, std::int64_t delta) {
    const auto names = NamesOf(node, pod, owner);
    for (std::size_t i = 0; i < names.size(); ++i)
      counts_[i][names[i]] += delta;
  }

 private:
  static constexpr std::size_t kOwner = 2;

  static std::array<std::string, 4> NamesOf(const std::string& node,
                                            const ObjectKey& pod,
                                            const std::string& owner) {
    return {node, pod.namespace_name, owner, ""};
  }

  const std::array<std::optional<std::int64_t>, 4> limits_;
  std::array<absl::flat_hash_map<std::string, std::int64_t>, 4> counts_;
};

struct Candidate {
  StrategyKind kind;
  std::int64_t rank;
  std::int32_t priority;
  QosClass qos;
  ObjectKey key;
  const PolicyProfile* profile;
  const Strategy* strategy;

  friend bool operator<(const Candidate& a, const Candidate& b) {
    return std::tie(a.kind, a.rank, a.priority, a.qos, a.key) <
           std::tie(b.kind, b.rank, b.priority, b.qos, b.key);
  }
};

// `labels` is only called if they matter.
template <typename LabelsOf>
bool IsAmong(const Strategy& strategy, const std::string& namespace_name,
             const LabelsOf& labels) {
  if (!strategy.include_namespaces.empty() &&
      std::ranges::count(strategy.include_namespaces, namespace_name) == 0) {
    return false;
  }
  return std::ranges::count(strategy.exclude_namespaces, namespace_name) == 0 &&
         (!strategy.label_selector ||
          strategy.label_selector->Matches(labels()));
}

bool IsAmong(const Strategy& strategy, const StoredPod& pod) {
  return IsAmong(strategy, pod.namespace_name(),
                 [&pod] { return pod.labels(); });
}

class Planner {
 public:
  Planner(const Profile& profile, const PlanOptions& options,
          const PodFactsMap& facts, ClusterState& cluster)
      : profile_(profile),
        options_(options),
        policy_(options.policy),
        cluster_(cluster),
        evictability_(cluster, facts, options.now),
        rules_(cluster, RuleScope::Of(options.policy)),
        quotas_(options.policy) {
    for (const PlannedEviction& done : options.done) {
      quotas_.Count(done.node, done.pod, LimitedOwner(done), 1);
    }
    FindToReplace(facts);
  }

  Plan Make() {
    bool first = true;
    for (bool changed = true; changed;) {
      const ViolationScan scan = ScanViolations(cluster_, rules_);
      if (first) {
        cost_ = plan_.before = scan.cost + replacements_;
        EvictFinished();
      }
      first = false;
      changed = false;
      kept_before_ = std::exchange(kept_, {});
      for (const Candidate& candidate : Sorted(scan)) {
        changed |= Consider(candidate);
      }
    }
    plan_.after = cost_;
    for (auto& [key, eviction] : evicted_) {
      cluster_.Upsert(std::move(eviction.original));
    }
    for (auto& [place, kept] : kept_) plan_.kept.push_back(std::move(kept));
    return std::move(plan_);
  }

 private:
  // A pod that has been moved, and what it changes.
  struct Step {
    ObjectKey key;
    Pod original;  // Before the step.
    std::string destination;
    std::string owner;
    StrategyKind kind;
    std::string reason;
    ClusterCost change;        // At the destination.
    ClusterCost worst_change;  // Of all nodes that are as good to it.
  };
  struct Evicted {
    Pod original;  // Before the plan.
  };
  // Why a pod is to be replaced.
  struct ToReplace {
    const PolicyProfile* profile;
    const Strategy* strategy;
    StatusMatch match;
  };

  struct FinishedPod {
    const Pod* pod;
    ToReplace why;
  };

  // That a finished pod goes costs its owner no replica.
  static std::string LimitedOwner(const PlannedEviction& eviction) {
    return eviction.IsOfFinishedPod() ? "" : eviction.owner;
  }

  bool IsOnNodeOfPolicy(const NodeInfo* node) const {
    return node != nullptr && node->id != kNoNode &&
           (!policy_.node_selector ||
            policy_.node_selector->Matches(node->labels()));
  }

  // Calls `visit(profile, strategy)` for the strategies about the status.
  template <typename Visit>
  void ForEachAboutStatus(Visit&& visit) const {
    for (const PolicyProfile& profile : policy_.profiles) {
      for (const Strategy& strategy : profile.strategies) {
        if (IsAboutStatus(strategy.kind)) visit(profile, strategy);
      }
    }
  }

  // All reasons to replace a pod, of the strategies that it is among.
  template <typename IsAmongThose>
  std::vector<ToReplace> ReasonsToReplace(const ObjectMeta& meta,
                                          const PodStatusFacts& status,
                                          const IsAmongThose& is_among) const {
    std::vector<ToReplace> reasons;
    ForEachAboutStatus(
        [&](const PolicyProfile& profile, const Strategy& strategy) {
          if (!is_among(strategy)) return;
          std::optional<StatusMatch> match =
              MatchStatus(strategy, meta, status, options_.now);
          if (match) {
            reasons.push_back({&profile, &strategy, *std::move(match)});
          }
        });
    return reasons;
  }

  void FindToReplace(const PodFactsMap& facts) {
    bool any = false;
    ForEachAboutStatus([&any](const auto&, const auto&) { any = true; });
    if (!any) return;
    for (const auto& [key, of_pod] : facts) {
      if (of_pod.status == nullptr) continue;
      const StoredPod* const pod = cluster_.FindPod(key);
      if (pod == nullptr || pod->terminating() ||
          !IsOnNodeOfPolicy(pod->node())) {
        continue;
      }
      std::vector<ToReplace> reasons = ReasonsToReplace(
          pod->common().meta, *of_pod.status,
          [pod](const Strategy& strategy) { return IsAmong(strategy, *pod); });
      if (!reasons.empty()) to_replace_.emplace(key, std::move(reasons));
    }
    replacements_.to_replace = static_cast<std::int64_t>(to_replace_.size());
    for (const Pod& pod : options_.finished) {
      const NodeInfo* const node = cluster_.FindNode(pod.spec.node_name);
      const PodFacts of_pod = evictability_.FactsOf(KeyOf(pod.meta));
      if (of_pod.status == nullptr || IsTerminating(pod) ||
          !IsOnNodeOfPolicy(node)) {
        continue;
      }
      std::vector<ToReplace> reasons = ReasonsToReplace(
          pod.meta, *of_pod.status, [&pod](const Strategy& strategy) {
            return IsAmong(strategy, pod.meta.namespace_name,
                           [&pod] { return pod.meta.labels; });
          });
      if (!reasons.empty()) ++replacements_.to_replace;
      for (ToReplace& why : reasons)
        finished_.push_back({&pod, std::move(why)});
    }
  }

  // Nothing depends on them.
  void EvictFinished() {
    const auto order = [](const FinishedPod& finished) {
      return std::tuple(finished.why.strategy->kind, finished.why.match.rank,
                        PodPriority(*finished.pod), KeyOf(finished.pod->meta));
    };
    std::ranges::stable_sort(finished_, std::less<>(), order);
    std::set<ObjectKey> gone;
    for (const FinishedPod& finished : finished_) {
      const Pod& pod = *finished.pod;
      const ToReplace& why = finished.why;
      PlannedEviction eviction;
      eviction.pod = KeyOf(pod.meta);
      eviction.uid = pod.meta.uid;
      eviction.owner = OwnerKeyOf(pod.meta);
      eviction.node = pod.spec.node_name;
      eviction.strategy = why.strategy->kind;
      eviction.reason = why.match.reason;
      if (gone.contains(eviction.pod)) continue;
      std::string why_not =
          WhyProtected(pod, eviction.pod, eviction.owner, *why.profile);
      if (why_not.empty()) {
        why_not = quotas_.Exhausted(eviction.node, eviction.pod, "");
      }
      if (!why_not.empty()) {
        plan_.kept.push_back({eviction.pod, eviction.node, eviction.strategy,
                              std::move(why_not)});
        continue;
      }
      quotas_.Count(eviction.node, eviction.pod, "", 1);
      --cost_.to_replace;
      gone.insert(eviction.pod);
      plan_.evictions.push_back(std::move(eviction));
    }
    std::erase_if(plan_.kept, [&gone](const KeptPod& kept) {
      return gone.contains(kept.pod);
    });
  }

  // Null if the strategy does not want the pod replaced, or it has been.
  const ToReplace* WhyReplace(const ObjectKey& key,
                              const Strategy* strategy) const {
    if (evicted_.contains(key)) return nullptr;
    const auto found = to_replace_.find(key);
    if (found == to_replace_.end()) return nullptr;
    const auto why =
        std::ranges::find(found->second, strategy, &ToReplace::strategy);
    return why == found->second.end() ? nullptr : &*why;
  }

  std::vector<Candidate> Sorted(const ViolationScan& scan) const {
    std::vector<Candidate> sorted;
    for (const PolicyProfile& profile : policy_.profiles) {
      for (const Strategy& strategy : profile.strategies) {
        for (const StoredPod* pod :
             scan.candidates[static_cast<std::size_t>(strategy.kind)]) {
          if (!IsAmong(strategy, *pod)) continue;
          if (!IsOnNodeOfPolicy(pod->node())) continue;
          const ObjectKey key = {pod->namespace_name(),
                                 std::string(pod->name())};
          sorted.push_back({strategy.kind, 0, pod->Priority(),
                            evictability_.FactsOf(key).qos, key, &profile,
                            &strategy});
        }
      }
    }
    for (const auto& [key, reasons] : to_replace_) {
      if (evicted_.contains(key)) continue;
      for (const ToReplace& why : reasons) {
        sorted.push_back({why.strategy->kind, why.match.rank,
                          cluster_.FindPod(key)->Priority(),
                          evictability_.FactsOf(key).qos, key, why.profile,
                          why.strategy});
      }
    }
    std::ranges::stable_sort(sorted, std::less<>());
    return sorted;
  }

  // Whether the pod, and those that have to follow it, are evicted.
  bool Consider(const Candidate& candidate) {
    const auto place =
        std::pair(candidate.key, static_cast<const void*>(candidate.strategy));
    const auto tried = tried_.find(place);
    if (tried != tried_.end() && tried->second == generation_) {
      const auto kept = kept_before_.extract(place);
      if (!kept.empty()) kept_.emplace(place, kept.mapped());
      return false;
    }
    std::string why_not;
    std::vector<Step> steps;
    std::optional<Step> step =
        Move(candidate.key, *candidate.profile, candidate.strategy,
             candidate.kind, why_not);
    if (step) {
      steps.push_back(*std::move(step));
      bool better = steps.front().worst_change < ClusterCost();
      if (!better) better = Follow(*candidate.profile, steps);
      if (better) {
        for (Step& made : steps) Commit(std::move(made));
        ++generation_;
        return true;
      }
      why_not = absl::StrCat("on ", steps.front().destination,
                             ", where it would come to, nothing gets better");
      for (; !steps.empty(); steps.pop_back()) Undo(std::move(steps.back()));
    }
    tried_[place] = generation_;
    if (!why_not.empty() && !evicted_.contains(candidate.key)) {
      const StoredPod& pod = *cluster_.FindPod(candidate.key);
      kept_[place] = {candidate.key, pod.node()->Name(), candidate.kind,
                      std::move(why_not)};
    }
    return false;
  }

  // Moves the pod to where the scheduler would put it. Absent: it stays, and
  // `why_not` is empty if there is nothing wrong with its node. `strategy`
  // null: it is moved whatever is wrong.
  std::optional<Step> Move(const ObjectKey& key, const PolicyProfile& profile,
                           const Strategy* strategy, StrategyKind kind,
                           std::string& why_not) {
    const StoredPod* const stored = cluster_.FindPod(key);
    CHECK(stored != nullptr)
        << "no pod " << key.namespace_name << "/" << key.name;
    const NodeInfo& node = *stored->node();
    const bool is_evicted = evicted_.contains(key);
    const std::string owner = OwnerKeyOf(stored->common().meta);
    Step step;
    step.key = key;
    step.original = stored->ToPod();
    std::string protection =
        is_evicted ? "" : WhyProtected(step.original, key, owner, profile);
    step.owner = owner;
    step.kind = kind;
    Pod pending = step.original;
    pending.spec.node_name.clear();
    pending.status = PodStatus();
    const PodInfo pod(std::move(pending));
    cluster_.Remove<Pod>(key);
    rules_.Count(pod, node.id, -1);
    const PodCosts costs(cluster_, rules_, pod);
    if (strategy != nullptr) {
      const ToReplace* const why = WhyReplace(key, strategy);
      step.reason = why != nullptr ? why->match.reason
                                   : Violation(cluster_, rules_, *strategy, pod,
                                               costs, node);
      why_not.clear();
    }
    if (strategy == nullptr || !step.reason.empty()) {
      why_not = std::move(protection);
      if (why_not.empty() && !is_evicted) {
        why_not = quotas_.Exhausted(node.Name(), key, step.owner);
      }
      if (why_not.empty()) why_not = Choose(profile, pod, costs, node, step);
      if (why_not.empty()) {
        Pod placed = step.original;
        placed.spec.node_name = step.destination;
        placed.status.nominated_node_name.clear();
        cluster_.Upsert(std::move(placed));
        rules_.Count(pod, cluster_.FindNode(step.destination)->id, 1);
        if (!is_evicted) quotas_.Count(node.Name(), key, step.owner, 1);
        return step;
      }
    }
    rules_.Count(pod, node.id, 1);
    cluster_.Upsert(std::move(step.original));
    return std::nullopt;
  }

  std::string WhyProtected(const Pod& pod, const ObjectKey& key,
                           const std::string& owner,
                           const PolicyProfile& profile) const {
    std::string why = evictability_.WhyNot(cluster_, pod, profile.evictor);
    if (!why.empty()) return why;
    const auto excluded = options_.excluded_pods.find(key);
    if (excluded != options_.excluded_pods.end()) return excluded->second;
    const auto excluded_owner = options_.excluded_owners.find(owner);
    return excluded_owner == options_.excluded_owners.end()
               ? ""
               : excluded_owner->second;
  }

  // Sets where the scheduler would put the pod, and what that changes. Returns
  // why it cannot be moved; empty if it can.
  std::string Choose(const PolicyProfile& profile, const PodInfo& pod,
                     const PodCosts& costs, const NodeInfo& node,
                     Step& step) const {
    const CandidateNodes nodes = AllNodes(cluster_);
    const Decision decision = Decide(profile_, cluster_, pod, nodes);
    if (decision.best.empty()) {
      return decision.scored.status.ok()
                 ? "it would fit nowhere: " + FitErrorMessage(decision.filtered)
                 : decision.scored.status.Message();
    }
    const bool may_come_back = IsAboutStatus(step.kind);
    if (may_come_back && profile.evictor.node_fit &&
        std::ranges::all_of(decision.feasible,
                            [&](std::size_t i) { return nodes[i] == &node; })) {
      return "it fits no other node, and nodeFit wants one";
    }
    ClusterCost here = costs.At(node);
    if (to_replace_.contains(step.key) && !evicted_.contains(step.key)) {
      here.to_replace = 1;
    }
    for (const std::size_t i : decision.best) {
      if (nodes[i] == &node && !may_come_back) {
        return "it would come back to its node";
      }
      if (profile.evictor.node_selector &&
          !profile.evictor.node_selector->Matches(nodes[i]->labels())) {
        return absl::StrCat("it would come to ", nodes[i]->Name(),
                            ", which DefaultEvictor's nodeSelector excludes");
      }
      const ClusterCost change = costs.At(*nodes[i]) - here;
      if (step.destination.empty()) {
        step.destination = nodes[i]->Name();
        step.change = step.worst_change = change;
      }
      step.worst_change = std::max(step.worst_change, change);
    }
    return "";
  }

  // After the one step that has been made: moves the pods that cannot do
  // without the pod near them. Whether all together is for the better.
  bool Follow(const PolicyProfile& profile, std::vector<Step>& steps) {
    const Labels labels = steps.front().original.meta.labels;
    const ObjectKey leader = steps.front().key;
    std::vector<ObjectKey> followers;
    for (const AffinityTally* tally :
         rules_.AffinitiesAbout(leader.namespace_name, labels)) {
      tally->ForEachCarrierNode([&](NodeId id) {
        if (tally->Holds(id, true) && tally->Holds(id, false)) return;
        for (const StoredPod* pod : cluster_.NodeById(id).pods) {
          if (pod->terminating() || !pod->common().spec.affinity) continue;
          const PodInfo info(pod->ToPod());
          if (rules_.AffinityOf(info) != tally) continue;
          if (tally->Holds(id, tally->query().Matches(
                                   pod->namespace_name(),
                                   [pod](const std::string& key) {
                                     return pod->FindLabel(key);
                                   },
                                   false))) {
            continue;
          }
          followers.push_back(
              {pod->namespace_name(), std::string(pod->name())});
        }
      });
    }
    if (followers.empty() || followers.size() > kMaxFollowers) return false;
    std::ranges::sort(followers);
    ClusterCost change = steps.front().change;
    for (const ObjectKey& key : followers) {
      if (key == steps.front().key) continue;
      std::string why_not;
      std::optional<Step> step = Move(
          key, profile, nullptr, StrategyKind::kRequiredPodAffinity, why_not);
      if (!step) return false;
      step->reason =
          absl::StrCat("it requires to be near ", leader.namespace_name, "/",
                       leader.name, ", which is evicted");
      change += step->change;
      steps.push_back(*std::move(step));
    }
    return change < ClusterCost();
  }

  void Undo(Step step) {
    const bool is_evicted = evicted_.contains(step.key);
    const std::string node = step.original.spec.node_name;
    const PodInfo pod(step.original);
    rules_.Count(pod, cluster_.FindNode(step.destination)->id, -1);
    rules_.Count(pod, cluster_.FindNode(node)->id, 1);
    if (!is_evicted) quotas_.Count(node, step.key, step.owner, -1);
    cluster_.Upsert(std::move(step.original));
  }

  void Commit(Step step) {
    cost_ += step.change;
    std::erase_if(
        kept_, [&](const auto& kept) { return kept.first.first == step.key; });
    PlannedEviction eviction;
    eviction.pod = step.key;
    eviction.uid = step.original.meta.uid;
    eviction.owner = step.owner;
    eviction.node = step.original.spec.node_name;
    eviction.destination = step.destination;
    eviction.strategy = step.kind;
    eviction.reason = std::move(step.reason);
    const auto earlier =
        std::ranges::find(plan_.evictions, step.key, &PlannedEviction::pod);
    if (earlier != plan_.evictions.end()) {
      // It is evicted once, and later: the others are where they are now.
      eviction.node = earlier->node;
      eviction.strategy = earlier->strategy;
      eviction.reason = earlier->reason;
      plan_.evictions.erase(earlier);
    } else {
      evicted_[step.key] = {std::move(step.original)};
    }
    if (eviction.node == eviction.destination &&
        !to_replace_.contains(step.key)) {
      quotas_.Count(eviction.node, step.key, step.owner, -1);
      evicted_.erase(step.key);
      return;
    }
    plan_.evictions.push_back(std::move(eviction));
  }

  const Profile& profile_;
  const PlanOptions& options_;
  const Policy& policy_;
  ClusterState& cluster_;
  const Evictability evictability_;
  RuleTallies rules_;
  Quotas quotas_;
  ClusterCost cost_;
  Plan plan_;
  std::map<ObjectKey, Evicted> evicted_;
  std::map<ObjectKey, std::vector<ToReplace>> to_replace_;
  std::vector<FinishedPod> finished_;
  ClusterCost replacements_;  // Those of both.
  // By pod and strategy.
  std::map<std::pair<ObjectKey, const void*>, KeptPod> kept_;
  std::map<std::pair<ObjectKey, const void*>, KeptPod> kept_before_;
  // When a candidate was last tried, in changes of the plan.
  std::map<std::pair<ObjectKey, const void*>, std::int64_t> tried_;
  std::int64_t generation_ = 0;
};

}  // namespace

Plan MakePlan(const Profile& profile, const PlanOptions& options,
              const PodFactsMap& facts, ClusterState& cluster) {
  return Planner(profile, options, facts, cluster).Make();
}

}  // namespace vicinal
