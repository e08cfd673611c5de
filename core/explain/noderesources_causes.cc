#include "core/explain/noderesources_causes.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "core/explain/describe.h"
#include "core/model/go_int64.h"
#include "core/model/pod_resources.h"
#include "core/model/resource_name.h"
#include "core/plugins/noderesources/fit.h"
#include "core/plugins/noderesources/node_resources.h"

namespace vicinal {
namespace {

std::int64_t AmountOf(const Resource& resource, std::string_view name) {
  if (name == kResourceCpu) return resource.milli_cpu;
  if (name == kResourceMemory) return resource.memory;
  if (name == kResourceEphemeralStorage) return resource.ephemeral_storage;
  return resource.Scalar(name);
}

}  // namespace

NodeResourcesCauses::NodeResourcesCauses(const PodInfo& pod,
                                         const KubernetesRelease& release) {
  request_.SetMaxResource(PodRequests(pod.pod, {.release = release}));
}

std::vector<std::size_t> NodeResourcesCauses::Find(const Refusal& refusal,
                                                   CauseList& causes) {
  const NodeInfo& node = refusal.node;
  const Resource& allocatable = node.allocatable;
  const Resource used = RequestedOn(node, refusal.nominated).resource;
  std::vector<std::size_t> found;
  // The plugin says which resources are short; here is by how much.
  for (const std::string_view reason : refusal.status.Reasons()) {
    ResourceNumbers numbers;
    if (reason == NodeResourcesFit::kReasonTooManyPods) {
      numbers.name = kResourcePods;
      numbers.requested = 1;
      numbers.in_use = static_cast<std::int64_t>(node.pods.size() +
                                                 refusal.nominated.size());
      numbers.allocatable = allocatable.allowed_pod_number;
    } else {
      numbers.name =
          reason.substr(NodeResourcesFit::kReasonInsufficient.size());
      numbers.requested = AmountOf(request_, numbers.name);
      numbers.in_use = AmountOf(used, numbers.name);
      numbers.allocatable = AmountOf(allocatable, numbers.name);
    }
    const auto amount = [&numbers](std::int64_t value) {
      return DescribeAmount(numbers.name, value);
    };
    // Nodes in the same condition share the cause.
    found.push_back(causes.FindOrAdd(
        absl::StrCat("NodeResourcesFit/", numbers.name, "/", numbers.in_use,
                     "/", numbers.allocatable),
        [&] {
          Cause cause;
          cause.kind = Cause::Kind::kResource;
          cause.plugin = NodeResourcesFit::kName;
          cause.reason = reason;
          if (numbers.name != kResourcePods) {
            cause.rule = "spec.containers[*].resources.requests";
          }
          cause.wants =
              numbers.name == kResourcePods
                  ? std::string("wants room for one more pod")
                  : absl::StrCat("requests ", amount(numbers.requested), " ",
                                 numbers.name);
          cause.found = absl::StrCat(
              numbers.requested > numbers.allocatable ? "has only " : "has ",
              amount(numbers.allocatable), " ", numbers.name, ", ",
              amount(numbers.in_use), " in use, ",
              amount(GoSubtract(numbers.allocatable, numbers.in_use)), " free");
          cause.resource = numbers;
          return cause;
        }));
  }
  return found;
}

}  // namespace vicinal
