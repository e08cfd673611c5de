#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/model/decode.h"
#include "core/model/decode_extras.h"

namespace vicinal {
namespace {

constexpr ApiResource kStorageResources[] = {
    {"persistentvolumeclaims", "v1", kClaimKind},
    {"persistentvolumes", "v1", kVolumeKind, false},
    {"storageclasses", "storage.k8s.io/v1", kStorageClassKind, false},
    {"csinodes", "storage.k8s.io/v1", kCsiNodeKind, false},
    {"csidrivers", "storage.k8s.io/v1", kCsiDriverKind, false},
    {"csistoragecapacities", "storage.k8s.io/v1", kCapacityKind},
    {"volumeattachments", "storage.k8s.io/v1", kAttachmentKind, false},
};

// Those of csi-translation-lib, and those that VolumeRestrictions compares.
constexpr std::string_view kInTreeSources[] = {"awsElasticBlockStore",
                                               "gcePersistentDisk",
                                               "cinder",
                                               "azureDisk",
                                               "azureFile",
                                               "vsphereVolume",
                                               "portworxVolume",
                                               "rbd",
                                               "iscsi"};

struct Meta {
  std::string name;
  std::string namespace_name;
  std::string uid;
  Labels labels;
  Labels annotations;
  std::optional<std::string> controller_uid;
  bool is_deleted = false;

  std::optional<std::string> Annotation(std::string_view key) const {
    const std::string* value = annotations.Find(key);
    if (value == nullptr) return std::nullopt;
    return *value;
  }
};

constexpr char kBetaClass[] = "volume.beta.kubernetes.io/storage-class";

// The object in a field, of which these fields are read.
template <typename... T>
struct Inner {
  std::tuple<JsonField<T>...> fields;

  explicit Inner(JsonField<T>... all) : fields(all...) {}
};

template <typename... T>
absl::Status Decode(JsonValue value, const JsonPath& path, Inner<T...>* out) {
  return std::apply(
      [&](const JsonField<T>&... fields) {
        return DecodeFields(value, path, fields...);
      },
      out->fields);
}

struct Owner {
  bool controller = false;
  std::string uid;
};

absl::Status Decode(JsonValue value, const JsonPath& path, Owner* out) {
  return DecodeFields(value, path, JsonField{"controller", &out->controller},
                      JsonField{"uid", &out->uid});
}

absl::Status Decode(JsonValue value, const JsonPath& path, Meta* out) {
  std::vector<Owner> owners;
  std::optional<std::string> deleted;
  absl::Status status = DecodeFields(
      value, path, JsonField{"name", &out->name},
      JsonField{"namespace", &out->namespace_name}, JsonField{"uid", &out->uid},
      JsonField{"labels", &out->labels},
      JsonField{"annotations", &out->annotations},
      JsonField{"deletionTimestamp", &deleted},
      JsonField{"ownerReferences", &owners});
  out->is_deleted = deleted.has_value();
  for (const Owner& owner : owners) {
    if (owner.controller) out->controller_uid = owner.uid;
  }
  return status;
}

absl::Status DecodeVolumeSpec(JsonValue value, const JsonPath& path,
                              PersistentVolume* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "storageClassName") {
          return Decode(field, where, &out->class_name);
        }
        if (key == "capacity") {
          return DecodeFields(field, where,
                              JsonField{"storage", &out->capacity});
        }
        if (key == "accessModes") {
          return Decode(field, where, &out->access_modes);
        }
        if (key == "volumeMode") return Decode(field, where, &out->volume_mode);
        if (key == "volumeAttributesClassName") {
          return Decode(field, where, &out->attributes_class);
        }
        if (key == "claimRef") {
          if (IsNull(field)) return absl::OkStatus();
          PersistentVolume::ClaimRef& claim = out->claim_ref.emplace();
          return DecodeFields(
              field, where, JsonField{"namespace", &claim.namespace_name},
              JsonField{"name", &claim.name}, JsonField{"uid", &claim.uid});
        }
        if (key == "nodeAffinity") {
          return ForEachField(field, where,
                              [out](std::string_view name, JsonValue inner,
                                    const JsonPath& there) {
                                if (name != "required" || IsNull(inner)) {
                                  return absl::OkStatus();
                                }
                                return DecodeFields(
                                    inner, there,
                                    JsonField{"nodeSelectorTerms",
                                              &out->node_affinity.emplace()});
                              });
        }
        if (key == "csi") {
          return DecodeFields(field, where, JsonField{"driver", &out->driver},
                              JsonField{"volumeHandle", &out->handle});
        }
        if (IsInTreeSource(key) && !IsNull(field)) out->in_tree = key;
        return absl::OkStatus();
      });
}

