#include "core/simulate/workload_actions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/deschedule/pod_facts.h"
#include "core/simulate/controllers.h"
#include "core/simulate/evict.h"
#include "core/simulate/node_actions.h"
#include "core/simulate/pod_from_template.h"
#include "core/simulate/template_hash.h"

namespace vicinal {
namespace {

bool IsWord(std::string_view word, std::string_view singular,
            std::string_view short_name) {
  const std::string lower = absl::AsciiStrToLower(std::string(word));
  return lower == singular || lower == std::string(singular) + "s" ||
         lower == short_name;
}

std::string NameOf(const Target& target) {
  return absl::StrCat(target.kind, "/", target.name);
}

// The namespaces in which there is a workload of that kind and name.
std::string ElsewhereHint(const SimulatedCluster& simulated,
                          const OwnerKey& key) {
  for (const auto& [other, workload] : simulated.workloads()) {
    const OwnerKey top = simulated.TopOf(other);
    for (const OwnerKey& candidate : {other, top}) {
      if (candidate.kind == key.kind && candidate.name == key.name) {
        return absl::StrCat("; there is one in namespace ",
                            candidate.namespace_name, " (-n ",
                            candidate.namespace_name, ")");
      }
    }
  }
  return "";
}

absl::Status NotKnown(const SimulatedCluster& simulated, const Target& target,
                      const OwnerKey& key) {
  std::string message =
      absl::StrCat("there is no ", NameOf(target), " in namespace ",
                   target.namespace_name, ElsewhereHint(simulated, key));
  const auto is_of_kind = [&key](const auto& entry) {
    return entry.first.kind == key.kind;
  };
  if (std::none_of(simulated.workloads().begin(), simulated.workloads().end(),
                   is_of_kind)) {
    absl::StrAppend(&message, "; the cluster file has no ", key.kind,
                    key.kind == "Deployment"
                        ? " and no ReplicaSet of one by that name"
                        : " at all");
  }
  return absl::NotFoundError(message);
}

// A Deployment may be known by its ReplicaSets only.
absl::StatusOr<Workload> Find(SimulatedCluster& simulated,
                              const Target& target) {
  const std::optional<WorkloadKind> kind = WorkloadKindFromWord(target.kind);
  if (!kind) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", target.kind, "\" is no kind of workload"));
  }
  const OwnerKey key{std::string(NameOf(*kind)), target.namespace_name,
                     target.name};
  if (const Workload* workload = simulated.FindWorkload(key)) return *workload;
  if (*kind == WorkloadKind::kDeployment) {
    if (auto deployment = DeploymentOfReplicaSets(simulated, key)) {
      simulated.Note(absl::StrCat(
          Describe(*deployment),
          " is known by its ReplicaSets only: its update strategy is taken to "
          "be the default, 25% maxSurge and maxUnavailable"));
      simulated.Load(*deployment);
      return *std::move(deployment);
    }
  }
  return NotKnown(simulated, target, key);
}

absl::StatusOr<Workload> FindScalable(SimulatedCluster& simulated,
                                      const Target& target) {
  absl::StatusOr<Workload> workload = Find(simulated, target);
  if (workload.ok() && (workload->kind == WorkloadKind::kDaemonSet ||
                        workload->kind == WorkloadKind::kCronJob)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a ", std::string(NameOf(workload->kind)),
                     " has no replicas to scale"));
  }
  return workload;
}

absl::Status CheckNamespace(SimulatedCluster& simulated,
                            const std::string& name) {
  const auto& known = simulated.cluster().All<Namespace>();
  if (known.contains({"", name}) || name == "default" ||
      name == "kube-system") {
    return absl::OkStatus();
  }
  if (known.empty()) {
    simulated.Note(
        "the cluster file has no namespaces: all are taken to exist, "
        "without labels");
    return absl::OkStatus();
  }
  return absl::NotFoundError(
      absl::StrCat("namespaces \"", name, "\" not found"));
}

absl::Status ApplyPod(SimulatedCluster& simulated, Pod pod) {
  const ObjectKey key = KeyOf(pod.meta);
  if (key.name.empty()) {
    return absl::InvalidArgumentError("metadata.name: required");
  }
  if (absl::Status status = CheckNamespace(simulated, key.namespace_name);
      !status.ok()) {
    return status;
  }
  if (simulated.FindPod(key) != nullptr) {
    return absl::AlreadyExistsError(
        absl::StrCat("pod ", key.namespace_name, "/", key.name,
                     " exists; where it may go cannot be changed"));
  }
  std::optional<OwnerKey> owner = OwnerOf(pod.meta);
  AdmitNewPod(pod);
  simulated.CreatePod(std::move(pod), std::move(owner), PodFacts());
  return absl::OkStatus();
}

// StatefulSets and DaemonSets tell revisions apart by a label.
bool HasRevisions(WorkloadKind kind) {
  return kind == WorkloadKind::kStatefulSet || kind == WorkloadKind::kDaemonSet;
}

