#include "core/model/decode.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "core/model/field_error.h"

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
  return DecodeFields(value, path, JsonField{"key", &out->key},
                      JsonField{"operator", &out->op},
                      JsonField{"values", &out->values});
}

absl::Status Decode(JsonValue value, const JsonPath& path, LabelSelector* out) {
  return DecodeFields(value, path, JsonField{"matchLabels", &out->match_labels},
                      JsonField{"matchExpressions", &out->match_expressions});
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    NodeSelectorRequirement* out) {
  return DecodeFields(value, path, JsonField{"key", &out->key},
                      JsonField{"operator", &out->op},
                      JsonField{"values", &out->values});
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    NodeSelectorTerm* out) {
  return DecodeFields(value, path,
                      JsonField{"matchExpressions", &out->match_expressions},
                      JsonField{"matchFields", &out->match_fields});
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    PreferredSchedulingTerm* out) {
  return DecodeFields(value, path, JsonField{"weight", &out->weight},
                      JsonField{"preference", &out->preference});
}

absl::Status Decode(JsonValue value, const JsonPath& path, NodeAffinity* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "requiredDuringSchedulingIgnoredDuringExecution") {
          if (IsNull(field)) return absl::OkStatus();
          NodeSelector& terms = out->required.emplace();
          return DecodeFields(field, where,
                              JsonField{"nodeSelectorTerms", &terms});
        }
        if (key == "preferredDuringSchedulingIgnoredDuringExecution") {
          return Decode(field, where, &out->preferred);
        }
        return absl::OkStatus();
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    PodAffinityTerm* out) {
  absl::Status status = DecodeFields(
      value, path, JsonField{"labelSelector", &out->label_selector},
      JsonField{"namespaces", &out->namespaces},
      JsonField{"namespaceSelector", &out->namespace_selector},
      JsonField{"topologyKey", &out->topology_key},
      JsonField{"matchLabelKeys", &out->match_label_keys},
      JsonField{"mismatchLabelKeys", &out->mismatch_label_keys});
  if (!status.ok()) return status;
  return Required(path, "topologyKey", out->topology_key);
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    WeightedPodAffinityTerm* out) {
  return DecodeFields(value, path, JsonField{"weight", &out->weight},
                      JsonField{"podAffinityTerm", &out->term});
}

absl::Status Decode(JsonValue value, const JsonPath& path, PodAffinity* out) {
  return DecodeFields(
      value, path,
      JsonField{"requiredDuringSchedulingIgnoredDuringExecution",
                &out->required},
      JsonField{"preferredDuringSchedulingIgnoredDuringExecution",
                &out->preferred});
}

absl::Status Decode(JsonValue value, const JsonPath& path, Affinity* out) {
  return DecodeFields(value, path,
                      JsonField{"nodeAffinity", &out->node_affinity},
                      JsonField{"podAffinity", &out->pod_affinity},
                      JsonField{"podAntiAffinity", &out->pod_anti_affinity});
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    TopologySpreadConstraint* out) {
  absl::Status status =
      DecodeFields(value, path, JsonField{"maxSkew", &out->max_skew},
                   JsonField{"topologyKey", &out->topology_key},
                   JsonField{"whenUnsatisfiable", &out->when_unsatisfiable},
                   JsonField{"labelSelector", &out->label_selector},
                   JsonField{"minDomains", &out->min_domains},
                   JsonField{"nodeAffinityPolicy", &out->node_affinity_policy},
                   JsonField{"nodeTaintsPolicy", &out->node_taints_policy},
                   JsonField{"matchLabelKeys", &out->match_label_keys});
  if (!status.ok()) return status;
  status = Required(path, "topologyKey", out->topology_key);
  if (!status.ok()) return status;
  return Required(path, "whenUnsatisfiable", out->when_unsatisfiable);
}

absl::Status Decode(JsonValue value, const JsonPath& path, Taint* out) {
  return DecodeFields(value, path, JsonField{"key", &out->key},
                      JsonField{"value", &out->value},
                      JsonField{"effect", &out->effect});
}

absl::Status Decode(JsonValue value, const JsonPath& path, Toleration* out) {
  return DecodeFields(
      value, path, JsonField{"key", &out->key}, JsonField{"operator", &out->op},
      JsonField{"value", &out->value}, JsonField{"effect", &out->effect});
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    OwnerReference* out) {
  return DecodeFields(value, path, JsonField{"apiVersion", &out->api_version},
                      JsonField{"kind", &out->kind},
                      JsonField{"name", &out->name},
                      JsonField{"controller", &out->controller});
}

static absl::Status DecodeMeta(JsonValue value, const JsonPath& path,
                               ObjectMeta* out, const auto&... more) {
  return DecodeFields(
      value, path, JsonField{"name", &out->name},
      JsonField{"namespace", &out->namespace_name}, JsonField{"uid", &out->uid},
      JsonField{"labels", &out->labels},
      JsonField{"ownerReferences", &out->owner_references},
      JsonField{"deletionTimestamp", &out->deletion_timestamp}, more...);
}

