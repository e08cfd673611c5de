#include "server/commands/explain/live_explainer.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/explain/explain.h"
#include "core/index/pod_info.h"
#include "core/index/stored_pod.h"
#include "server/commands/explain/question.h"

namespace vicinal {

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
  Result result;
  Question& question = result.answer.question;
  question.kind = "Pod";
  question.object = {pod.meta.namespace_name, pod.meta.name};
  // As in a manifest: only what a cluster has written says where the pod was
  // placed.
  if (!pod.meta.uid.empty()) pod.spec.node_name.clear();
  question.pod = std::move(pod);
  const PodInfo info(question.pod);
  const auto explain = [&](const ClusterState& cluster) {
    CheckNamespace(question.object.namespace_name, cluster, result.warnings);
    result.answer.explanation = vicinal::Explain(cluster, profile->explain,
                                                 profile->plugin_config, info);
  };
  const bool done = store_.Read([&](const ClusterState& cluster) {
    const StoredPod* known = cluster.FindPod(question.object);
    if (known != nullptr &&
        (known->node() != nullptr || !known->nominated_node_name().empty())) {
      return false;
    }
    explain(cluster);
    return true;
  });
  if (done) return result;
  store_.Write([&](ClusterState& cluster) {
    std::optional<Pod> original;
    if (const StoredPod* known = cluster.FindPod(question.object)) {
      original = known->ToPod();
    }
    std::vector<std::string> about_the_pod;
    TakeOut(question.object, cluster, about_the_pod);
    explain(cluster);
    result.warnings.insert(result.warnings.end(), about_the_pod.begin(),
                           about_the_pod.end());
    if (original) cluster.Upsert(*std::move(original));
  });
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
