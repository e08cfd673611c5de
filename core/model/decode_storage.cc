#include <algorithm>
#include <utility>

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

absl::Status DecodeOwner(JsonValue value, const JsonPath& path, Meta* out) {
  bool controller = false;
  std::string uid;
  absl::Status status =
      DecodeFields(value, path, JsonField{"controller", &controller},
                   JsonField{"uid", &uid});
  if (controller) out->controller_uid = uid;
  return status;
}

absl::Status DecodeMeta(JsonValue value, const JsonPath& path, Meta* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "name") return Decode(field, where, &out->name);
        if (key == "namespace") {
          return Decode(field, where, &out->namespace_name);
        }
        if (key == "uid") return Decode(field, where, &out->uid);
        if (key == "labels") return Decode(field, where, &out->labels);
        if (key == "annotations") {
          return Decode(field, where, &out->annotations);
        }
        if (key == "deletionTimestamp") {
          out->is_deleted = !IsNull(field);
          return absl::OkStatus();
        }
        if (key != "ownerReferences") return absl::OkStatus();
        return ForEachElement(field, where,
                              [out](JsonValue owner, const JsonPath& there) {
                                return DecodeOwner(owner, there, out);
                              });
      });
}

constexpr char kBetaClass[] = "volume.beta.kubernetes.io/storage-class";

// `spec` and `status` are read by a lambda each; null: not.
template <typename OnField>
absl::Status DecodeObjectWith(JsonValue value, const JsonPath& path, Meta* meta,
                              OnField&& on_field) {
  return ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "metadata") return DecodeMeta(field, where, meta);
        return on_field(key, field, where);
      });
}

absl::Status DecodeStorageRequest(JsonValue value, const JsonPath& path,
                                  std::optional<Quantity>* out) {
  return DecodeFields(value, path, JsonField{"storage", out});
}

absl::Status DecodeClaimSpec(JsonValue value, const JsonPath& path,
                             PersistentVolumeClaim* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "storageClassName") {
          return Decode(field, where, &out->class_name);
        }
        if (key == "volumeName") return Decode(field, where, &out->volume_name);
        if (key == "selector") return Decode(field, where, &out->selector);
        if (key == "accessModes") {
          return Decode(field, where, &out->access_modes);
        }
        if (key == "volumeMode") return Decode(field, where, &out->volume_mode);
        if (key == "volumeAttributesClassName") {
          return Decode(field, where, &out->attributes_class);
        }
        if (key != "resources") return absl::OkStatus();
        return ForEachField(field, where,
                            [out](std::string_view name, JsonValue inner,
                                  const JsonPath& there) {
                              return name == "requests"
                                         ? DecodeStorageRequest(inner, there,
                                                                &out->request)
                                         : absl::OkStatus();
                            });
      });
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
          return DecodeStorageRequest(field, where, &out->capacity);
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

}  // namespace

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           StorageClass::TopologyRequirement* out) {
  return DecodeFields(value, path, JsonField{"key", &out->key},
                      JsonField{"values", &out->values});
}

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           CsiNode::Driver* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "name") return Decode(field, where, &out->name);
        if (key != "allocatable") return absl::OkStatus();
        return DecodeFields(field, where, JsonField{"count", &out->count});
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    PersistentVolumeClaim* out) {
  Meta meta;
  absl::Status status = DecodeObjectWith(
      value, path, &meta,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "spec") return DecodeClaimSpec(field, where, out);
        if (key != "status") return absl::OkStatus();
        return DecodeFields(field, where, JsonField{"phase", &out->phase});
      });
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

absl::Status DecodeVolume(JsonValue value, const JsonPath& path,
                          StorageObjects* out) {
  PersistentVolume volume;
  Meta meta;
  absl::Status status = DecodeObjectWith(
      value, path, &meta,
      [&volume](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "spec") return DecodeVolumeSpec(field, where, &volume);
        if (key != "status") return absl::OkStatus();
        return DecodeFields(field, where, JsonField{"phase", &volume.phase});
      });
  if (!status.ok()) return status;
  volume.name = meta.name;
  volume.labels = meta.labels;
  volume.is_deleted = meta.is_deleted;
  if (const auto beta = meta.Annotation(kBetaClass)) volume.class_name = *beta;
  out->volumes[meta.name] = std::move(volume);
  return absl::OkStatus();
}

