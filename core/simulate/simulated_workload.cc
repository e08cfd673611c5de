#include "core/simulate/simulated_workload.h"

#include <array>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace vicinal {
namespace {

struct KindNames {
  WorkloadKind kind;
  std::string_view api_version;
  std::string_view name;
  std::string_view short_name;
};

constexpr std::array<KindNames, 8> kKinds = {{
    {WorkloadKind::kDeployment, "apps/v1", "Deployment", "deploy"},
    {WorkloadKind::kReplicaSet, "apps/v1", "ReplicaSet", "rs"},
    {WorkloadKind::kReplicationController, "v1", "ReplicationController", "rc"},
    {WorkloadKind::kStatefulSet, "apps/v1", "StatefulSet", "sts"},
    {WorkloadKind::kDaemonSet, "apps/v1", "DaemonSet", "ds"},
    {WorkloadKind::kJob, "batch/v1", "Job", "job"},
    {WorkloadKind::kCronJob, "batch/v1", "CronJob", "cj"},
    {WorkloadKind::kVirtualMachineInstanceReplicaSet, "kubevirt.io/v1",
     "VirtualMachineInstanceReplicaSet", "vmirs"},
}};

const KindNames& NamesOf(WorkloadKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string_view NameOf(WorkloadKind kind) { return NamesOf(kind).name; }

std::string_view ApiVersionOf(WorkloadKind kind) {
  return NamesOf(kind).api_version;
}

std::optional<WorkloadKind> WorkloadKindOf(std::string_view api_version,
                                           std::string_view kind) {
  for (const KindNames& names : kKinds) {
    if (names.name != kind) continue;
    if (api_version.empty() || api_version == names.api_version) {
      return names.kind;
    }
    // KubeVirt has had several versions of one shape.
    if (names.kind == WorkloadKind::kVirtualMachineInstanceReplicaSet &&
        api_version.starts_with("kubevirt.io/")) {
      return names.kind;
    }
  }
  return std::nullopt;
}

std::optional<WorkloadKind> WorkloadKindFromWord(std::string_view word) {
  // `deployment.apps` is what kubectl prints.
  const std::string lower =
      absl::AsciiStrToLower(std::string(word.substr(0, word.find('.'))));
  for (const KindNames& names : kKinds) {
    const std::string name = absl::AsciiStrToLower(std::string(names.name));
    if (lower == name || lower == name + "s" || lower == names.short_name) {
      return names.kind;
    }
  }
  return std::nullopt;
}

std::int64_t IntOrPercent::Of(std::int64_t total, bool round_up) const {
  if (!is_percent) return value;
  return (value * total + (round_up ? 99 : 0)) / 100;
}

std::string Describe(const Workload& workload) {
  return absl::StrCat(absl::AsciiStrToLower(std::string(NameOf(workload.kind))),
                      "/", workload.meta.name, " in namespace ",
                      workload.meta.namespace_name);
}

}  // namespace vicinal
