#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/simulate/controllers.h"
#include "core/simulate/template_hash.h"

namespace vicinal {
namespace {

// A ReplicaSet's template as the Deployment wrote it.
Pod WithoutHash(const Pod& pod_template) {
  Pod pod = pod_template;
  std::vector<Labels::Entry> labels;
  for (const Labels::Entry& label : pod_template.meta.labels) {
    if (label.first != kPodTemplateHashLabel) labels.push_back(label);
  }
  pod.meta.labels = Labels(std::move(labels));
  return pod;
}

// A Deployment's ReplicaSets, sorted into the one of its template and the
// others, oldest first as far as that is known.
class Rollout {
 public:
  Rollout(SimulatedCluster& simulated, const Workload& deployment)
      : simulated_(simulated), deployment_(deployment) {
    for (const Workload* set :
         simulated.WorkloadsOf(WorkloadKind::kReplicaSet, KeyOf(deployment))) {
      sets_.push_back(*set);
    }
    // A template may be there twice, if it differs in what vicinal does not
    // know: the larger set is the current one then.
    std::stable_sort(sets_.begin(), sets_.end(),
                     [](const Workload& a, const Workload& b) {
                       return a.replicas > b.replicas;
                     });
    const auto current = std::find_if(
        sets_.begin(), sets_.end(), [&deployment](const Workload& set) {
          return set.restarts == deployment.restarts &&
                 WithoutHash(set.pod_template) ==
                     WithoutHash(deployment.pod_template);
        });
    has_current_ = current != sets_.end();
    std::rotate(sets_.begin(), has_current_ ? current : sets_.begin(),
                has_current_ ? current + 1 : sets_.begin());
  }

  // The ReplicaSets that do not have the pods that they want.
  std::vector<OwnerKey> Unsettled() const {
    std::vector<OwnerKey> keys;
    for (const Workload& set : sets_) {
      const auto have =
          static_cast<std::int64_t>(simulated_.PodsOf(KeyOf(set)).size());
      if (have != set.replicas) keys.push_back(KeyOf(set));
    }
    return keys;
  }

  std::int64_t Total() const {
    std::int64_t total = 0;
    for (const Workload& set : sets_) total += set.replicas;
    return total;
  }
  bool OldOnesAreGone() const {
    return Total() == (has_current_ ? sets_.front().replicas : 0);
  }

  // Takes one step.
  void Step() {
    if (!has_current_) {
      CreateCurrent(deployment_.recreate && !OldOnesAreGone() ? 0
                                                              : RoomForNew(0));
      return;
    }
    if (deployment_.recreate) {
      if (OldOnesAreGone()) return Resize(sets_.front(), deployment_.replicas);
      for (std::size_t i = 1; i < sets_.size(); ++i) Resize(sets_[i], 0);
      return;
    }
    if (OldOnesAreGone()) return Resize(sets_.front(), deployment_.replicas);
    const std::int64_t wanted = RoomForNew(sets_.front().replicas);
    if (wanted != sets_.front().replicas) return Resize(sets_.front(), wanted);
    ShrinkOldOnes();
  }

 private:
  std::int64_t MaxUnavailable() const {
    const std::int64_t unavailable =
        deployment_.max_unavailable.Of(deployment_.replicas, false);
    const std::int64_t surge =
        deployment_.max_surge.Of(deployment_.replicas, true);
    // Both 0 would never get anywhere.
    return surge == 0 && unavailable == 0 ? 1 : unavailable;
  }

  // The replicas that the current set may have, which has `now`.
  std::int64_t RoomForNew(std::int64_t now) const {
    const std::int64_t wanted = deployment_.replicas;
    if (deployment_.recreate || now >= wanted) return wanted;
    const std::int64_t limit = wanted + deployment_.max_surge.Of(wanted, true);
    return now + std::clamp<std::int64_t>(limit - Total(), 0, wanted - now);
  }

  std::int64_t Available(const Workload& set) const {
    std::int64_t available = 0;
    for (const ObjectKey& pod : simulated_.PodsOf(KeyOf(set))) {
      if (!simulated_.FindPod(pod)->node.empty()) ++available;
    }
    return available;
  }

