#include "core/simulate/deschedule_pass.h"

#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/deschedule/plan.h"
#include "core/deschedule/pod_facts.h"
#include "core/simulate/evict.h"

namespace vicinal {
namespace {

// Each plan but the last ends with a surprise; more than a few are owed to a
// controller that puts its pods elsewhere than the plan knows.
constexpr int kMaxPlans = 100;

constexpr std::size_t kMostNamed = 10;

std::string NameOf(const ObjectKey& key) {
  return absl::StrCat(key.namespace_name, "/", key.name);
}

PodFactsMap FactsOf(const SimulatedCluster& simulated) {
  PodFactsMap facts;
  for (const auto& [key, pod] : simulated.pods()) {
    if (pod.facts != PodFacts()) facts[key] = pod.facts;
  }
  return facts;
}

// Notes the first few of a list and how many there are beside them.
template <typename Item, typename Text>
void NoteEach(const std::vector<Item>& items, std::string_view what,
              const Text& text, SimulatedCluster& simulated) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i == kMostNamed) {
      simulated.Note(absl::StrCat("deschedule: ", std::string(what), " ",
                                  items.size() - i, " pods more"));
      return;
    }
    simulated.Note(
        absl::StrCat("deschedule: ", std::string(what), " ", text(items[i])));
  }
}

void NoteOutcome(const std::vector<PlannedEviction>& done, const Plan& last,
                 const ClusterCost& before, SimulatedCluster& simulated) {
  NoteEach(
      done, "evicted",
      [](const PlannedEviction& eviction) {
        return absl::StrCat(NameOf(eviction.pod), " from ", eviction.node, ": ",
                            eviction.reason);
      },
      simulated);
  NoteEach(
      last.kept, "kept",
      [](const KeptPod& kept) {
        return absl::StrCat(NameOf(kept.pod), " on ", kept.node, ": ",
                            kept.reason);
      },
      simulated);
  if (done.empty()) {
    simulated.Note("deschedule: nothing to evict");
    return;
  }
  simulated.Note(absl::StrCat("deschedule: ", done.size(),
                              done.size() == 1 ? " eviction" : " evictions",
                              "; broken hard rules: ", before.hard_violations,
                              " -> ", last.after.hard_violations,
                              ", skew: ", before.skew, " -> ", last.after.skew,
                              ", soft score: ", -before.soft, " -> ",
                              -last.after.soft));
}

// Whether an owner has a pod that waits for a node.
bool HasPending(const SimulatedCluster& simulated, const OwnerKey& owner) {
  for (const ObjectKey& key : simulated.PodsOf(owner)) {
    if (simulated.FindPod(key)->node.empty()) return true;
  }
  return false;
}

}  // namespace

std::size_t DeschedulePass(const Profile& profile, const Policy& policy,
                           std::int64_t now, const SettlePreferring& settle,
                           SimulatedCluster& simulated) {
  PlanOptions options;
  options.policy = policy;
  options.now = now;
  ClusterCost before;
  Plan plan;
  bool as_planned = false;
  for (int plans = 0; plans < kMaxPlans && !as_planned; ++plans) {
    plan = MakePlan(profile, options, FactsOf(simulated),
                    simulated.MutableCluster());
    if (plans == 0) before = plan.before;
    as_planned = true;
    for (const PlannedEviction& eviction : plan.evictions) {
      const SimulatedPod* const pod = simulated.FindPod(eviction.pod);
      as_planned = pod != nullptr;
      if (!as_planned) break;
      const std::optional<OwnerKey> owner = pod->owner;
      EvictPod(simulated, eviction.pod);
      const std::vector<std::string> placed = settle(eviction.destination);
      options.done.push_back(eviction);
      as_planned = placed == std::vector<std::string>{eviction.destination};
      if (as_planned) continue;
      if (owner && HasPending(simulated, *owner)) {
        options.excluded_owners[eviction.owner] =
            "another pod of its owner waits for a node";
      }
      break;
    }
  }
  if (!as_planned) {
    simulated.Note(absl::StrCat("deschedule: not finished after ", kMaxPlans,
                                " plans, none of which came out as planned"));
  }
  NoteOutcome(options.done, plan, before, simulated);
  return options.done.size();
}

}  // namespace vicinal