void NewRevision(Workload& workload) {
  if (!HasRevisions(workload.kind)) return;
  workload.revision =
      absl::StrCat(workload.meta.name, "-", TemplateHash(workload));
}

absl::Status ApplyWorkload(SimulatedCluster& simulated, Workload workload) {
  absl::Status status = CheckNamespace(simulated, workload.meta.namespace_name);
  if (!status.ok()) return status;
  const OwnerKey key = KeyOf(workload);
  const Workload* known = simulated.FindWorkload(key);
  if (known == nullptr) {
    NewRevision(workload);
    // Pods that are there already are those of an earlier life.
    if (workload.kind == WorkloadKind::kDeployment) {
      const auto before = DeploymentOfReplicaSets(simulated, key);
      if (before) workload.restarts = before->restarts;
    }
  } else {
    workload.restarts = known->restarts;
    workload.succeeded = known->succeeded;
    workload.revision = known->revision;
    // The API server's defaults are not in a manifest, but in a dump.
    if (!(known->pod_template == workload.pod_template)) {
      NewRevision(workload);
    }
    workload.meta.owner_references = known->meta.owner_references;
  }
  simulated.Upsert(std::move(workload));
  return absl::OkStatus();
}

absl::Status ApplyItem(SimulatedCluster& simulated, ScriptObject item) {
  if (Workload* workload = std::get_if<Workload>(&item)) {
    return ApplyWorkload(simulated, std::move(*workload));
  }
  Object& object = std::get<Object>(item);
  if (Pod* pod = std::get_if<Pod>(&object)) {
    return ApplyPod(simulated, std::move(*pod));
  }
  const std::string name_space = MetaOf(object).namespace_name;
  if (!name_space.empty()) {
    if (absl::Status status = CheckNamespace(simulated, name_space);
        !status.ok()) {
      return status;
    }
  }
  const bool is_node = std::holds_alternative<Node>(object);
  const std::string name = MetaOf(object).name;
  simulated.Upsert(std::move(object));
  if (is_node) {
    for (const ObjectKey& pod : NotTolerating(simulated, name)) {
      EvictPod(simulated, pod);
    }
  }
  return absl::OkStatus();
}

// A workload and those below it, each once although they may own each other.
std::vector<OwnerKey> WithThoseBelow(const SimulatedCluster& simulated,
                                     const OwnerKey& key) {
  std::vector<OwnerKey> found = {key};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const auto& [other, workload] : simulated.workloads()) {
      if (OwnerOf(workload.meta) == found[i] &&
          std::ranges::count(found, other) == 0) {
        found.push_back(other);
      }
    }
  }
  return found;
}

std::vector<ObjectKey> PodsOf(const SimulatedCluster& simulated,
                              const std::vector<OwnerKey>& workloads) {
  std::vector<ObjectKey> pods;
  for (const OwnerKey& workload : workloads) {
    const std::set<ObjectKey>& own = simulated.PodsOf(workload);
    pods.insert(pods.end(), own.begin(), own.end());
  }
  return pods;
}

void DeleteWorkload(SimulatedCluster& simulated, const OwnerKey& key) {
  const std::vector<OwnerKey> workloads = WithThoseBelow(simulated, key);
  const std::vector<ObjectKey> pods = PodsOf(simulated, workloads);
  for (const OwnerKey& workload : workloads) {
    simulated.RemoveWorkload(workload);
  }
  for (const ObjectKey& pod : pods) simulated.DeletePod(pod);
}

absl::Status DeletePods(SimulatedCluster& simulated, const Target& target) {
  std::vector<ObjectKey> pods;
  for (const auto& [key, pod] : simulated.pods()) {
    if (key.namespace_name != target.namespace_name) continue;
    if (!target.node.empty() && pod.node != target.node) continue;
    const Labels labels = simulated.LabelsOf(key);
    if (target.name.empty() ? Selector::FromSet(target.labels).Matches(labels)
                            : key.name == target.name) {
      pods.push_back(key);
    }
  }
  if (pods.empty()) {
    return absl::NotFoundError(absl::StrCat(
        "there is no such pod in namespace ", target.namespace_name));
  }
  for (const ObjectKey& pod : pods) {
    if (simulated.FindPod(pod) != nullptr) EvictPod(simulated, pod);
  }
  return absl::OkStatus();
}

// What is neither a workload nor a pod nor a node.
template <typename Kind>
absl::Status DeleteOther(SimulatedCluster& simulated, const Target& target,
                         std::string namespace_name) {
  const ObjectKey key{std::move(namespace_name), target.name};
  if (!simulated.cluster().All<Kind>().contains(key)) {
    return absl::NotFoundError(absl::StrCat("there is no ", NameOf(target)));
  }
  simulated.Remove<Kind>(key);
  return absl::OkStatus();
}

