#include "server/listeners/scheduler_plugin/told_cluster.h"

#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/model/api_resources.h"
#include "core/model/decode.h"
#include "core/model/object.h"
#include "core/model/object_list.h"

namespace vicinal {
namespace {

absl::Status Required(const JsonPath& path, std::string_view field) {
  return FieldError(path, std::string(field) + ": required");
}

absl::Status WrongUid(const JsonPath& path, const std::string& uid,
                      std::string_view problem) {
  return FieldError(path,
                    absl::StrCat("\"", uid, "\": ", std::string(problem)));
}

template <typename Kind>
absl::Status Read(JsonReader& reader, const std::string& json,
                  const JsonPath& path, Kind* out) {
  absl::StatusOr<Kind> read = reader.ReadCopy<Kind>(json);
  if (!read.ok()) {
    return FieldError(path, std::string(read.status().message()));
  }
  *out = *std::move(read);
  return absl::OkStatus();
}

}  // namespace

absl::Status ToldCluster::Apply(const v1::Change& change,
                                const JsonPath& path) {
  switch (change.kind_case()) {
    case v1::Change::kNode:
      return Upsert(change.node(), path.Field("node"));
    case v1::Change::kNodeRemoved:
      return RemoveNode(change.node_removed(), path.Field("node_removed"));
    case v1::Change::kPod:
      return Upsert(change.pod(), path.Field("pod"));
    case v1::Change::kPodPlaced:
      return Place(change.pod_placed(), path.Field("pod_placed"));
    case v1::Change::kPodUnplaced:
      return Unplace(change.pod_unplaced(), path.Field("pod_unplaced"));
    case v1::Change::kPodRemoved:
      return RemovePod(change.pod_removed(), path.Field("pod_removed"));
    case v1::Change::kObject:
      return UpsertObject(change.object(), path.Field("object"));
    case v1::Change::kObjectRemoved:
      return RemoveObject(change.object_removed(),
                          path.Field("object_removed"));
    case v1::Change::KIND_NOT_SET:
      break;
  }
  return FieldError(path, "tells none of the changes that are known");
}

const PodInfo* ToldCluster::FindWaiting(const std::string& uid) const {
  const auto it = waiting_.find(uid);
  return it == waiting_.end() ? nullptr : it->second.get();
}

std::vector<std::shared_ptr<const PodInfo>> ToldCluster::WaitingPods() const {
  std::vector<std::shared_ptr<const PodInfo>> pods;
  pods.reserve(waiting_.size());
  for (const auto& [uid, pod] : waiting_) pods.push_back(pod);
  return pods;
}

absl::Status ToldCluster::Upsert(const v1::NodeUpsert& told,
                                 const JsonPath& path) {
  const JsonPath number_path = path.Field("number");
  const std::uint32_t number = told.number();
  if (number >= NodeNumbers::kLimit) {
    return FieldError(number_path, absl::StrCat(number, ": must be below ",
                                                NodeNumbers::kLimit));
  }
  const JsonPath json_path = path.Field("json");
  Node node;
  if (absl::Status status = Read(reader_, told.json(), json_path, &node);
      !status.ok()) {
    return status;
  }
  const std::string name = node.meta.name;
  const NodeId id = numbers_.IdOf(number);
  if (id != kNoNode && state_.NodeById(id).name != name) {
    return FieldError(number_path, absl::StrCat(number, ": is node \"",
                                                state_.NodeById(id).name,
                                                "\", not \"", name, "\""));
  }
  const NodeInfo* const known = state_.FindNode(name);
  if (known != nullptr && numbers_.Of(known->id) != number) {
    return FieldError(number_path,
                      absl::StrCat(number, ": node \"", name, "\" is number ",
                                   numbers_.Of(known->id)));
  }
  state_.Upsert(std::move(node));
  const NodeId put = state_.FindNode(name)->id;
  if (known == nullptr) numbers_.Add(number, put);
  changed_nodes_.Add(put);
  return absl::OkStatus();
}

absl::Status ToldCluster::FindNodeName(std::uint32_t number,
                                       const JsonPath& path,
                                       std::string& name) const {
  const NodeId id = numbers_.IdOf(number);
  if (id == kNoNode) {
    return FieldError(path, absl::StrCat(number, ": no node has this number"));
  }
  name = state_.NodeById(id).name;
  return absl::OkStatus();
}

absl::Status ToldCluster::RemoveNode(std::uint32_t number,
                                     const JsonPath& path) {
  std::string name;
  if (absl::Status status = FindNodeName(number, path, name); !status.ok()) {
    return status;
  }
  const std::size_t pods = state_.FindNode(name)->pods.size();
  if (pods > 0) {
    return FieldError(path, absl::StrCat(number, ": there are pods on node \"",
                                         name, "\": ", pods));
  }
  state_.Remove<Node>({"", name});
  numbers_.Remove(number);
  return absl::OkStatus();
}

absl::Status ToldCluster::Upsert(const v1::PodUpsert& told,
                                 const JsonPath& path) {
  const JsonPath json_path = path.Field("json");
  Pod pod;
  if (absl::Status status = Read(reader_, told.json(), json_path, &pod);
      !status.ok()) {
    return status;
  }
  const std::string uid = pod.meta.uid;
  if (uid.empty()) return Required(json_path, "metadata.uid");
  if (pod.meta.namespace_name.empty()) {
    return Required(json_path, "metadata.namespace");
  }
  const auto placed = placed_.find(std::string_view(uid));
  const PodInfo* const waiting = FindWaiting(uid);
  const std::string& known_namespace =
      placed != placed_.end() ? (*placed)->namespace_name()
      : waiting != nullptr    ? waiting->pod.meta.namespace_name
                              : pod.meta.namespace_name;
  if (known_namespace != pod.meta.namespace_name) {
    return FieldError(
        json_path,
        absl::StrCat("metadata.namespace: \"", pod.meta.namespace_name,
                     "\": pod \"", uid, "\" is in \"", known_namespace, "\""));
  }
  pod.spec.node_name.clear();
  pod.status.nominated_node_name.clear();
  // What the scheduler tells of counts.
  pod.status.phase = kRunning;
  if (!told.has_node()) {
    if (placed != placed_.end()) TakeOff(**placed);
    waiting_[uid] = std::make_shared<const PodInfo>(std::move(pod));
    return absl::OkStatus();
  }
  if (absl::Status status =
          FindNodeName(told.node(), path.Field("node"), pod.spec.node_name);
      !status.ok()) {
    return status;
  }
  PutOnNode(std::move(pod));
  waiting_.erase(uid);
  return absl::OkStatus();
}

void ToldCluster::PutOnNode(Pod pod) {
  pod.meta.name = std::exchange(pod.meta.uid, "");
  const ObjectKey key = KeyOf(pod.meta);
  const auto placed = placed_.find(std::string_view(key.name));
  if (placed != placed_.end()) changed_nodes_.Add((*placed)->node()->id);
  state_.Upsert(std::move(pod));
  const StoredPod* const put = state_.FindPod(key);
  placed_.insert(put);
  changed_nodes_.Add(put->node()->id);
}

void ToldCluster::TakeOff(const StoredPod& pod) {
  const ObjectKey key = {pod.namespace_name(), std::string(pod.name())};
  changed_nodes_.Add(pod.node()->id);
  placed_.erase(&pod);
  state_.Remove<Pod>(key);
}

absl::Status ToldCluster::Place(const v1::PodPlacement& told,
                                const JsonPath& path) {
  const auto waiting = waiting_.find(told.uid());
  if (waiting == waiting_.end()) {
    return WrongUid(
        path.Field("uid"), told.uid(),
        IsPlaced(told.uid()) ? "the pod is on a node already" : "no such pod");
  }
  Pod pod = waiting->second->pod;
  if (absl::Status status =
          FindNodeName(told.node(), path.Field("node"), pod.spec.node_name);
      !status.ok()) {
    return status;
  }
  PutOnNode(std::move(pod));
  waiting_.erase(waiting);
  return absl::OkStatus();
}

absl::Status ToldCluster::Unplace(const std::string& uid,
                                  const JsonPath& path) {
  const auto placed = placed_.find(std::string_view(uid));
  if (placed == placed_.end()) {
    return WrongUid(
        path, uid,
        waiting_.contains(uid) ? "the pod waits already" : "no such pod");
  }
  Pod pod = (*placed)->ToPod();
  TakeOff(**placed);
  pod.spec.node_name.clear();
  pod.meta.uid = uid;
  waiting_[uid] = std::make_shared<const PodInfo>(std::move(pod));
  return absl::OkStatus();
}

absl::Status ToldCluster::RemovePod(const std::string& uid,
                                    const JsonPath& path) {
  const auto placed = placed_.find(std::string_view(uid));
  if (placed != placed_.end()) {
    TakeOff(**placed);
  } else if (waiting_.erase(uid) == 0) {
    return WrongUid(path, uid, "no such pod");
  }
  return absl::OkStatus();
}

absl::Status ToldCluster::UpsertObject(const std::string& json,
                                       const JsonPath& path) {
  const simdjson::padded_string padded(json);
  absl::StatusOr<std::optional<Object>> read = ReadObject(reader_, padded);
  if (!read.ok()) {
    return FieldError(path, std::string(read.status().message()));
  }
  if (!*read || (*read)->index() < kFirstOtherKind) {
    return FieldError(path, "kind: must be " + KindNames(kFirstOtherKind));
  }
  if (MetaOf(**read).name.empty()) return Required(path, "metadata.name");
  state_.Upsert(**std::move(read));
  return absl::OkStatus();
}

absl::Status ToldCluster::RemoveObject(const v1::ObjectName& told,
                                       const JsonPath& path) {
  const ObjectKey key = {told.namespace_(), told.name()};
  bool is_known = false;
  ForEachOtherKind([&]<typename Kind>(Kind*) {
    if (told.kind() != ApiResourceOf<Kind>().kind) return;
    state_.Remove<Kind>(key);
    is_known = true;
  });
  if (is_known) return absl::OkStatus();
  return FieldError(path.Field("kind"),
                    absl::StrCat("\"", told.kind(), "\": must be ",
                                 KindNames(kFirstOtherKind)));
}

}  // namespace vicinal
