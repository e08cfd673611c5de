#include "core/engine/violated_budgets.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "core/index/stored_pod.h"
#include "core/model/label_selector.h"
#include "core/model/pod_disruption_budget.h"
#include "core/model/selector.h"

namespace vicinal {
namespace {

struct Budget {
  const PodDisruptionBudget* object;
  Selector selector;
  std::int32_t allowed;
};

// Those that are about any pods: a selector that is absent, empty or wrong is
// about none.
std::vector<Budget> BudgetsOf(const std::string& namespace_name,
                              const ClusterState& cluster) {
  std::vector<Budget> budgets;
  const auto& all = cluster.All<PodDisruptionBudget>();
  for (auto it = all.lower_bound({namespace_name, ""});
       it != all.end() && it->first.namespace_name == namespace_name; ++it) {
    const PodDisruptionBudget& budget = it->second;
    auto selector = AsSelector(budget.selector);
    if (!selector.ok() || selector->Empty()) continue;
    budgets.push_back(
        {&budget, *std::move(selector), budget.disruptions_allowed});
  }
  return budgets;
}

}  // namespace

std::vector<bool> ViolatesBudgets(std::span<const ObjectKey> pods,
                                  const ClusterState& cluster) {
  std::map<std::string, std::vector<Budget>> budgets;
  std::vector<bool> violates;
  for (const ObjectKey& key : pods) {
    const auto [it, is_new] = budgets.try_emplace(key.namespace_name);
    if (is_new) it->second = BudgetsOf(key.namespace_name, cluster);
    const Labels labels = cluster.FindPod(key)->labels();
    bool violated = false;
    for (Budget& budget : it->second) {
      if (labels.empty() || !budget.selector.Matches(labels)) continue;
      if (budget.object->disrupted_pods.Find(key.name) != nullptr) continue;
      if (--budget.allowed >= 0) continue;
      violated = true;
      if (cluster.release().violated_budget_ends_search) break;
    }
    violates.push_back(violated);
  }
  return violates;
}

}  // namespace vicinal
