#include "core/simulate/decode_workload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/deschedule/decode_pod_facts.h"
#include "core/model/decode.h"

namespace vicinal {

// Static, not in the unnamed namespace, where argument-dependent lookup from
// DecodeFields would not see it.
static absl::Status Decode(JsonValue value, const JsonPath& path,
                           IntOrPercent* out) {
  if (IsNull(value)) return absl::OkStatus();
  std::string_view text;
  if (value.get_string().get(text) != simdjson::SUCCESS) {
    out->is_percent = false;
    return Decode(value, path, &out->value);
  }
  out->is_percent = true;
  const std::string number(text.substr(0, text.find('%')));
  if (number.size() + 1 != text.size() ||
      !absl::SimpleAtoi(number, &out->value) || out->value < 0) {
    return FieldError(path, absl::StrCat("must be a number or a percentage, "
                                         "got \"",
                                         std::string(text), "\""));
  }
  return absl::OkStatus();
}

namespace {

// What there is in a manifest beside the fields of Workload.
struct Spec {
  std::optional<std::int64_t> replicas;
  std::optional<std::int64_t> parallelism;
  std::optional<LabelSelector> selector;
  std::optional<Labels> plain_selector;  // Of a ReplicationController.
  bool has_template = false;
  bool has_claims = false;  // volumeClaimTemplates of a StatefulSet.
};

// domain.memory.guest and domain.cpu of a virtual machine.
struct Domain {
  ResourceList requests;
  std::optional<Quantity> guest_memory;
  std::int64_t cores = 1;
  std::int64_t sockets = 1;
  std::int64_t threads = 1;
  bool has_cpu = false;
};

absl::Status DecodeDomain(JsonValue value, const JsonPath& path, Domain* out) {
  return ForEachField(
      value, path,
      [out](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "resources") {
          return DecodeFields(field, where,
                              JsonField{"requests", &out->requests});
        }
        if (key == "memory") {
          return DecodeFields(field, where,
                              JsonField{"guest", &out->guest_memory});
        }
        if (key == "cpu") {
          out->has_cpu = true;
          return DecodeFields(field, where, JsonField{"cores", &out->cores},
                              JsonField{"sockets", &out->sockets},
                              JsonField{"threads", &out->threads});
        }
        return absl::OkStatus();
      });
}

// The container that stands for the virtual machine in its launcher pod. CPUs
// without requests count a tenth (cpuAllocationRatio 10).
// Source: kubevirt.io/kubevirt/pkg/virt-controller/services/renderresources.go.
Container LauncherContainer(const Domain& domain) {
  Container compute;
  compute.name = "compute";
  compute.requests = domain.requests;
  if (!compute.requests.contains("cpu") && domain.has_cpu) {
    compute.requests["cpu"] = Quantity::FromMilliValue(
        domain.cores * domain.sockets * domain.threads * 100);
  }
  if (!compute.requests.contains("memory") && domain.guest_memory) {
    compute.requests["memory"] = *domain.guest_memory;
  }
  return compute;
}

// A virtual machine's spec has the scheduling fields of a pod's; what it runs
// on is spec.domain.
absl::Status DecodeMachine(JsonValue value, const JsonPath& path, Pod* out) {
  Domain domain;
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key != "spec") return absl::OkStatus();
        return ForEachField(
            field, where,
            [&](std::string_view name, JsonValue inner, const JsonPath& there) {
              return name == "domain" ? DecodeDomain(inner, there, &domain)
                                      : absl::OkStatus();
            });
      });
  out->spec.containers = {LauncherContainer(domain)};
  out->meta.labels.Set("kubevirt.io", "virt-launcher");
  return status;
}

// Each decoder must see the template whole, one after the other.
absl::Status DecodeTemplate(JsonValue value, const JsonPath& path,
                            Workload* out) {
  std::string_view json;
  simdjson::ondemand::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) {
    return TypeError(path, "an object", value);
  }
  if (const auto error = object.raw_json().get(json)) {
    return SyntaxError(path, error);
  }
  JsonReader reader;
  const simdjson::padded_string copy(json);
  absl::Status status = reader.ReadWith(copy, [&](JsonValue root) {
    return Decode(root, path, &out->pod_template);
  });
  if (!status.ok()) return status;
  status = reader.ReadWith(copy, [&](JsonValue root) {
    return Decode(root, path, &out->pod_facts);
  });
  if (!status.ok() ||
      out->kind != WorkloadKind::kVirtualMachineInstanceReplicaSet) {
    return status;
  }
  return reader.ReadWith(copy, [&](JsonValue root) {
    return DecodeMachine(root, path, &out->pod_template);
  });
}

