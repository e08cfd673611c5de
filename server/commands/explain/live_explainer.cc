#include "server/commands/explain/live_explainer.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/explain/explain.h"
#include "core/index/pod_info.h"
#include "core/index/stored_pod.h"
#include "core/model/pod_rules.h"
#include "core/plugins/registry.h"
#include "server/commands/explain/advice.h"
#include "server/commands/explain/question.h"
#include "server/state/store_parts.h"

namespace vicinal {

// Waits until no other explanation is made, unless too many wait already.
class LiveExplainer::Turn {
 public:
  explicit Turn(const LiveExplainer& explainer)
      : explainer_(explainer), ok_(explainer.BeginTurn()) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (ok_) explainer_.EndTurn();
  }

  bool ok() const { return ok_; }

 private:
  const LiveExplainer& explainer_;
  const bool ok_;
};

bool LiveExplainer::BeginTurn() const {
  const MutexLock lock(mutex_);
  if (asked_ > kMaxWaiting) return false;
  ++asked_;
  while (busy_) free_.Wait(mutex_);
  busy_ = true;
  return true;
}

void LiveExplainer::EndTurn() const {
  const MutexLock lock(mutex_);
  --asked_;
  busy_ = false;
  free_.NotifyAll();
}

namespace {

// What the state of the service does not have.
std::vector<NotChecked> NotKept(const SchedulerProfile& profile) {
  NotChecked gap;
  for (const PluginRow& row : Plugins()) {
    if ((row.of_few_pods || row.name == "SchedulingGates") &&
        profile.filters.contains(row.name)) {
      gap.plugins.emplace_back(row.name);
    }
  }
  gap.plugins.insert(gap.plugins.end(), profile.other_filters.begin(),
                     profile.other_filters.end());
  gap.why =
      "the service does not keep the ports, volumes, gates and claims of pods; "
      "`vicinal explain --kubeconfig` reads them";
  return {gap};
}

}  // namespace

absl::StatusOr<LiveExplainer::Result> LiveExplainer::Explain(Pod pod) const {
  const absl::Status fresh = freshness_.Check(Freshness::Clock::now());
  if (!fresh.ok()) return fresh;
  const SchedulerProfile* profile = profiles_.Find(pod.spec.scheduler_name);
  if (profile == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("pod.spec.schedulerName: the configuration of the "
                     "scheduler has no profile \"",
                     pod.spec.scheduler_name, "\""));
  }
  if (absl::Status size = CheckRules(pod); !size.ok()) return size;
  Result result;
  Question& question = result.answer.question;
  question.kind = "Pod";
  question.object = {pod.meta.namespace_name, pod.meta.name};
  // As in a manifest: only what a cluster has written says where the pod was
  // placed.
  if (!pod.meta.uid.empty()) pod.spec.node_name.clear();
  question.pod = std::move(pod);
  const PodInfo info(question.pod);
  const Turn turn(*this);
  if (!turn.ok()) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "more than ", kMaxWaiting, " explanations are asked for at a time"));
  }
  ClusterState copy(store_.Read(
      [](const ClusterState& cluster) { return cluster.release(); }));
  CopyInParts(store_, copy);
  CheckNamespace(question.object.namespace_name, copy, result.warnings);
  TakeOut(question.object, copy, result.warnings);
  result.answer.explanation =
      vicinal::Explain(copy, profile->explain, profile->plugin_config, info);
  Explanation& explanation = result.answer.explanation;
  for (const auto& filter : profile->explain.filters) {
    explanation.checked.emplace_back(filter->Name());
  }
  explanation.not_checked = NotKept(*profile);
  AddVictims(profile->explain, info, copy, explanation);
  AddMistakes(result.answer, copy, result.warnings);
  return result;
}

absl::StatusOr<LiveExplainer::Result> LiveExplainer::ExplainKnown(
    const ObjectKey& key) const {
  const absl::Status fresh = freshness_.Check(Freshness::Clock::now());
  if (!fresh.ok()) return fresh;
  std::optional<Pod> pod =
      store_.Read([&](const ClusterState& cluster) -> std::optional<Pod> {
        const StoredPod* known = cluster.FindPod(key);
        if (known == nullptr) return std::nullopt;
        return known->ToPod();
      });
  if (!pod) {
    return absl::NotFoundError(absl::StrCat("no pod ", key.namespace_name, "/",
                                            key.name,
                                            " that is not finished is known"));
  }
  pod->spec.node_name.clear();
  return Explain(*std::move(pod));
}

}  // namespace vicinal
