#include "core/model/manifest.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/model/decode.h"
#include "core/model/decode_extras.h"
#include "core/model/did_you_mean.h"
#include "core/model/json.h"
#include "core/model/manifest_check.h"
#include "core/model/parse_documents.h"
#include "core/model/pod_admission.h"
#include "core/model/read_objects.h"

namespace vicinal {
namespace {

using Json = nlohmann::json;

constexpr int kMaxListDepth = 4;

// A kind whose objects have pods.
struct PodKind {
  const char* kind;
  const char* api_version;
  std::vector<std::string> template_path;  // Empty: the object is the pod.
};

const std::vector<PodKind>& PodKinds() {
  static const std::vector<PodKind> kKinds = {
      {"Pod", "v1", {}},
      {"ReplicationController", "v1", {"spec", "template"}},
      {"ReplicaSet", "apps/v1", {"spec", "template"}},
      {"Deployment", "apps/v1", {"spec", "template"}},
      {"StatefulSet", "apps/v1", {"spec", "template"}},
      {"DaemonSet", "apps/v1", {"spec", "template"}},
      {"Job", "batch/v1", {"spec", "template"}},
      {"CronJob", "batch/v1", {"spec", "jobTemplate", "spec", "template"}},
      {"VirtualMachineInstanceReplicaSet",
       "kubevirt.io/v1",
       {"spec", "template"}},
  };
  return kKinds;
}

constexpr std::string_view kOtherKinds[] = {"Node", "Namespace", "Service"};

// A revision that is not in the cluster: the real hash is that of the template.
constexpr char kNewRevision[] = "new";
constexpr char kTemplateHash[] = "pod-template-hash";

const Json& Field(const Json& object, const std::string& name) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto it = object.find(name);
  return it == object.end() ? kNull : *it;
}

std::string TextField(const Json& object, const std::string& name) {
  const Json& field = Field(object, name);
  return field.is_string() ? field.get<std::string>() : std::string();
}

std::string TextOf(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::Status Error(const std::string& what, const std::string& problem) {
  return absl::InvalidArgumentError(what.empty() ? problem
                                                 : what + ": " + problem);
}

// Limits are the requests of what requests nothing.
// Source: SetDefaults_Pod in pkg/apis/core/v1/defaults.go.
void DefaultRequests(Json& holder) {
  if (!holder.is_object() || !holder.contains("resources")) return;
  Json& resources = holder["resources"];
  const Json limits = Field(resources, "limits");
  if (!limits.is_object()) return;
  Json& requests = resources["requests"];
  if (requests.is_null()) requests = Json::object();
  if (!requests.is_object()) return;
  for (const auto& [name, amount] : limits.items()) {
    if (!requests.contains(name)) requests[name] = amount;
  }
}

void DefaultAllRequests(Json& pod) {
  if (!pod.contains("spec") || !pod["spec"].is_object()) return;
  Json& spec = pod["spec"];
  for (const char* list : {"containers", "initContainers"}) {
    if (!spec.contains(list) || !spec[list].is_array()) continue;
    for (Json& container : spec[list]) DefaultRequests(container);
  }
}

// What of a virtual machine's spec becomes that of its launcher's pod.
void LowerVirtualMachine(Json& pod) {
  if (!pod.contains("spec") || !pod["spec"].is_object()) return;
  Json& spec = pod["spec"];
  const Json domain = Field(spec, "domain");
  Json requests = Field(Field(domain, "resources"), "requests");
  if (!requests.is_object()) requests = Json::object();
  const Json& guest = Field(Field(domain, "memory"), "guest");
  if (!requests.contains("memory") && !guest.is_null()) {
    requests["memory"] = guest;
  }
  spec["containers"] = Json::array(
      {{{"name", "compute"}, {"resources", {{"requests", requests}}}}});
  // Other meanings than a pod's fields of these names.
  for (const char* name : {"volumes", "resources", "overhead"}) {
    spec.erase(name);
  }
  if (!pod.contains("metadata")) pod["metadata"] = Json::object();
  Json& metadata = pod["metadata"];
  if (metadata.is_object() &&
      (!metadata.contains("labels") || metadata["labels"].is_object())) {
    metadata["labels"]["kubevirt.io"] = "virt-launcher";
  }
}

// Source: AddOrUpdateDaemonPodTolerations in pkg/controller/daemon/util.
void AddDaemonTolerations(bool host_network, PodSpec& spec) {
  const auto add = [&spec](const char* key, const char* effect) {
    spec.tolerations.push_back({key, "Exists", "", effect});
  };
  add("node.kubernetes.io/not-ready", kNoExecute);
  add("node.kubernetes.io/unreachable", kNoExecute);
  add("node.kubernetes.io/disk-pressure", kNoSchedule);
  add("node.kubernetes.io/memory-pressure", kNoSchedule);
  add("node.kubernetes.io/pid-pressure", kNoSchedule);
  add("node.kubernetes.io/unschedulable", kNoSchedule);
  if (host_network) add("node.kubernetes.io/network-unavailable", kNoSchedule);
}

class ManifestReader {
 public:
  explicit ManifestReader(std::vector<std::string>& warnings)
      : warnings_(warnings) {}

  absl::Status Read(const Json& object, const std::string& place, int depth) {
    if (!object.is_object()) return Error(place, "must be an object");
    const std::string kind = TextField(object, "kind");
    if (kind.empty()) return Error(place, "kind: required");
    if (kind.ends_with("List") && object.contains("items")) {
      return ReadItems(object, place, depth);
    }
    const std::string what = NameOf(object, kind);
    for (const PodKind& known : PodKinds()) {
      if (kind == known.kind) {
        absl::Status status = CheckApiVersion(object, known, what);
        return status.ok() ? ReadPods(object, known, what) : status;
      }
    }
    for (const std::string_view known : kOtherKinds) {
      if (kind == known) return ReadOther(object, what);
    }
    if (IsStorageKind(TextField(object, "apiVersion"), kind)) {
      return ReadStorage(object, kind, what);
    }
    std::vector<std::string> kinds;
    for (const PodKind& known : PodKinds()) kinds.emplace_back(known.kind);
    // Deploymnet, but not ReplicaSetting.
    const std::string guess = DidYouMean(kind, kinds);
    if (!guess.empty() && EditDistance(guess, kind) <= 2) {
      return Error(what, "kind: \"" + kind +
                             "\" is not known; did you mean \"" + guess +
                             "\"?");
    }
    manifest_.skipped.push_back(what);
    return absl::OkStatus();
  }

  Manifest Take() { return std::move(manifest_); }

 private:
  absl::Status ReadItems(const Json& list, const std::string& place,
                         int depth) {
    if (depth == kMaxListDepth) {
      return Error(place, "lists in lists are nested too deeply");
    }
    const Json& items = Field(list, "items");
    const std::string path = place.empty() ? "items" : place + ".items";
    if (items.is_null()) return absl::OkStatus();
    if (!items.is_array()) return Error(path, "must be an array");
    const std::string list_kind = TextField(list, "kind");
    for (std::size_t i = 0; i < items.size(); ++i) {
      Json item = items[i];
      if (item.is_object() && !item.contains("kind") && list_kind != "List") {
        item["kind"] = list_kind.substr(0, list_kind.size() - 4);
      }
      absl::Status status =
          Read(item, absl::StrCat(path, "[", i, "]"), depth + 1);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  static std::string NameOf(const Json& object, const std::string& kind) {
    const Json& metadata = Field(object, "metadata");
    std::string name = TextField(metadata, "name");
    if (name.empty()) name = TextField(metadata, "generateName");
    const std::string namespace_name = TextField(metadata, "namespace");
    return kind + " " +
           (namespace_name.empty() ? name : namespace_name + "/" + name);
  }

  static absl::Status CheckApiVersion(const Json& object, const PodKind& known,
                                      const std::string& what) {
    const std::string version = TextField(object, "apiVersion");
    const std::string_view wanted = known.api_version;
    const std::string_view group = wanted.substr(0, wanted.rfind('/') + 1);
    const bool is_known = group == "kubevirt.io/" ? version.starts_with(group)
                                                  : version == wanted;
    if (version.empty() || is_known) return absl::OkStatus();
    return Error(what, "apiVersion: \"" + version + "\", but " + known.kind +
                           " is in " + known.api_version);
  }

  absl::Status ReadOther(const Json& object, const std::string& what) {
    absl::StatusOr<std::vector<Object>> objects = ReadObjects(object.dump());
    if (!objects.ok())
      return Error(what, std::string(objects.status().message()));
    for (Object& one : *objects) manifest_.objects.push_back(std::move(one));
    return absl::OkStatus();
  }

  absl::Status ReadStorage(const Json& object, const std::string& kind,
                           const std::string& what) {
    const simdjson::padded_string json(TextOf(object));
    const absl::Status status =
        JsonReader().ReadWith(json, [&](JsonValue value) {
          return DecodeStorage(value, JsonPath(), kind, &manifest_.storage);
        });
    return status.ok() ? status : Error(what, std::string(status.message()));
  }

  // What its controller makes of the templates of a StatefulSet's claims.
  absl::Status ReadClaimTemplates(const Json& object, const std::string& what,
                                  PodExtras& extras) {
    const Json& templates =
        Field(Field(object, "spec"), "volumeClaimTemplates");
    if (!templates.is_array()) return absl::OkStatus();
    for (const Json& one : templates) {
      JsonReader reader;
      absl::StatusOr<PersistentVolumeClaim> claim =
          reader.ReadCopy<PersistentVolumeClaim>(TextOf(one));
      if (!claim.ok()) {
        return Error(what, "spec.volumeClaimTemplates: " +
                               std::string(claim.status().message()));
      }
      PodVolume& volume = extras.volumes.emplace_back();
      volume.name = claim->name;
      volume.ephemeral = *std::move(claim);
    }
    return absl::OkStatus();
  }

  absl::Status ReadPods(const Json& object, const PodKind& kind,
                        const std::string& what) {
    Json pod = object;
    std::string prefix;
    for (const std::string& step : kind.template_path) {
      const Json& workload_spec = Field(pod, "spec");
      if (step == "spec") {
        CheckWorkloadSpec(workload_spec, kind.kind,
                          what + ": " + prefix + "spec",
                          TemplatePath(kind) + "spec", warnings_);
      }
      Json inner = Field(pod, step);
      prefix += step + ".";
      if (!inner.is_object()) {
        prefix.pop_back();
        return Error(what, prefix + ": required");
      }
      pod = std::move(inner);
    }
    CheckPodSpec(Field(pod, "spec"), what + ": " + prefix + "spec", warnings_);
    if (kind.kind == std::string_view("VirtualMachineInstanceReplicaSet")) {
      LowerVirtualMachine(pod);
    }
    const bool host_network = Field(Field(pod, "spec"), "hostNetwork") == true;
    DefaultAllRequests(pod);
    JsonReader reader;
    const std::string text = TextOf(pod);
    absl::StatusOr<Pod> read = reader.ReadCopy<Pod>(text);
    if (!read.ok()) {
      return Error(what, prefix + std::string(read.status().message()));
    }
    absl::StatusOr<PodExtras> extras = reader.ReadCopy<PodExtras>(text);
    if (!extras.ok()) {
      return Error(what, prefix + std::string(extras.status().message()));
    }
    ManifestPod result;
    result.extras = *std::move(extras);
    if (kind.kind == std::string_view("StatefulSet")) {
      absl::Status status = ReadClaimTemplates(object, what, result.extras);
      if (!status.ok()) return status;
    }
    result.kind = kind.kind;
    result.path_prefix = prefix;
    result.pod = *std::move(read);
    if (kind.template_path.empty()) {
      result.name = result.pod.meta.name;
    } else {
      absl::Status status = Control(object, host_network, what, result);
      if (!status.ok()) return status;
    }
    AdmitPod(result.pod);
    manifest_.pods.push_back(std::move(result));
    return absl::OkStatus();
  }

  static std::string TemplatePath(const PodKind& kind) {
    std::string path;
    for (const std::string& step : kind.template_path) path += step + ".";
    return path;
  }

  // Does what the workload's controller does.
  absl::Status Control(const Json& object, bool host_network,
                       const std::string& what, ManifestPod& result) {
    ObjectMeta meta;
    JsonReader reader;
    const Json& metadata = Field(object, "metadata");
    absl::StatusOr<ObjectMeta> read = reader.ReadCopy<ObjectMeta>(
        metadata.is_null() ? "{}" : metadata.dump());
    if (!read.ok()) {
      return Error(what, "metadata." + std::string(read.status().message()));
    }
    meta = *std::move(read);
    if (meta.name.empty() && TextField(metadata, "generateName").empty()) {
      return Error(what, "metadata.name: required");
    }
    if (meta.namespace_name.empty()) meta.namespace_name = "default";
    result.name = meta.name;
    Pod& pod = result.pod;
    pod.meta.name.clear();
    pod.meta.uid.clear();
    pod.meta.namespace_name = meta.namespace_name;
    const Json& spec = Field(object, "spec");
    for (const char* name : {"replicas", "parallelism"}) {
      const Json& replicas = Field(spec, name);
      if (replicas.is_number_integer()) {
        result.replicas = replicas.get<std::int32_t>();
      }
    }

    std::string controller_kind = result.kind;
    if (result.kind == "Deployment") {
      controller_kind = "ReplicaSet";
      meta.name += std::string("-") + kNewRevision;
      pod.meta.labels.Set(kTemplateHash, kNewRevision);
    } else if (result.kind == "Job") {
      pod.meta.labels.Set("job-name", meta.name);
      pod.meta.labels.Set("batch.kubernetes.io/job-name", meta.name);
    } else if (result.kind == "DaemonSet") {
      AddDaemonTolerations(host_network, pod.spec);
    }
    pod.meta.owner_references = {
        {controller_kind == "ReplicationController" ? "v1" : "apps/v1",
         controller_kind, meta.name, true}};
    return AddController(controller_kind, std::move(meta),
                         Field(spec, "selector"), what, pod);
  }

  // The controllers whose selector a pod's default spread constraints take.
  absl::Status AddController(const std::string& kind, ObjectMeta meta,
                             const Json& selector, const std::string& what,
                             const Pod& pod) {
    if (kind == "ReplicationController") {
      ReplicationController controller{std::move(meta), pod.meta.labels};
      if (selector.is_object()) {
        absl::Status status =
            ReadSelector(selector, what, &controller.selector);
        if (!status.ok()) return status;
      }
      manifest_.objects.push_back(std::move(controller));
      return absl::OkStatus();
    }
    if (kind != "ReplicaSet" && kind != "StatefulSet" && kind != "DaemonSet") {
      return absl::OkStatus();
    }
    LabelSelector read;
    if (selector.is_null()) {
      warnings_.push_back(what + ": spec.selector: required by the API server");
    } else {
      absl::Status status = ReadSelector(selector, what, &read);
      if (!status.ok()) return status;
      const absl::StatusOr<Selector> parsed = AsSelector(read);
      if (!parsed.ok()) {
        return Error(
            what, "spec.selector: " + std::string(parsed.status().message()));
      }
      if (!parsed->Matches(pod.meta.labels)) {
        warnings_.push_back(
            what +
            ": spec.selector: does not match spec.template.metadata.labels; an "
            "API server refuses that");
      }
    }
    if (pod.meta.labels.Has(kTemplateHash)) {
      read.match_labels.Set(kTemplateHash, kNewRevision);
    }
    if (kind == "ReplicaSet") {
      manifest_.objects.push_back(ReplicaSet{std::move(meta), std::move(read)});
    } else if (kind == "StatefulSet") {
      manifest_.objects.push_back(
          StatefulSet{std::move(meta), std::move(read)});
    }
    return absl::OkStatus();
  }

  template <typename T>
  static absl::Status ReadSelector(const Json& selector,
                                   const std::string& what, T* out) {
    if (!selector.is_object()) {
      return Error(what, "spec.selector: must be an object");
    }
    JsonReader reader;
    absl::StatusOr<T> read = reader.ReadCopy<T>(selector.dump());
    if (!read.ok()) {
      return Error(what,
                   "spec.selector." + std::string(read.status().message()));
    }
    *out = *std::move(read);
    return absl::OkStatus();
  }

  std::vector<std::string>& warnings_;
  Manifest manifest_;
};

std::string KindsWithPods() {
  std::string kinds;
  for (const PodKind& kind : PodKinds()) {
    absl::StrAppend(&kinds, kinds.empty() ? "" : ", ", kind.kind);
  }
  return kinds;
}

}  // namespace

absl::StatusOr<Manifest> ReadManifest(std::string_view text,
                                      std::vector<std::string>& warnings) {
  const absl::StatusOr<std::vector<Json>> documents = ParseDocuments(text);
  if (!documents.ok()) return documents.status();
  ManifestReader reader(warnings);
  for (std::size_t i = 0; i < documents->size(); ++i) {
    const std::string place =
        documents->size() == 1 ? "" : absl::StrCat("documents[", i, "]");
    absl::Status status = reader.Read((*documents)[i], place, 0);
    if (!status.ok()) return status;
  }
  Manifest manifest = reader.Take();
  if (manifest.pods.empty()) {
    std::string has = "it is empty";
    if (!manifest.skipped.empty()) {
      has = "there is " + manifest.skipped.front();
    } else if (!manifest.objects.empty()) {
      has = "there is " + MetaOf(manifest.objects.front()).name;
    }
    return absl::InvalidArgumentError("no object with pods (" +
                                      KindsWithPods() + "); " + has);
  }
  return manifest;
}

}  // namespace vicinal