absl::Status Decode(JsonValue value, const JsonPath& path, ObjectMeta* out) {
  return DecodeMeta(value, path, out);
}

namespace {

// v1.ResourceRequirements, of which only the requests matter.
absl::Status DecodeRequests(JsonValue value, const JsonPath& path, auto* out) {
  return DecodeFields(value, path, JsonField{"requests", out});
}

absl::Status DecodeStatusResources(JsonValue value, const JsonPath& path,
                                   std::optional<ResourceRequirements>* out) {
  if (IsNull(value)) return absl::OkStatus();
  return DecodeRequests(value, path, &out->emplace().requests);
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
          return DecodeStatusResources(field, where, &out->resources);
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

}  // namespace

// Static, not in the unnamed namespace, where argument-dependent lookup from
// DecodeFields would not see it.
static absl::Status Decode(JsonValue value, const JsonPath& path,
                           PodSpec* out) {
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

namespace {

struct PodCondition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  std::string last_probe_time;
  std::string last_transition_time;
};

// Never 0.
std::uint64_t FingerprintOf(const PodCondition& condition) {
  const std::size_t hash = std::hash<std::string>()(absl::StrCat(
      condition.reason, "\n", condition.message, "\n",
      condition.last_probe_time, "\n", condition.last_transition_time));
  return hash == 0 ? 1 : hash;
}

// A metav1.Time, in seconds since 1970; what is less than a second is dropped.
absl::Status DecodeTime(JsonValue value, const JsonPath& path,
                        std::optional<std::int64_t>* out) {
  std::optional<std::string> text;
  absl::Status status = Decode(value, path, &text);
  if (!status.ok() || !text) return status;
  absl::Time time;
  // absl would also take "infinite-future", and white space.
  if (text->empty() || !absl::ascii_isdigit(text->front()) ||
      !absl::ascii_isalnum(text->back()) ||
      !absl::ParseTime(absl::RFC3339_full, *text, &time, nullptr)) {
    return FieldError(path, "must be an RFC 3339 time, got " + Quoted(*text));
  }
  *out = absl::ToUnixSeconds(time);
  return absl::OkStatus();
}

}  // namespace

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           PodCondition* out) {
  return DecodeFields(
      value, path, JsonField{"type", &out->type},
      JsonField{"status", &out->status}, JsonField{"reason", &out->reason},
      JsonField{"message", &out->message},
      JsonField{"lastProbeTime", &out->last_probe_time},
      JsonField{"lastTransitionTime", &out->last_transition_time});
}

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           PodStatus* out) {
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
        if (key == "startTime") {
          return DecodeTime(field, where, &out->start_time);
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
          return DecodeStatusResources(field, where, &out->resources);
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
                if (condition.type == "PodScheduled") {
                  out->scheduling_failure = condition.status == "False"
                                                ? FingerprintOf(condition)
                                                : 0;
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

// The metadata of a pod, whose version matters.
struct PodMeta {
  Pod* pod;
};

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           PodMeta* out) {
  std::string version;
  absl::Status status = DecodeMeta(value, path, &out->pod->meta,
                                   JsonField{"resourceVersion", &version});
  // Kubernetes 1.35 promises decimal numbers; other texts have no order.
  const char* const end = version.data() + version.size();
  std::uint64_t number = 0;
  const auto [last, error] = std::from_chars(version.data(), end, number);
  if (error == std::errc() && last == end) out->pod->resource_version = number;
  return status;
}

absl::Status Decode(JsonValue value, const JsonPath& path, Pod* out) {
  PodMeta meta{out};
  return DecodeFields(value, path, JsonField{"metadata", &meta},
                      JsonField{"spec", &out->spec},
                      JsonField{"status", &out->status});
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    ContainerImage* out) {
  return DecodeFields(value, path, JsonField{"names", &out->names},
                      JsonField{"sizeBytes", &out->size_bytes});
}

absl::Status Decode(JsonValue value, const JsonPath& path, Node* out) {
  absl::Status status = ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "metadata") return Decode(field, where, &out->meta);
        if (key == "spec") {
          return DecodeFields(field, where,
                              JsonField{"unschedulable", &out->unschedulable},
                              JsonField{"taints", &out->taints});
        }
        if (key == "status") {
          return DecodeFields(field, where,
                              JsonField{"allocatable", &out->allocatable},
                              JsonField{"images", &out->images});
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
        return DecodeFields(field, where,
                            JsonField{"selector", &out->selector});
      });
  if (!status.ok()) return status;
  return Required(path.Field("metadata"), "name", out->meta.name);
}

}  // namespace

absl::Status Decode(JsonValue value, const JsonPath& path, Namespace* out) {
  absl::Status status =
      DecodeFields(value, path, JsonField{"metadata", &out->meta});
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
