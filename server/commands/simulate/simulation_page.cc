#include "server/commands/simulate/simulation_page.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/explain/describe.h"
#include "core/explain/explain.h"

namespace vicinal {
namespace {

constexpr std::size_t kMaxExplained = 4;

// The pending pods of one workload, or one that nobody owns.
struct PendingPods {
  std::string workload;     // `Deployment/web in namespace shop`
  std::string page_name;    // As ViewOf calls workloads: `shop/web`.
  std::string path_prefix;  // Of the rules of its pods.
  std::vector<ObjectKey> pods;
};

std::vector<PendingPods> PendingPodsOf(const SimulatedCluster& simulated) {
  std::map<OwnerKey, PendingPods> groups;
  for (const auto& [key, pod] : simulated.pods()) {
    if (!pod.node.empty()) continue;
    const OwnerKey top = pod.owner
                             ? simulated.TopOf(*pod.owner)
                             : OwnerKey{"Pod", key.namespace_name, key.name};
    PendingPods& group = groups[top];
    if (group.pods.empty()) {
      group.workload = absl::StrCat(top.kind, "/", top.name, " in namespace ",
                                    top.namespace_name);
      group.page_name = absl::StrCat(top.namespace_name, "/", top.name);
      if (pod.owner) group.path_prefix = "spec.template.";
    }
    group.pods.push_back(key);
  }
  std::vector<PendingPods> pending;
  for (auto& [key, group] : groups) pending.push_back(std::move(group));
  return pending;
}

void AddPending(const SimulatedCluster& simulated,
                const std::vector<PendingPods>& groups, Page& page,
                PageView& view) {
  for (const PendingPods& group : groups) {
    const std::size_t workload = WorkloadIndex(group.page_name, page);
    for (const ObjectKey& key : group.pods) {
      if (view.pending.size() == kMaxDrawnPods) return;
      PagePendingPod& pending = view.pending.emplace_back();
      pending.pod.workload = workload;
      pending.pod.name = key.namespace_name + "/" + key.name;
      pending.reason = simulated.FindPod(key)->message;
    }
  }
}

// Marks for the first pod of a group where it cannot go, and why.
void ExplainFirst(const SimulatedCluster& simulated, const PendingPods& group,
                  const Profile& profile, const PluginConfig& config,
                  Page& page, PageView& view) {
  const Explanation explanation = Explain(
      simulated.cluster(), profile, config,
      *simulated.FindPod(group.pods.front())->pending, group.path_prefix);
  AddExplanation(explanation, view);
  view.caption = absl::StrCat(
      "Closed and open are for the pending ",
      group.pods.size() == 1 ? "pod" : absl::StrCat(group.pods.size(), " pods"),
      " of ", group.workload, ".");
  for (const Hint& hint : explanation.hints) {
    page.hints.push_back(group.workload + ": " + hint.text);
  }
}

}  // namespace

Page StartSimulationPage(const SimulatedCluster& simulated) {
  Page page;
  PageView before = ViewOf(simulated.cluster(), page);
  before.title = "Before";
  AddPending(simulated, PendingPodsOf(simulated), page, before);
  page.views.push_back(std::move(before));
  return page;
}

void FinishSimulationPage(const SimulatedCluster& simulated,
                          const Report& report,
                          const std::vector<StepResult>& steps,
                          const Profile& profile, const PluginConfig& config,
                          Page& page) {
  page.title = "What if: " + Counted(steps.size(), "step");
  page.message = Headline(report) + "; " + Totals(report);
  page.spreads = report.spreads;
  page.notes = report.notes;
  for (const StepResult& step : steps) {
    PageStep& one = page.steps.emplace_back();
    one.name = step.name;
    if (step.has_expectations) one.passed = step.problem.empty();
  }
  const std::vector<PendingPods> pending = PendingPodsOf(simulated);
  PageView after = ViewOf(simulated.cluster(), page);
  after.title = "After";
  AddPending(simulated, pending, page, after);
  MarkChanges(page.views.front(), after);
  page.views.push_back(after);
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (i == kMaxExplained) {
      page.notes.push_back(absl::StrCat(pending.size() - i,
                                        " more workloads have pending pods"));
      break;
    }
    if (i > 0) {
      page.views.push_back(after);
      page.views.back().title = "After, for " + pending[i].workload;
    }
    ExplainFirst(simulated, pending[i], profile, config, page,
                 page.views.back());
  }
}

}  // namespace vicinal
