#include "test/bench/generated_cluster.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <numeric>
#include <utility>

#include "core/model/quantity.h"

namespace vicinal {
namespace {

// A number that looks random and is the same every time (splitmix64).
std::uint64_t Scrambled(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

template <typename... Arguments>
std::string Format(const char* format, Arguments... arguments) {
  char text[256];
  std::snprintf(text, sizeof text, format, arguments...);
  return text;
}

std::string Uid(std::uint64_t seed) {
  const std::uint64_t a = Scrambled(seed), b = Scrambled(a);
  return Format(
      "%08" PRIx64 "-%04" PRIx64 "-4%03" PRIx64 "-8%03" PRIx64 "-%012" PRIx64,
      a >> 32, (a >> 16) & 0xffff, a & 0xfff, b >> 52, b & 0xffffffffffff);
}

enum class Shape { kDeployment, kStatefulSet, kJob };
enum class Rule { kNone, kRequiredAnti, kPreferredAnti, kRequired, kSpread };

struct Workload {
  std::int64_t number;

  Shape shape() const {
    const std::int64_t kind = number % 20;
    if (kind < 12) return Shape::kDeployment;
    return kind < 16 ? Shape::kStatefulSet : Shape::kJob;
  }
  Rule rule() const {
    switch (number % 20) {
      case 0:
      case 12:  // A StatefulSet.
        return Rule::kRequiredAnti;
      case 1:
      case 13:
        return Rule::kPreferredAnti;
      case 2:
        return Rule::kRequired;
      case 3:
      case 16:  // A Job.
        return Rule::kSpread;
      default:
        return Rule::kNone;
    }
  }
  std::string NamespaceName() const {
    return Format("team-%03" PRId64,
                  number / 20 % GeneratedCluster::kNamespaces);
  }
  std::string App() const { return Format("app-%06" PRId64, number); }
  std::string Hash() const {
    return Format("%09" PRIx64,
                  Scrambled(static_cast<std::uint64_t>(number)) & 0xfffffffff);
  }
  std::string ControllerUid() const {
    return Uid(static_cast<std::uint64_t>(number) + (1ull << 40));
  }
};

LabelSelector OfApp(const Workload& workload) {
  LabelSelector selector;
  selector.match_labels.Set("app.kubernetes.io/name", workload.App());
  return selector;
}

PodAffinityTerm Term(const Workload& workload, const char* key) {
  PodAffinityTerm term;
  term.label_selector = OfApp(workload);
  term.topology_key = key;
  return term;
}

TopologySpreadConstraint Spread(const Workload& workload, const char* key,
                                std::int32_t max_skew, const char* when) {
  TopologySpreadConstraint constraint;
  constraint.max_skew = max_skew;
  constraint.topology_key = key;
  constraint.when_unsatisfiable = when;
  constraint.label_selector = OfApp(workload);
  return constraint;
}

// A Deployment without rules in the same namespace, for workloads whose rule or
// question needs another one.
Workload Neighbour(const Workload& workload) { return {workload.number + 4}; }

void AddRule(const Workload& workload, PodSpec& spec) {
  switch (workload.rule()) {
    case Rule::kNone:
      return;
    case Rule::kRequiredAnti:
      spec.affinity.emplace().pod_anti_affinity.emplace().required = {
          Term(workload, kHostnameLabel)};
      return;
    case Rule::kPreferredAnti:
      spec.affinity.emplace().pod_anti_affinity.emplace().preferred = {
          {100, Term(workload, kZoneLabel)}};
      return;
    case Rule::kRequired:
      spec.affinity.emplace().pod_affinity.emplace().required = {
          Term(Neighbour(workload), kZoneLabel)};
      return;
    case Rule::kSpread:
      spec.topology_spread_constraints = {
          Spread(workload, kZoneLabel, 5, kDoNotSchedule)};
      return;
  }
}

Container RunningImage(const char* name, std::string image, std::int64_t milli,
                       std::int64_t mebibytes) {
  Container container;
  container.name = name;
  container.image = std::move(image);
  container.requests = {{"cpu", Quantity::FromMilliValue(milli)},
                        {"memory", Quantity::FromValue(mebibytes << 20)}};
  return container;
}

std::vector<Toleration> DefaultTolerations() {
  return {{"node.kubernetes.io/not-ready", "Exists", "", kNoExecute},
          {"node.kubernetes.io/unreachable", "Exists", "", kNoExecute}};
}

std::string NodeName(std::int64_t index) {
  return Format("ip-10-%d-%d-%d.us-west-2.compute.internal",
                static_cast<int>(40 + index / 62500),
                static_cast<int>(index / 250 % 250),
                static_cast<int>(index % 250));
}

// Name, labels and owner as the workload's controller would give them.
ObjectMeta MetaOfPod(const Workload& workload, std::int64_t index,
                     std::int64_t ordinal) {
  const std::string app = workload.App();
  ObjectMeta meta;
  meta.namespace_name = workload.NamespaceName();
  meta.uid = Uid(static_cast<std::uint64_t>(index) + (1ull << 41));
  std::vector<Labels::Entry> labels = {
      {"app.kubernetes.io/name", app},
      {"app.kubernetes.io/instance", app + "-prod"},
      {"app.kubernetes.io/managed-by", "Helm"}};
  // Different for each pod of the workload.
  const std::string suffix = Format(
      "%05" PRIx64, (Scrambled(static_cast<std::uint64_t>(workload.number)) +
                     static_cast<std::uint64_t>(ordinal) * 7919) &
                        0xfffff);
  OwnerReference owner;
  owner.controller = true;
  switch (workload.shape()) {
    case Shape::kDeployment: {
      const std::string hash = workload.Hash();
      meta.name = app + "-" + hash + "-" + suffix;
      owner.api_version = "apps/v1";
      owner.kind = "ReplicaSet";
      owner.name = app + "-" + hash;
      labels.emplace_back("pod-template-hash", hash);
      break;
    }
    case Shape::kStatefulSet:
      meta.name = Format("%s-%" PRId64, app.c_str(), ordinal);
      owner.api_version = "apps/v1";
      owner.kind = "StatefulSet";
      owner.name = app;
      labels.emplace_back("controller-revision-hash",
                          app + "-" + workload.Hash());
      labels.emplace_back("statefulset.kubernetes.io/pod-name", meta.name);
      labels.emplace_back("apps.kubernetes.io/pod-index",
                          Format("%" PRId64, ordinal));
      break;
    case Shape::kJob:
      meta.name =
          Format("%s-%" PRId64 "-%s", app.c_str(), ordinal, suffix.c_str());
      owner.api_version = "batch/v1";
      owner.kind = "Job";
      owner.name = app;
      for (const char* key :
           {"controller-uid", "batch.kubernetes.io/controller-uid"}) {
        labels.emplace_back(key, workload.ControllerUid());
      }
      for (const char* key : {"job-name", "batch.kubernetes.io/job-name"}) {
        labels.emplace_back(key, app);
      }
      labels.emplace_back("batch.kubernetes.io/job-completion-index",
                          Format("%" PRId64, ordinal));
      break;
  }
  meta.labels = Labels(std::move(labels));
  meta.owner_references = {std::move(owner)};
  return meta;
}

}  // namespace

Namespace GeneratedCluster::NamespaceAt(std::int64_t index) const {
  Namespace result;
  result.meta.name = Workload{index * 20}.NamespaceName();
  result.meta.labels.Set("kubernetes.io/metadata.name", result.meta.name);
  return result;
}

Node GeneratedCluster::NodeAt(std::int64_t index) const {
  Node node;
  node.meta.name = NodeName(index);
  node.meta.uid = Uid(static_cast<std::uint64_t>(index) + (1ull << 42));
  const std::int64_t zone = index % kZones;
  node.meta.labels = Labels({
      {"beta.kubernetes.io/arch", "amd64"},
      {"beta.kubernetes.io/os", "linux"},
      {"kubernetes.io/arch", "amd64"},
      {"kubernetes.io/os", "linux"},
      {kHostnameLabel, node.meta.name},
      {kZoneLabel, Format("us-west-2-%02" PRId64, zone)},
      {"topology.kubernetes.io/region", Format("region-%" PRId64, zone / 4)},
      {"node.kubernetes.io/instance-type",
       index % 3 == 0 ? "m6i.16xlarge" : "m6i.12xlarge"},
  });
  node.allocatable = {{"cpu", Quantity::FromValue(64)},
                      {"memory", Quantity::FromValue(256ll << 30)},
                      {"ephemeral-storage", Quantity::FromValue(500ll << 30)},
                      {"pods", Quantity::FromValue(110)}};
  for (std::int64_t i = 0; i < images_; ++i) {
    const std::int64_t app = static_cast<std::int64_t>(
        Scrambled(static_cast<std::uint64_t>(index * images_ + i)) % 5000);
    const std::string repository =
        Format("registry.example.com/apps/app-%06" PRId64, app);
    node.images.push_back(
        {{repository + "@sha256:" + Uid(static_cast<std::uint64_t>(app)),
          repository + ":v1.24.3"},
         200ll << 20});
  }
  return node;
}

Pod GeneratedCluster::PendingPodAt(std::int64_t index) const {
  const Workload workload{index / kPodsPerWorkload};
  Pod pod;
  pod.meta = MetaOfPod(workload, index, index % kPodsPerWorkload);
  pod.spec.scheduler_name = "default-scheduler";
  pod.spec.priority = 0;
  pod.spec.tolerations = DefaultTolerations();
  pod.spec.containers = {
      RunningImage("main",
                   "registry.example.com/apps/" + workload.App() + ":v1.24.3",
                   500, 512),
      RunningImage("istio-proxy", "registry.example.com/istio/proxyv2:1.20.1",
                   100, 128)};
  AddRule(workload, pod.spec);
  pod.status.phase = "Pending";
  return pod;
}

Pod GeneratedCluster::PodAt(std::int64_t index) const {
  Pod pod = PendingPodAt(index);
  // The pods of a workload stand on nodes of their own.
  const std::int64_t first = static_cast<std::int64_t>(
      Scrambled(static_cast<std::uint64_t>(index / kPodsPerWorkload)) %
      static_cast<std::uint64_t>(nodes_));
  // No common divisor with the zones, so that the pods meet all of them.
  std::int64_t stride = std::max<std::int64_t>(1, nodes_ / kPodsPerWorkload);
  while (std::gcd(stride, kZones) != 1) --stride;
  pod.spec.node_name =
      NodeName((first + index % kPodsPerWorkload * stride) % nodes_);
  pod.status.phase = "Running";
  return pod;
}

Pod GeneratedCluster::EverythingPod(std::int64_t index) const {
  // Workloads 0, 20, 40 … are Deployments with required anti-affinity.
  const std::int64_t workloads =
      std::max<std::int64_t>(1, pods_ / kPodsPerWorkload / 20);
  const Workload workload{index % workloads * 20};
  Pod pod = PendingPodAt(workload.number * kPodsPerWorkload);
  pod.meta.name += Format("-incoming-%" PRId64, index);
  pod.meta.uid = Uid(static_cast<std::uint64_t>(index) + (1ull << 43));
  Affinity& affinity = pod.spec.affinity.emplace();
  affinity.pod_affinity.emplace().required = {
      Term(Neighbour(workload), kZoneLabel)};
  PodAffinity& anti = affinity.pod_anti_affinity.emplace();
  anti.required = {Term(workload, kHostnameLabel)};
  anti.preferred = {{100, Term(workload, kZoneLabel)},
                    {100, Term(workload, kHostnameLabel)}};
  pod.spec.topology_spread_constraints = {
      Spread(workload, kZoneLabel, 1, kDoNotSchedule),
      Spread(workload, kZoneLabel, 1, kScheduleAnyway),
      Spread(workload, kHostnameLabel, 1, kScheduleAnyway)};
  return pod;
}

}  // namespace vicinal
