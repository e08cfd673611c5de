#include "core/model/decode.h"

#include <algorithm>
#include <utility>

namespace vicinal {
namespace {

absl::Status Required(const JsonPath& path, std::string_view field,
                      const std::string& value) {
  if (!value.empty()) return absl::OkStatus();
  return FieldError(path.Field(field), "required");
}

}  // namespace

// Upstream parses the token as it stands, without resolving escapes.
absl::Status Decode(JsonValue value, const JsonPath& path, Quantity* out) {
  if (IsNull(value)) return absl::OkStatus();
  std::string_view text = value.raw_json_token();
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  std::string_view string;
  double number = 0;
  if (value.get_string().get(string) == simdjson::SUCCESS) {
    text = text.substr(1, text.size() - 2);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    text = text.substr(0, text.find_last_not_of(' ') + 1);
  } else if (value.get_double().get(number) != simdjson::SUCCESS) {
    return TypeError(path, "a quantity", value);
  }
  absl::StatusOr<Quantity> quantity = Quantity::Parse(text);
  if (!quantity.ok()) {
    return FieldError(path, std::string(quantity.status().message()));
  }
  *out = *quantity;
  return absl::OkStatus();
}

absl::Status Decode(JsonValue value, const JsonPath& path, ResourceList* out) {
  out->clear();
  return ForEachField(
      value, path,
      [out](std::string_view name, JsonValue amount, const JsonPath& where) {
        return Decode(amount, where, &(*out)[std::string(name)]);
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    LabelSelectorRequirement* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "key") return Decode(field, where, &out->key);
        if (key == "operator") return Decode(field, where, &out->op);
        if (key == "values") return Decode(field, where, &out->values);
        return absl::OkStatus();
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path, LabelSelector* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "matchLabels") {
          return Decode(field, where, &out->match_labels);
        }
        if (key == "matchExpressions") {
          return Decode(field, where, &out->match_expressions);
        }
        return absl::OkStatus();
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    NodeSelectorRequirement* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "key") return Decode(field, where, &out->key);
        if (key == "operator") return Decode(field, where, &out->op);
        if (key == "values") return Decode(field, where, &out->values);
        return absl::OkStatus();
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    NodeSelectorTerm* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "matchExpressions") {
          return Decode(field, where, &out->match_expressions);
        }
        if (key == "matchFields") {
          return Decode(field, where, &out->match_fields);
        }
        return absl::OkStatus();
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    PreferredSchedulingTerm* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "weight") return Decode(field, where, &out->weight);
        if (key == "preference") return Decode(field, where, &out->preference);
        return absl::OkStatus();
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path, NodeAffinity* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "requiredDuringSchedulingIgnoredDuringExecution") {
          if (IsNull(field)) return absl::OkStatus();
          NodeSelector& terms = out->required.emplace();
          return ForEachField(field, where,
                              [&terms](std::string_view name, JsonValue list,
                                       const JsonPath& there) {
                                return name == "nodeSelectorTerms"
                                           ? Decode(list, there, &terms)
                                           : absl::OkStatus();
                              });
        }
        if (key == "preferredDuringSchedulingIgnoredDuringExecution") {
          return Decode(field, where, &out->preferred);
        }
        return absl::OkStatus();
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    PodAffinityTerm* out) {
  absl::Status status = ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "labelSelector") {
          return Decode(field, where, &out->label_selector);
        }
        if (key == "namespaces") return Decode(field, where, &out->namespaces);
        if (key == "namespaceSelector") {
          return Decode(field, where, &out->namespace_selector);
        }
        if (key == "topologyKey") {
          return Decode(field, where, &out->topology_key);
        }
        if (key == "matchLabelKeys") {
          return Decode(field, where, &out->match_label_keys);
        }
        if (key == "mismatchLabelKeys") {
          return Decode(field, where, &out->mismatch_label_keys);
        }
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return Required(path, "topologyKey", out->topology_key);
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    WeightedPodAffinityTerm* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "weight") return Decode(field, where, &out->weight);
        if (key == "podAffinityTerm") return Decode(field, where, &out->term);
        return absl::OkStatus();
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path, PodAffinity* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "requiredDuringSchedulingIgnoredDuringExecution") {
          return Decode(field, where, &out->required);
        }
        if (key == "preferredDuringSchedulingIgnoredDuringExecution") {
          return Decode(field, where, &out->preferred);
        }
        return absl::OkStatus();
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path, Affinity* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "nodeAffinity") {
          return Decode(field, where, &out->node_affinity);
        }
        if (key == "podAffinity") {
          return Decode(field, where, &out->pod_affinity);
        }
        if (key == "podAntiAffinity") {
          return Decode(field, where, &out->pod_anti_affinity);
        }
        return absl::OkStatus();
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    TopologySpreadConstraint* out) {
  absl::Status status = ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "maxSkew") return Decode(field, where, &out->max_skew);
        if (key == "topologyKey") {
          return Decode(field, where, &out->topology_key);
        }
        if (key == "whenUnsatisfiable") {
          return Decode(field, where, &out->when_unsatisfiable);
        }
        if (key == "labelSelector") {
          return Decode(field, where, &out->label_selector);
        }
        if (key == "minDomains") return Decode(field, where, &out->min_domains);
        if (key == "nodeAffinityPolicy") {
          return Decode(field, where, &out->node_affinity_policy);
        }
        if (key == "nodeTaintsPolicy") {
          return Decode(field, where, &out->node_taints_policy);
        }
        if (key == "matchLabelKeys") {
          return Decode(field, where, &out->match_label_keys);
        }
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  status = Required(path, "topologyKey", out->topology_key);
  if (!status.ok()) return status;
  return Required(path, "whenUnsatisfiable", out->when_unsatisfiable);
}

