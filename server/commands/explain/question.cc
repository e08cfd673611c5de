#include "server/commands/explain/question.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/index/stored_pod.h"
#include "core/model/did_you_mean.h"
#include "core/model/manifest.h"
#include "core/plugins/pod_claims.h"

namespace vicinal {
namespace {

std::string Meant(const std::string& guess) {
  return guess.empty() ? "" : "; did you mean " + guess + "?";
}

absl::Status NoSuchPod(const ObjectKey& wanted, const ClusterState& cluster) {
  std::vector<std::string> same_name;
  std::vector<std::string> same_namespace;
  for (const ObjectKey& key : cluster.Keys<Pod>()) {
    const std::string text = key.namespace_name + "/" + key.name;
    if (key.name == wanted.name) same_name.push_back(text);
    if (key.namespace_name == wanted.namespace_name) {
      same_namespace.push_back(text);
    }
  }
  const std::string text = wanted.namespace_name + "/" + wanted.name;
  const std::string guess =
      same_name.empty() ? DidYouMean(text, same_namespace) : same_name.front();
  std::string why;
  if (same_name.empty() && same_namespace.empty()) {
    why = " (the namespace has no pods)";
  }
  return absl::NotFoundError("--pod " + text +
                             ": no such pod that is not finished" + why +
                             Meant(guess));
}

// As the admission plugin DefaultStorageClass does.
void SetDefaultClass(const StorageObjects& storage,
                     PersistentVolumeClaim& claim) {
  if (claim.class_name || !claim.volume_name.empty()) return;
  for (const auto& [name, known] : storage.classes) {
    if (known.is_default) claim.class_name = name;
  }
}

}  // namespace

void PutStorage(StorageObjects from, StorageObjects& into) {
  into.claims.merge(from.claims);
  into.volumes.merge(from.volumes);
  into.classes.merge(from.classes);
  into.csi_nodes.merge(from.csi_nodes);
  into.drivers.merge(from.drivers);
  into.capacities.merge(from.capacities);
  into.attachments.merge(from.attachments);
}

void MakeClaims(Question& question, ClusterExtras& extras) {
  StorageObjects& storage = extras.storage;
  const ObjectMeta& meta = question.pod.meta;
  for (const PodVolume& volume : question.extras.volumes) {
    const auto named =
        storage.claims.find({meta.namespace_name, volume.claim.value_or("")});
    if (named != storage.claims.end()) {
      SetDefaultClass(storage, named->second);
    }
    // A pod of the cluster has its claims, or waits for them.
    if (!volume.ephemeral || !meta.uid.empty()) continue;
    PersistentVolumeClaim claim = *volume.ephemeral;
    claim.name = ClaimName(meta.name, volume);
    claim.namespace_name = meta.namespace_name;
    claim.controller_uid = meta.uid;
    SetDefaultClass(storage, claim);
    storage.claims.try_emplace({meta.namespace_name, claim.name},
                               std::move(claim));
    if (question.kind != "StatefulSet") continue;
    const std::string prefix = volume.name + "-" + question.object.name + "-";
    const auto first =
        storage.claims.lower_bound({meta.namespace_name, prefix});
    if (first != storage.claims.end() &&
        first->first.first == meta.namespace_name &&
        first->first.second.starts_with(prefix)) {
      question.not_checked.push_back(
          {{"VolumeBinding", "VolumeZone"},
           "claims of the StatefulSet that are there already, " +
               first->first.second + " and others: a new claim is assumed"});
    }
  }
}

void CheckNamespace(const std::string& name, const ClusterState& cluster,
                    std::vector<std::string>& warnings) {
  const auto& namespaces = cluster.All<Namespace>();
  if (namespaces.contains({"", name})) return;
  std::vector<std::string> names;
  for (const auto& [key, object] : namespaces) names.push_back(key.name);
  warnings.push_back(
      names.empty()
          ? "the cluster has no namespaces: namespaceSelectors match nothing "
            "in it, but for empty ones"
          : "namespace " + name +
                " is not in the cluster, where an API server would refuse the "
                "pod" +
                Meant(DidYouMean(name, names)));
}

void TakeOut(const ObjectKey& key, ClusterState& cluster,
             std::vector<std::string>& warnings) {
  const StoredPod* known = cluster.FindPod(key);
  if (known == nullptr) return;
  if (known->node() != nullptr) {
    warnings.push_back(
        absl::StrCat("pod ", key.namespace_name, "/", key.name, " runs on ",
                     known->node()->Name(),
                     "; the answer is for it as if it were to be placed anew"));
  }
  cluster.Remove<Pod>(key);
}

absl::StatusOr<std::vector<Question>> QuestionsOf(
    std::string_view text, ClusterState& cluster, ClusterExtras& extras,
    std::vector<std::string>& warnings) {
  absl::StatusOr<Manifest> manifest = ReadManifest(text, warnings);
  if (!manifest.ok()) return manifest.status();
  for (Object& object : manifest->objects) cluster.Upsert(std::move(object));
  PutStorage(std::move(manifest->storage), extras.storage);
  std::vector<Question> questions;
  for (ManifestPod& one : manifest->pods) {
    Question& question = questions.emplace_back();
    question.kind = std::move(one.kind);
    question.object = {one.pod.meta.namespace_name, std::move(one.name)};
    question.path_prefix = std::move(one.path_prefix);
    question.pod = std::move(one.pod);
    question.extras = std::move(one.extras);
    question.replicas = one.replicas;
    CheckNamespace(question.object.namespace_name, cluster, warnings);
    // A manifest that a cluster has written says where the pod was placed; what
    // a person has written is what is wanted.
    if (!question.pod.meta.uid.empty()) question.pod.spec.node_name.clear();
    if (question.kind == "Pod") TakeOut(question.object, cluster, warnings);
  }
  return questions;
}

absl::StatusOr<Question> QuestionAbout(std::string_view pod,
                                       ClusterState& cluster,
                                       const ClusterExtras& extras,
                                       std::vector<std::string>& warnings) {
  const std::size_t slash = pod.find('/');
  ObjectKey key{"default", std::string(pod)};
  if (slash != std::string_view::npos) {
    key = {std::string(pod.substr(0, slash)),
           std::string(pod.substr(slash + 1))};
  }
  const StoredPod* known = cluster.FindPod(key);
  if (known == nullptr) return NoSuchPod(key, cluster);
  Question question;
  question.kind = "Pod";
  question.object = key;
  question.pod = known->ToPod();
  if (const PodExtras* found = extras.Find(key)) question.extras = *found;
  TakeOut(key, cluster, warnings);
  question.pod.spec.node_name.clear();
  return question;
}

}  // namespace vicinal
