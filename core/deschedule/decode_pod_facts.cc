#include "core/deschedule/decode_pod_facts.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/decode.h"
#include "core/model/decode_time.h"
#include "core/model/quantity.h"

namespace vicinal {

// Not in the unnamed namespace, where the templates of json.h would not find
// them.
struct ContainerLimits {
  ResourceList requests;
  ResourceList limits;
};

struct EvictedVolume {
  bool local = false;
  bool pvc = false;
};

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           ContainerLimits* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key != "resources") return absl::OkStatus();
        return DecodeFields(field, where, JsonField{"requests", &out->requests},
                            JsonField{"limits", &out->limits});
      });
}

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           EvictedVolume* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath&) {
        if (IsNull(field)) return absl::OkStatus();
        out->local |= key == "emptyDir" || key == "hostPath";
        out->pvc |= key == "persistentVolumeClaim";
        return absl::OkStatus();
      });
}

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           ContainerFacts* out) {
  const auto on_terminated = [out](std::string_view key, JsonValue field,
                                   const JsonPath& where) {
    if (key == "reason") return Decode(field, where, &out->terminated_reason);
    if (key != "exitCode") return absl::OkStatus();
    return Decode(field, where, &out->exit_code);
  };
  const auto on_state = [&](std::string_view key, JsonValue field,
                            const JsonPath& where) {
    if (key == "waiting") {
      return DecodeFields(field, where,
                          JsonField{"reason", &out->waiting_reason});
    }
    if (key != "terminated" || IsNull(field)) return absl::OkStatus();
    out->exit_code = 0;
    return ForEachField(field, where, on_terminated);
  };
  return ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "restartCount") return Decode(field, where, &out->restarts);
        if (key != "state") return absl::OkStatus();
        return ForEachField(field, where, on_state);
      });
}

static absl::Status Decode(JsonValue value, const JsonPath& path,
                           ConditionFacts* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "type") return Decode(field, where, &out->type);
        if (key == "status") return Decode(field, where, &out->status);
        if (key == "reason") return Decode(field, where, &out->reason);
        if (key != "lastTransitionTime") return absl::OkStatus();
        return DecodeTime(field, where, &out->last_transition);
      });
}

namespace {

absl::Status DecodeContainers(JsonValue value, const JsonPath& path,
                              ContainerFacts::Kind kind, PodStatusFacts* out) {
  return ForEachElement(
      value, path, [&](JsonValue element, const JsonPath& where) {
        ContainerFacts& facts = out->containers.emplace_back();
        facts.kind = kind;
        return Decode(element, where, &facts);
      });
}

absl::Status DecodeStatus(JsonValue value, const JsonPath& path,
                          std::string* qos_class, PodStatusFacts* out) {
  return ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        using Kind = ContainerFacts::Kind;
        if (key == "qosClass") return Decode(field, where, qos_class);
        if (key == "phase") return Decode(field, where, &out->phase);
        if (key == "reason") return Decode(field, where, &out->reason);
        if (key == "conditions") return Decode(field, where, &out->conditions);
        if (key == "containerStatuses") {
          return DecodeContainers(field, where, Kind::kMain, out);
        }
        if (key == "initContainerStatuses") {
          return DecodeContainers(field, where, Kind::kInit, out);
        }
        if (key == "ephemeralContainerStatuses") {
          return DecodeContainers(field, where, Kind::kEphemeral, out);
        }
        return absl::OkStatus();
      });
}

absl::Status DecodeAnnotations(JsonValue value, const JsonPath& path,
                               PodFacts* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "kubernetes.io/config.mirror") out->mirror = true;
        if (key == "descheduler.alpha.kubernetes.io/evict") {
          out->evict_annotation = true;
        }
        if (key == "descheduler.alpha.kubernetes.io/prefer-no-eviction") {
          out->prefer_no_eviction = true;
        }
        if (key != "kubernetes.io/config.source") return absl::OkStatus();
        std::string source;
        absl::Status status = Decode(field, where, &source);
        out->is_static = source != "api";
        return status;
      });
}

struct Spec {
  std::vector<ContainerLimits> containers;
  std::vector<EvictedVolume> volumes;
  bool resource_claims = false;
};

absl::Status DecodeSpec(JsonValue value, const JsonPath& path, Spec* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "containers" || key == "initContainers") {
          std::vector<ContainerLimits> containers;
          absl::Status status = Decode(field, where, &containers);
          out->containers.insert(out->containers.end(), containers.begin(),
                                 containers.end());
          return status;
        }
        if (key == "volumes") return Decode(field, where, &out->volumes);
        if (key != "resourceClaims") return absl::OkStatus();
        return ForEachElement(field, where, [out](JsonValue, const JsonPath&) {
          out->resource_claims = true;
          return absl::OkStatus();
        });
      });
}

// Source: ComputePodQOS in pkg/apis/core/v1/helper/qos/qos.go.
QosClass QosOf(const std::vector<ContainerLimits>& containers) {
  bool any = false;
  bool guaranteed = !containers.empty();
  for (const ContainerLimits& container : containers) {
    for (const char* name : {"cpu", "memory"}) {
      const auto limit = container.limits.find(name);
      const auto request = container.requests.find(name);
      const bool has_limit =
          limit != container.limits.end() && !limit->second.IsZero();
      const bool has_request =
          request != container.requests.end() && !request->second.IsZero();
      any |= has_limit || has_request;
      // The API server sets a request that is not there to the limit.
      guaranteed &=
          has_limit && (!has_request || request->second == limit->second);
    }
  }
  if (!any) return QosClass::kBestEffort;
  return guaranteed ? QosClass::kGuaranteed : QosClass::kBurstable;
}

}  // namespace

absl::Status Decode(JsonValue value, const JsonPath& path, PodFacts* out) {
  Spec spec;
  std::string qos_class;
  PodStatusFacts of_status;
  const auto on_metadata = [&](std::string_view key, JsonValue field,
                               const JsonPath& where) {
    if (key == "annotations") return DecodeAnnotations(field, where, out);
    if (key != "creationTimestamp") return absl::OkStatus();
    return DecodeTime(field, where, &of_status.creation_time);
  };
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "spec") return DecodeSpec(field, where, &spec);
        if (key == "metadata") return ForEachField(field, where, on_metadata);
        if (key != "status") return absl::OkStatus();
        return DecodeStatus(field, where, &qos_class, &of_status);
      });
  if (!status.ok()) return status;
  for (const EvictedVolume& volume : spec.volumes) {
    out->local_storage |= volume.local;
    out->pvc |= volume.pvc;
  }
  out->resource_claims = spec.resource_claims;
  if (of_status != PodStatusFacts()) {
    out->status = std::make_shared<const PodStatusFacts>(std::move(of_status));
  }
  if (qos_class == "BestEffort") {
    out->qos = QosClass::kBestEffort;
  } else if (qos_class == "Burstable") {
    out->qos = QosClass::kBurstable;
  } else if (qos_class == "Guaranteed") {
    out->qos = QosClass::kGuaranteed;
  } else {
    out->qos = QosOf(spec.containers);
  }
  return absl::OkStatus();
}

}  // namespace vicinal