absl::Status DecodeStrategy(JsonValue value, const JsonPath& path,
                            Workload* out) {
  std::string type;
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "type") return Decode(field, where, &type);
        if (key != "rollingUpdate") return absl::OkStatus();
        return DecodeFields(field, where,
                            JsonField{"maxSurge", &out->max_surge},
                            JsonField{"maxUnavailable", &out->max_unavailable});
      });
  out->recreate = type == "Recreate";
  out->on_delete = type == "OnDelete";
  if (status.ok() && !type.empty() && type != "RollingUpdate" &&
      !out->recreate && !out->on_delete) {
    return FieldError(path.Field("type"),
                      absl::StrCat("must be RollingUpdate, Recreate or "
                                   "OnDelete, got \"",
                                   type, "\""));
  }
  return status;
}

absl::Status DecodeSpec(JsonValue value, const JsonPath& path, Workload* out,
                        Spec& spec) {
  return ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "replicas") return Decode(field, where, &spec.replicas);
        if (key == "parallelism") {
          return Decode(field, where, &spec.parallelism);
        }
        if (key == "completions") {
          return Decode(field, where, &out->completions);
        }
        if (key == "suspend") return Decode(field, where, &out->suspended);
        if (key == "selector") {
          return out->kind == WorkloadKind::kReplicationController
                     ? Decode(field, where, &spec.plain_selector)
                     : Decode(field, where, &spec.selector);
        }
        if (key == "strategy" || key == "updateStrategy") {
          return DecodeStrategy(field, where, out);
        }
        if (key == "podManagementPolicy") {
          std::string policy;
          absl::Status status = Decode(field, where, &policy);
          out->parallel = policy == "Parallel";
          return status;
        }
        if (key == "template" && out->kind != WorkloadKind::kCronJob) {
          spec.has_template = true;
          return DecodeTemplate(field, where, out);
        }
        if (key == "volumeClaimTemplates") {
          return ForEachElement(field, where,
                                [&spec](JsonValue, const JsonPath&) {
                                  spec.has_claims = true;
                                  return absl::OkStatus();
                                });
        }
        if (key == "jobTemplate" && out->kind == WorkloadKind::kCronJob) {
          return ForEachField(field, where,
                              [&](std::string_view name, JsonValue inner,
                                  const JsonPath& there) {
                                if (name != "spec") return absl::OkStatus();
                                Workload job;
                                job.kind = WorkloadKind::kJob;
                                absl::Status status =
                                    DecodeSpec(inner, there, &job, spec);
                                out->completions = job.completions;
                                out->pod_template = std::move(job.pod_template);
                                out->pod_facts = job.pod_facts;
                                return status;
                              });
        }
        return absl::OkStatus();
      });
}

// What an API server fills in or refuses.
absl::Status Complete(const JsonPath& path, const Spec& spec, Workload* out) {
  const JsonPath spec_path = path.Field("spec");
  if (out->meta.name.empty()) {
    const JsonPath meta_path = path.Field("metadata");
    return FieldError(meta_path.Field("name"), "required");
  }
  if (!spec.has_template) {
    const bool is_cron_job = out->kind == WorkloadKind::kCronJob;
    return FieldError(spec_path.Field(is_cron_job ? "jobTemplate" : "template"),
                      "required");
  }
  out->pod_facts.pvc |= spec.has_claims;
  if (out->meta.namespace_name.empty()) out->meta.namespace_name = "default";
  std::string& scheduler = out->pod_template.spec.scheduler_name;
  if (scheduler.empty()) scheduler = "default-scheduler";
  const bool is_job =
      out->kind == WorkloadKind::kJob || out->kind == WorkloadKind::kCronJob;
  out->replicas = (is_job ? spec.parallelism : spec.replicas).value_or(1);
  if (out->replicas < 0) {
    return FieldError(
        spec_path.Field(is_job ? "parallelism" : "replicas"),
        absl::StrCat("must not be negative, got ", out->replicas));
  }
  if (spec.selector) {
    out->selector = *spec.selector;
  } else if (spec.plain_selector) {
    out->selector.match_labels = *spec.plain_selector;
  } else if (is_job || out->kind == WorkloadKind::kReplicationController) {
    out->selector.match_labels = out->pod_template.meta.labels;
  } else {
    return FieldError(spec_path.Field("selector"), "required");
  }
  const absl::StatusOr<Selector> selector = AsSelector(out->selector);
  if (!selector.ok()) {
    return FieldError(spec_path.Field("selector"),
                      std::string(selector.status().message()));
  }
  if (!is_job && !selector->Matches(out->pod_template.meta.labels)) {
    return FieldError(
        spec_path.Field("selector"),
        "does not match the template's labels; the API server refuses that");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status DecodeWorkload(JsonValue value, const JsonPath& path,
                            WorkloadKind kind, Workload* out) {
  *out = Workload();
  out->kind = kind;
  // A DaemonSet's defaults differ.
  if (kind == WorkloadKind::kDaemonSet) {
    out->max_surge = {0, false};
    out->max_unavailable = {1, false};
  }
  Spec spec;
  absl::Status status = ForEachField(
      value, path,
      [&](std::string_view key, JsonValue field, const JsonPath& where) {
        if (key == "metadata") return Decode(field, where, &out->meta);
        if (key == "spec") return DecodeSpec(field, where, out, spec);
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return Complete(path, spec, out);
}

}  // namespace vicinal