absl::Status DecodeClass(JsonValue value, const JsonPath& path,
                         StorageObjects* out) {
  StorageClass made;
  Meta meta;
  absl::Status status = DecodeObjectWith(
      value, path, &meta,
      [&made](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "provisioner") {
          return Decode(field, where, &made.provisioner);
        }
        if (key == "volumeBindingMode") {
          return Decode(field, where, &made.binding_mode);
        }
        if (key != "allowedTopologies") return absl::OkStatus();
        return ForEachElement(
            field, where, [&made](JsonValue term, const JsonPath& there) {
              return DecodeFields(
                  term, there,
                  JsonField{"matchLabelExpressions",
                            &made.allowed_topologies.emplace_back()});
            });
      });
  if (!status.ok()) return status;
  made.name = meta.name;
  made.is_default =
      meta.Annotation("storageclass.kubernetes.io/is-default-class") == "true";
  out->classes[meta.name] = std::move(made);
  return absl::OkStatus();
}

absl::Status DecodeCsiNode(JsonValue value, const JsonPath& path,
                           StorageObjects* out) {
  CsiNode node;
  Meta meta;
  absl::Status status = DecodeObjectWith(
      value, path, &meta,
      [&node](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key != "spec") return absl::OkStatus();
        return DecodeFields(field, where, JsonField{"drivers", &node.drivers});
      });
  if (!status.ok()) return status;
  node.name = meta.name;
  out->csi_nodes[meta.name] = std::move(node);
  return absl::OkStatus();
}

absl::Status DecodeDriver(JsonValue value, const JsonPath& path,
                          StorageObjects* out) {
  CsiDriver driver;
  Meta meta;
  absl::Status status = DecodeObjectWith(
      value, path, &meta,
      [&driver](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key != "spec") return absl::OkStatus();
        return DecodeFields(
            field, where,
            JsonField{"storageCapacity", &driver.storage_capacity},
            JsonField{"preventPodSchedulingIfMissing",
                      &driver.prevent_pod_scheduling_if_missing});
      });
  if (!status.ok()) return status;
  driver.name = meta.name;
  out->drivers[meta.name] = std::move(driver);
  return absl::OkStatus();
}

absl::Status DecodeCapacity(JsonValue value, const JsonPath& path,
                            StorageObjects* out) {
  CsiStorageCapacity made;
  Meta meta;
  absl::Status status = DecodeObjectWith(
      value, path, &meta,
      [&made](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "storageClassName") {
          return Decode(field, where, &made.class_name);
        }
        if (key == "nodeTopology") {
          return Decode(field, where, &made.node_topology);
        }
        if (key == "capacity") return Decode(field, where, &made.capacity);
        if (key == "maximumVolumeSize") {
          return Decode(field, where, &made.maximum_volume_size);
        }
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  made.name = meta.namespace_name + "/" + meta.name;
  out->capacities[made.name] = std::move(made);
  return absl::OkStatus();
}

absl::Status DecodeAttachment(JsonValue value, const JsonPath& path,
                              StorageObjects* out) {
  VolumeAttachment made;
  Meta meta;
  absl::Status status = DecodeObjectWith(
      value, path, &meta,
      [&made](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key != "spec") return absl::OkStatus();
        return ForEachField(
            field, where,
            [&made](std::string_view name, JsonValue inner,
                    const JsonPath& there) {
              if (name == "attacher") {
                return Decode(inner, there, &made.attacher);
              }
              if (name == "nodeName") return Decode(inner, there, &made.node);
              if (name != "source") return absl::OkStatus();
              return DecodeFields(
                  inner, there,
                  JsonField{"persistentVolumeName", &made.volume});
            });
      });
  if (!status.ok()) return status;
  made.name = meta.name;
  out->attachments[meta.name] = std::move(made);
  return absl::OkStatus();
}

absl::Status DecodeClaim(JsonValue value, const JsonPath& path,
                         StorageObjects* out) {
  PersistentVolumeClaim claim;
  absl::Status status = Decode(value, path, &claim);
  if (status.ok()) {
    out->claims[{claim.namespace_name, claim.name}] = std::move(claim);
  }
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