  void ShrinkOldOnes() {
    const std::int64_t min_available = deployment_.replicas - MaxUnavailable();
    const Workload& current = sets_.front();
    std::int64_t room =
        Total() - min_available - (current.replicas - Available(current));
    if (room <= 0) return;
    std::int64_t available = 0;
    for (const Workload& set : sets_) available += Available(set);
    // Those that do not run anyway.
    for (std::size_t i = sets_.size() - 1; i > 0 && room > 0; --i) {
      const std::int64_t waiting = sets_[i].replicas - Available(sets_[i]);
      const std::int64_t fewer = std::min(room, waiting);
      if (fewer <= 0) continue;
      Resize(sets_[i], sets_[i].replicas - fewer);
      room -= fewer;
    }
    std::int64_t spare = available - min_available;
    for (std::size_t i = sets_.size() - 1; i > 0 && spare > 0; --i) {
      const std::int64_t fewer = std::min(spare, sets_[i].replicas);
      if (fewer <= 0) continue;
      Resize(sets_[i], sets_[i].replicas - fewer);
      spare -= fewer;
    }
  }

  void Resize(Workload& set, std::int64_t replicas) {
    if (set.replicas == replicas) return;
    set.replicas = replicas;
    simulated_.Upsert(set);
  }

  void CreateCurrent(std::int64_t replicas) {
    Workload set;
    set.kind = WorkloadKind::kReplicaSet;
    const std::string hash = TemplateHash(deployment_);
    set.meta.name = absl::StrCat(deployment_.meta.name, "-", hash);
    set.meta.namespace_name = deployment_.meta.namespace_name;
    set.meta.owner_references = {
        {"apps/v1", "Deployment", deployment_.meta.name, true}};
    set.pod_template = WithoutHash(deployment_.pod_template);
    set.pod_facts = deployment_.pod_facts;
    set.pod_template.meta.labels.Set(kPodTemplateHashLabel, hash);
    set.meta.labels = set.pod_template.meta.labels;
    set.selector = deployment_.selector;
    set.selector.match_labels.Set(kPodTemplateHashLabel, hash);
    set.restarts = deployment_.restarts;
    set.replicas = replicas;
    simulated_.Upsert(std::move(set));
    simulated_.Touch(KeyOf(deployment_));
  }

  SimulatedCluster& simulated_;
  const Workload& deployment_;
  // The current one, if there is one, comes first.
  std::vector<Workload> sets_;
  bool has_current_ = false;
};

}  // namespace

void SyncDeployment(SimulatedCluster& simulated, const Workload& deployment) {
  Rollout rollout(simulated, deployment);
  const std::vector<OwnerKey> unsettled = rollout.Unsettled();
  if (unsettled.empty()) rollout.Step();
  // Their controller comes first, and back to this one.
  for (const OwnerKey& set : unsettled) simulated.Touch(set);
}

std::optional<Workload> DeploymentOfReplicaSets(
    const SimulatedCluster& simulated, const OwnerKey& key) {
  const std::vector<const Workload*> sets =
      simulated.WorkloadsOf(WorkloadKind::kReplicaSet, key);
  if (sets.empty()) return std::nullopt;
  const Workload& current = **std::max_element(
      sets.begin(), sets.end(), [](const Workload* a, const Workload* b) {
        return a->replicas < b->replicas;
      });
  Workload deployment;
  deployment.kind = WorkloadKind::kDeployment;
  deployment.meta.name = key.name;
  deployment.meta.namespace_name = key.namespace_name;
  deployment.pod_template = WithoutHash(current.pod_template);
  deployment.pod_facts = current.pod_facts;
  deployment.restarts = current.restarts;
  deployment.replicas = 0;
  for (const Workload* set : sets) deployment.replicas += set->replicas;
  for (const auto& [label, value] : current.selector.match_labels) {
    if (label == kPodTemplateHashLabel) continue;
    deployment.selector.match_labels.Set(label, value);
  }
  deployment.selector.match_expressions = current.selector.match_expressions;
  return deployment;
}

}  // namespace vicinal