// A volume, whose spec is read apart: some of its fields decide by their name.
struct VolumeSpec {
  PersistentVolume* volume;
};

absl::Status Decode(JsonValue value, const JsonPath& path, VolumeSpec* out) {
  return DecodeVolumeSpec(value, path, out->volume);
}

// An element of allowedTopologies.
struct TopologyTerm {
  std::vector<StorageClass::TopologyRequirement> requirements;
};

absl::Status Decode(JsonValue value, const JsonPath& path, TopologyTerm* out) {
  return DecodeFields(value, path,
                      JsonField{"matchLabelExpressions", &out->requirements});
}

}  // namespace

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           StorageClass::TopologyRequirement* out) {
  return DecodeFields(value, path, JsonField{"key", &out->key},
                      JsonField{"values", &out->values});
}

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           CsiNode::Driver* out) {
  Inner allocatable(JsonField{"count", &out->count});
  return DecodeFields(value, path, JsonField{"name", &out->name},
                      JsonField{"allocatable", &allocatable});
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    PersistentVolumeClaim* out) {
  Meta meta;
  Inner requests(JsonField{"storage", &out->request});
  Inner resources(JsonField{"requests", &requests});
  Inner spec(JsonField{"storageClassName", &out->class_name},
             JsonField{"volumeName", &out->volume_name},
             JsonField{"selector", &out->selector},
             JsonField{"accessModes", &out->access_modes},
             JsonField{"volumeMode", &out->volume_mode},
             JsonField{"volumeAttributesClassName", &out->attributes_class},
             JsonField{"resources", &resources});
  Inner phase(JsonField{"phase", &out->phase});
  absl::Status status =
      DecodeFields(value, path, JsonField{"metadata", &meta},
                   JsonField{"spec", &spec}, JsonField{"status", &phase});
  out->name = meta.name;
  out->namespace_name =
      meta.namespace_name.empty() ? "default" : meta.namespace_name;
  out->uid = meta.uid;
  out->controller_uid = meta.controller_uid;
  out->is_deleted = meta.is_deleted;
  out->is_bound =
      meta.Annotation("pv.kubernetes.io/bind-completed").has_value();
  out->selected_node = meta.Annotation("volume.kubernetes.io/selected-node");
  if (const auto beta = meta.Annotation(kBetaClass)) out->class_name = beta;
  return status;
}