absl::Status Decode(JsonValue value, const JsonPath& path, Taint* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "key") return Decode(field, where, &out->key);
        if (key == "value") return Decode(field, where, &out->value);
        if (key == "effect") return Decode(field, where, &out->effect);
        return absl::OkStatus();
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path, Toleration* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "key") return Decode(field, where, &out->key);
        if (key == "operator") return Decode(field, where, &out->op);
        if (key == "value") return Decode(field, where, &out->value);
        if (key == "effect") return Decode(field, where, &out->effect);
        return absl::OkStatus();
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    OwnerReference* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "apiVersion") return Decode(field, where, &out->api_version);
        if (key == "kind") return Decode(field, where, &out->kind);
        if (key == "name") return Decode(field, where, &out->name);
        if (key == "controller") return Decode(field, where, &out->controller);
        return absl::OkStatus();
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path, ObjectMeta* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "name") return Decode(field, where, &out->name);
        if (key == "namespace") {
          return Decode(field, where, &out->namespace_name);
        }
        if (key == "uid") return Decode(field, where, &out->uid);
        if (key == "labels") return Decode(field, where, &out->labels);
        if (key == "ownerReferences") {
          return Decode(field, where, &out->owner_references);
        }
        if (key == "deletionTimestamp") {
          return Decode(field, where, &out->deletion_timestamp);
        }
        return absl::OkStatus();
      });
}

namespace {

// v1.ResourceRequirements, of which only the requests matter.
absl::Status DecodeRequests(JsonValue value, const JsonPath& path, auto* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        return key == "requests" ? Decode(field, where, out) : absl::OkStatus();
      });
}

}  // namespace

absl::Status Decode(JsonValue value, const JsonPath& path, Container* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "name") return Decode(field, where, &out->name);
        if (key == "image") return Decode(field, where, &out->image);
        if (key == "resources") {
          return DecodeRequests(field, where, &out->requests);
        }
        if (key == "restartPolicy") {
          return Decode(field, where, &out->restart_policy);
        }
        return absl::OkStatus();
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    ContainerStatus* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "name") return Decode(field, where, &out->name);
        if (key == "allocatedResources") {
          return Decode(field, where, &out->allocated_resources);
        }
        if (key == "resources") {
          return DecodeRequests(field, where, &out->requests);
        }
        return absl::OkStatus();
      });
}

namespace {

// Of a v1.Volume only the image it is made from matters.
absl::Status DecodeImageVolume(JsonValue value, const JsonPath& path,
                               std::vector<std::string>* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue image, const JsonPath& where) {
        if (key != "image" || IsNull(image)) return absl::OkStatus();
        std::string& reference = out->emplace_back();
        return ForEachField(image, where,
                            [&reference](std::string_view name, JsonValue inner,
                                         const JsonPath& there) {
                              return name == "reference"
                                         ? Decode(inner, there, &reference)
                                         : absl::OkStatus();
                            });
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path, PodSpec* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "nodeName") return Decode(field, where, &out->node_name);
        if (key == "schedulerName") {
          return Decode(field, where, &out->scheduler_name);
        }
        if (key == "priority") return Decode(field, where, &out->priority);
        if (key == "nodeSelector") {
          return Decode(field, where, &out->node_selector);
        }
        if (key == "affinity") return Decode(field, where, &out->affinity);
        if (key == "tolerations") {
          return Decode(field, where, &out->tolerations);
        }
        if (key == "topologySpreadConstraints") {
          return Decode(field, where, &out->topology_spread_constraints);
        }
        if (key == "containers") return Decode(field, where, &out->containers);
        if (key == "initContainers") {
          return Decode(field, where, &out->init_containers);
        }
        if (key == "overhead") return Decode(field, where, &out->overhead);
        if (key == "volumes") {
          return ForEachElement(
              field, where, [out](JsonValue volume, const JsonPath& there) {
                return DecodeImageVolume(volume, there, &out->image_volumes);
              });
        }
        if (key == "resources") {
          return DecodeRequests(field, where, &out->requests);
        }
        return absl::OkStatus();
      });
}

