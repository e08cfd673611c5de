#include "core/model/decode.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "core/model/decode_rules.h"
#include "core/model/decode_time.h"
#include "core/model/field_error.h"
#include "core/model/fields.h"

namespace vicinal {

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

namespace {

// Reads the field `key`, if the object has such a one.
template <HasFields T>
absl::Status DecodeField(std::string_view key, JsonValue value,
                         const JsonPath& path, T& object) {
  absl::Status status;
  bool found = false;
  VisitFields(object, [&](std::string_view name, int, auto&& member) {
    if (found || name != key) return;
    found = true;
    status = Decode(value, path, &member);
  });
  return status;
}

template <HasFields T>
absl::Status DecodeObject(JsonValue value, const JsonPath& path, T& object) {
  return ForEachField(
      value, path,
      [&object](std::string_view key, JsonValue field, const JsonPath& where) {
        return DecodeField(key, field, where, object);
      });
}

absl::Status DecodeNamed(JsonValue value, const JsonPath& path, auto* out) {
  absl::Status status = DecodeObject(value, path, *out);
  if (!status.ok()) return status;
  return Required(path.Field("metadata"), "name", out->meta.name);
}

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

// Those below are not in the unnamed namespace, where argument-dependent lookup
// from the templates would not see them.

template <HasFields T>
static absl::Status Decode(JsonValue value, const JsonPath& path, T* out) {
  return DecodeObject(value, path, *out);
}

template <typename Terms>
static absl::Status Decode(JsonValue value, const JsonPath& path,
                           NodeSelectorField<Terms>* out) {
  if (IsNull(value)) return absl::OkStatus();
  return DecodeFields(value, path,
                      JsonField{"nodeSelectorTerms", &out->terms.emplace()});
}

template <typename Seconds>
static absl::Status Decode(JsonValue value, const JsonPath& path,
                           TimeField<Seconds>* out) {
  return DecodeTime(value, path, &out->seconds);
}

template <typename Text>
static absl::Status Decode(JsonValue value, const JsonPath& path,
                           TimeTextField<Text>* out) {
  return Decode(value, path, &out->text);
}

template <typename Texts>
static absl::Status Decode(JsonValue value, const JsonPath& path,
                           TimeTextsField<Texts>* out) {
  return Decode(value, path, &out->texts);
}

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           PodCondition* out) {
  return DecodeFields(
      value, path, JsonField{"type", &out->type},
      JsonField{"status", &out->status}, JsonField{"reason", &out->reason},
      JsonField{"message", &out->message},
      JsonField{"lastProbeTime", &out->last_probe_time},
      JsonField{"lastTransitionTime", &out->last_transition_time});
}

static absl::Status DecodeConditions(JsonValue value, const JsonPath& path,
                                     PodStatus* out) {
  ConditionsReader conditions(*out);
  return ForEachElement(
      value, path, [&](JsonValue element, const JsonPath& where) {
        PodCondition condition;
        absl::Status decoded = Decode(element, where, &condition);
        conditions.Add(condition);
        return decoded;
      });
}

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           PodAffinityTerm* out) {
  absl::Status status = DecodeObject(value, path, *out);
  if (!status.ok()) return status;
  return Required(path, "topologyKey", out->topology_key);
}

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           PodSpec* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key != "volumes") return DecodeField(key, field, where, *out);
        return ForEachElement(
            field, where, [out](JsonValue volume, const JsonPath& there) {
              return DecodeImageVolume(volume, there, &out->image_volumes);
            });
      });
}

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           PodStatus* out) {
  // The kubelet's two lists are searched one after the other, so that the
  // order of the fields in the text must not matter.
  std::vector<ContainerStatus> init_container_statuses;
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "initContainerStatuses") {
          return Decode(field, where, &init_container_statuses);
        }
        if (key == "conditions") return DecodeConditions(field, where, out);
        return DecodeField(key, field, where, *out);
      });
  AppendInitContainers(std::move(init_container_statuses), *out);
  return status;
}

absl::Status Decode(JsonValue value, const JsonPath& path, LabelSelector* out) {
  return DecodeObject(value, path, *out);
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    NodeSelectorTerm* out) {
  return DecodeObject(value, path, *out);
}

absl::Status Decode(JsonValue value, const JsonPath& path, NodeAffinity* out) {
  return DecodeObject(value, path, *out);
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    TopologySpreadConstraint* out) {
  absl::Status status = DecodeObject(value, path, *out);
  if (!status.ok()) return status;
  status = Required(path, "topologyKey", out->topology_key);
  if (!status.ok()) return status;
  return Required(path, "whenUnsatisfiable", out->when_unsatisfiable);
}

absl::Status Decode(JsonValue value, const JsonPath& path, ObjectMeta* out) {
  return DecodeObject(value, path, *out);
}

// The metadata of a pod, whose version matters.
static absl::Status DecodePodMeta(JsonValue value, const JsonPath& path,
                                  Pod* out) {
  std::string version;
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        return key == "resourceVersion"
                   ? Decode(field, where, &version)
                   : DecodeField(key, field, where, out->meta);
      });
  if (!version.empty()) out->resource_version = ResourceVersionNumber(version);
  return status;
}

absl::Status Decode(JsonValue value, const JsonPath& path, Pod* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        return key == "metadata" ? DecodePodMeta(field, where, out)
                                 : DecodeField(key, field, where, *out);
      });
}

absl::Status Decode(JsonValue value, const JsonPath& path, Node* out) {
  return DecodeNamed(value, path, out);
}

absl::Status Decode(JsonValue value, const JsonPath& path, Namespace* out) {
  return DecodeNamed(value, path, out);
}

absl::Status Decode(JsonValue value, const JsonPath& path, Service* out) {
  return DecodeNamed(value, path, out);
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    ReplicationController* out) {
  return DecodeNamed(value, path, out);
}

absl::Status Decode(JsonValue value, const JsonPath& path, ReplicaSet* out) {
  return DecodeNamed(value, path, out);
}

absl::Status Decode(JsonValue value, const JsonPath& path, StatefulSet* out) {
  return DecodeNamed(value, path, out);
}

absl::Status Decode(JsonValue value, const JsonPath& path,
                    PodDisruptionBudget* out) {
  return DecodeNamed(value, path, out);
}

}  // namespace vicinal