namespace {

absl::Status DecodeClaim(JsonValue value, const JsonPath& path,
                         StorageObjects* out) {
  PersistentVolumeClaim claim;
  absl::Status status = Decode(value, path, &claim);
  if (!status.ok()) return status;
  out->claims[{claim.namespace_name, claim.name}] = std::move(claim);
  return status;
}

absl::Status DecodeVolume(JsonValue value, const JsonPath& path,
                          StorageObjects* out) {
  PersistentVolume volume;
  Meta meta;
  VolumeSpec spec{&volume};
  Inner phase(JsonField{"phase", &volume.phase});
  absl::Status status =
      DecodeFields(value, path, JsonField{"metadata", &meta},
                   JsonField{"spec", &spec}, JsonField{"status", &phase});
  if (!status.ok()) return status;
  volume.name = meta.name;
  volume.labels = meta.labels;
  volume.is_deleted = meta.is_deleted;
  if (const auto beta = meta.Annotation(kBetaClass)) volume.class_name = *beta;
  out->volumes[meta.name] = std::move(volume);
  return status;
}

absl::Status DecodeClass(JsonValue value, const JsonPath& path,
                         StorageObjects* out) {
  StorageClass made;
  Meta meta;
  std::vector<TopologyTerm> terms;
  absl::Status status =
      DecodeFields(value, path, JsonField{"metadata", &meta},
                   JsonField{"provisioner", &made.provisioner},
                   JsonField{"volumeBindingMode", &made.binding_mode},
                   JsonField{"allowedTopologies", &terms});
  if (!status.ok()) return status;
  made.name = meta.name;
  made.is_default =
      meta.Annotation("storageclass.kubernetes.io/is-default-class") == "true";
  for (TopologyTerm& term : terms) {
    made.allowed_topologies.push_back(std::move(term.requirements));
  }
  out->classes[meta.name] = std::move(made);
  return status;
}

absl::Status DecodeCsiNode(JsonValue value, const JsonPath& path,
                           StorageObjects* out) {
  CsiNode node;
  Meta meta;
  Inner spec(JsonField{"drivers", &node.drivers});
  absl::Status status = DecodeFields(value, path, JsonField{"metadata", &meta},
                                     JsonField{"spec", &spec});
  if (!status.ok()) return status;
  node.name = meta.name;
  out->csi_nodes[meta.name] = std::move(node);
  return status;
}

absl::Status DecodeDriver(JsonValue value, const JsonPath& path,
                          StorageObjects* out) {
  CsiDriver driver;
  Meta meta;
  Inner spec(JsonField{"storageCapacity", &driver.storage_capacity},
             JsonField{"preventPodSchedulingIfMissing",
                       &driver.prevent_pod_scheduling_if_missing});
  absl::Status status = DecodeFields(value, path, JsonField{"metadata", &meta},
                                     JsonField{"spec", &spec});
  if (!status.ok()) return status;
  driver.name = meta.name;
  out->drivers[meta.name] = std::move(driver);
  return status;
}

absl::Status DecodeCapacity(JsonValue value, const JsonPath& path,
                            StorageObjects* out) {
  CsiStorageCapacity made;
  Meta meta;
  absl::Status status =
      DecodeFields(value, path, JsonField{"metadata", &meta},
                   JsonField{"storageClassName", &made.class_name},
                   JsonField{"nodeTopology", &made.node_topology},
                   JsonField{"capacity", &made.capacity},
                   JsonField{"maximumVolumeSize", &made.maximum_volume_size});
  if (!status.ok()) return status;
  made.name = meta.namespace_name + "/" + meta.name;
  out->capacities[made.name] = std::move(made);
  return status;
}

absl::Status DecodeAttachment(JsonValue value, const JsonPath& path,
                              StorageObjects* out) {
  VolumeAttachment made;
  Meta meta;
  Inner source(JsonField{"persistentVolumeName", &made.volume});
  Inner spec(JsonField{"attacher", &made.attacher},
             JsonField{"nodeName", &made.node}, JsonField{"source", &source});
  absl::Status status = DecodeFields(value, path, JsonField{"metadata", &meta},
                                     JsonField{"spec", &spec});
  if (!status.ok()) return status;
  made.name = meta.name;
  out->attachments[meta.name] = std::move(made);
  return status;
}

}  // namespace

bool IsInTreeSource(std::string_view source) {
  return std::ranges::find(kInTreeSources, source) != std::end(kInTreeSources);
}

std::span<const ApiResource> StorageResources() { return kStorageResources; }

bool IsStorageKind(std::string_view api_version, std::string_view kind) {
  return std::ranges::any_of(kStorageResources, [&](const ApiResource& known) {
    return known.kind == kind &&
           (api_version.empty() || api_version == known.api_version);
  });
}

absl::Status DecodeStorage(JsonValue value, const JsonPath& path,
                           std::string_view kind, StorageObjects* out) {
  out->known.emplace(kind);
  if (kind == kClaimKind) return DecodeClaim(value, path, out);
  if (kind == kVolumeKind) return DecodeVolume(value, path, out);
  if (kind == kStorageClassKind) return DecodeClass(value, path, out);
  if (kind == kCsiNodeKind) return DecodeCsiNode(value, path, out);
  if (kind == kCsiDriverKind) return DecodeDriver(value, path, out);
  if (kind == kCapacityKind) return DecodeCapacity(value, path, out);
  return DecodeAttachment(value, path, out);
}

}  // namespace vicinal