struct PodCondition {
  std::string type;
  std::string reason;
};

absl::Status Decode(JsonValue value, const JsonPath& path, PodCondition* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "type") return vicinal::Decode(field, where, &out->type);
        if (key == "reason") {
          return vicinal::Decode(field, where, &out->reason);
        }
        return absl::OkStatus();
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path, PodStatus* out) {
  // The kubelet's two lists are searched one after the other, so that the
  // order of the fields in the text must not matter.
  std::vector<ContainerStatus> init_container_statuses;
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "phase") return Decode(field, where, &out->phase);
        if (key == "nominatedNodeName") {
          return Decode(field, where, &out->nominated_node_name);
        }
        if (key == "containerStatuses") {
          return Decode(field, where, &out->container_statuses);
        }
        if (key == "initContainerStatuses") {
          return Decode(field, where, &init_container_statuses);
        }
        if (key == "allocatedResources") {
          return Decode(field, where, &out->allocated_resources);
        }
        if (key == "resources") {
          if (IsNull(field)) return absl::OkStatus();
          return DecodeRequests(field, where,
                                &out->resources.emplace().requests);
        }
        if (key == "conditions") {
          bool found = false;
          return ForEachElement(
              field, where, [&](JsonValue element, const JsonPath& there) {
                PodCondition condition;
                absl::Status decoded = Decode(element, there, &condition);
                if (condition.type == "PodResizePending" && !found) {
                  found = true;
                  out->resize_infeasible = condition.reason == "Infeasible";
                }
                return decoded;
              });
        }
        return absl::OkStatus();
      });
  out->container_statuses.insert(
      out->container_statuses.end(),
      std::make_move_iterator(init_container_statuses.begin()),
      std::make_move_iterator(init_container_statuses.end()));
  return status;
}

}  // namespace

absl::Status Decode(JsonValue value, const JsonPath& path, Pod* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "metadata") return Decode(field, where, &out->meta);
        if (key == "spec") return Decode(field, where, &out->spec);
        if (key == "status") return Decode(field, where, &out->status);
        return absl::OkStatus();
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    ContainerImage* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "names") return Decode(field, where, &out->names);
        if (key == "sizeBytes") return Decode(field, where, &out->size_bytes);
        return absl::OkStatus();
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path, Node* out) {
  absl::Status status = ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "metadata") return Decode(field, where, &out->meta);
        if (key == "spec") {
          return ForEachField(field, where,
                              [out](std::string_view name, JsonValue inner,
                                    const JsonPath& there) {
                                if (name == "unschedulable") {
                                  return Decode(inner, there,
                                                &out->unschedulable);
                                }
                                if (name == "taints")
                                  return Decode(inner, there, &out->taints);
                                return absl::OkStatus();
                              });
        }
        if (key == "status") {
          return ForEachField(field, where,
                              [out](std::string_view name, JsonValue inner,
                                    const JsonPath& there) {
                                if (name == "allocatable") {
                                  return Decode(inner, there,
                                                &out->allocatable);
                                }
                                if (name == "images")
                                  return Decode(inner, there, &out->images);
                                return absl::OkStatus();
                              });
        }
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return Required(path.Field("metadata"), "name", out->meta.name);
}

namespace {

// Objects of which only the metadata and spec.selector matter.
template <typename T>
absl::Status DecodeSelecting(JsonValue value, const JsonPath& path, T* out) {
  absl::Status status = ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "metadata") return Decode(field, where, &out->meta);
        if (key != "spec") return absl::OkStatus();
        return ForEachField(field, where,
                            [out](std::string_view name, JsonValue inner,
                                  const JsonPath& there) {
                              return name == "selector"
                                         ? Decode(inner, there, &out->selector)
                                         : absl::OkStatus();
                            });
      });
  if (!status.ok()) return status;
  return Required(path.Field("metadata"), "name", out->meta.name);
}

}  // namespace

absl::Status Decode(JsonValue value, const JsonPath& path, Namespace* out) {
  absl::Status status = ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        return key == "metadata" ? Decode(field, where, &out->meta)
                                 : absl::OkStatus();
      });
  if (!status.ok()) return status;
  return Required(path.Field("metadata"), "name", out->meta.name);
}

absl::Status Decode(JsonValue value, const JsonPath& path, Service* out) {
  return DecodeSelecting(value, path, out);
}
absl::Status Decode(JsonValue value, const JsonPath& path,
                    ReplicationController* out) {
  return DecodeSelecting(value, path, out);
}
absl::Status Decode(JsonValue value, const JsonPath& path, ReplicaSet* out) {
  return DecodeSelecting(value, path, out);
}
absl::Status Decode(JsonValue value, const JsonPath& path, StatefulSet* out) {
  return DecodeSelecting(value, path, out);
}

}  // namespace vicinal