absl::Status DeleteNamespace(SimulatedCluster& simulated,
                             const Target& target) {
  std::vector<OwnerKey> workloads;
  for (const auto& [key, workload] : simulated.workloads()) {
    if (key.namespace_name == target.name) workloads.push_back(key);
  }
  absl::Status status = DeleteOther<Namespace>(simulated, target, "");
  if (!status.ok()) return status;
  for (const OwnerKey& key : workloads) simulated.RemoveWorkload(key);
  std::vector<ObjectKey> pods;
  for (const auto& [key, pod] : simulated.pods()) {
    if (key.namespace_name == target.name) pods.push_back(key);
  }
  for (const ObjectKey& pod : pods) simulated.DeletePod(pod);
  return absl::OkStatus();
}

}  // namespace

absl::Status Apply(SimulatedCluster& simulated,
                   std::vector<ScriptObject> items) {
  for (ScriptObject& item : items) {
    if (absl::Status status = ApplyItem(simulated, std::move(item));
        !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::int64_t> ReplicasOf(SimulatedCluster& simulated,
                                        const Target& target) {
  const absl::StatusOr<Workload> workload = FindScalable(simulated, target);
  if (!workload.ok()) return workload.status();
  return workload->replicas;
}

PodCount CountPods(const SimulatedCluster& simulated, const Target& target) {
  PodCount count;
  const std::optional<WorkloadKind> kind = WorkloadKindFromWord(target.kind);
  if (!kind) return count;
  const OwnerKey key{std::string(NameOf(*kind)), target.namespace_name,
                     target.name};
  for (const ObjectKey& name :
       PodsOf(simulated, WithThoseBelow(simulated, key))) {
    const SimulatedPod& pod = *simulated.FindPod(name);
    ++(pod.node.empty() ? count.pending : count.running);
    if (pod.node.empty()) count.message = pod.message;
  }
  return count;
}

absl::Status Scale(SimulatedCluster& simulated, const Target& target,
                   std::int64_t replicas) {
  absl::StatusOr<Workload> workload = FindScalable(simulated, target);
  if (!workload.ok()) return workload.status();
  // Its Deployment would put it back.
  if (const auto owner = OwnerOf(workload->meta)) {
    simulated.Note(absl::StrCat(Describe(*workload), " belongs to ",
                                owner->kind, "/", owner->name,
                                ", which is left out of account here"));
  }
  workload->replicas = replicas;
  simulated.Upsert(*std::move(workload));
  return absl::OkStatus();
}

absl::Status Delete(SimulatedCluster& simulated, const Target& target) {
  if (IsWord(target.kind, "pod", "po")) return DeletePods(simulated, target);
  if (target.name.empty()) {
    return absl::InvalidArgumentError("-l is for pods only");
  }
  if (IsWord(target.kind, "node", "no"))
    return RemoveNode(simulated, target.name);
  if (IsWord(target.kind, "namespace", "ns")) {
    return DeleteNamespace(simulated, target);
  }
  if (IsWord(target.kind, "service", "svc")) {
    return DeleteOther<Service>(simulated, target, target.namespace_name);
  }
  absl::StatusOr<Workload> workload = Find(simulated, target);
  if (!workload.ok()) return workload.status();
  DeleteWorkload(simulated, KeyOf(*workload));
  return absl::OkStatus();
}

absl::Status Rollout(SimulatedCluster& simulated, const Target& target) {
  absl::StatusOr<Workload> workload = Find(simulated, target);
  if (!workload.ok()) return workload.status();
  if (workload->kind != WorkloadKind::kDeployment &&
      !HasRevisions(workload->kind)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a ", std::string(NameOf(workload->kind)), " has no rollout"));
  }
  ++workload->restarts;
  NewRevision(*workload);
  simulated.Upsert(*std::move(workload));
  return absl::OkStatus();
}

absl::Status Reschedule(SimulatedCluster& simulated, const Target& target) {
  std::vector<ObjectKey> pods;
  if (target.kind == "all" && target.name.empty()) {
    for (const auto& [key, pod] : simulated.pods()) {
      if (pod.owner && !StaysInDrain(pod)) pods.push_back(key);
    }
  } else if (IsWord(target.kind, "pod", "po")) {
    const ObjectKey key{target.namespace_name, target.name};
    if (simulated.FindPod(key) == nullptr) {
      return absl::NotFoundError(absl::StrCat("there is no ", NameOf(target),
                                              " in namespace ",
                                              target.namespace_name));
    }
    pods.push_back(key);
  } else {
    absl::StatusOr<Workload> workload = Find(simulated, target);
    if (!workload.ok()) return workload.status();
    pods = PodsOf(simulated, WithThoseBelow(simulated, KeyOf(*workload)));
  }
  for (const ObjectKey& pod : pods) EvictPod(simulated, pod);
  return absl::OkStatus();
}

}  // namespace vicinal
