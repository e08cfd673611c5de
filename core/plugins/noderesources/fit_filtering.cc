#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/model/go_int64.h"
#include "core/model/pod_resources.h"
#include "core/model/resource.h"
#include "core/model/resource_name.h"
#include "core/plugins/noderesources/fit.h"
#include "core/plugins/noderesources/node_resources.h"

namespace vicinal {
namespace {

bool Contains(const std::vector<std::string>& list, std::string_view value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool IsIgnored(const NodeResourcesFitArgs& args, std::string_view name) {
  return IsExtendedResourceName(name) &&
         (Contains(args.ignored_resources, name) ||
          Contains(args.ignored_resource_groups,
                   name.substr(0, name.find('/'))));
}

class FitFilter : public PreparedFilter {
 public:
  explicit FitFilter(Resource request) : request_(std::move(request)) {}

  Status Filter(const NodeInfo& node) const override;

  std::unique_ptr<PreparedFilter> WithPods(
      std::span<const PodInfo* const> added,
      const NodeInfo& node) const override {
    auto filter = std::make_unique<FitFilter>(request_);
    filter->added_.assign(added.begin(), added.end());
    filter->added_to_ = &node;
    return filter;
  }

 private:
  bool RequestsNothing() const {
    return request_.milli_cpu == 0 && request_.memory == 0 &&
           request_.ephemeral_storage == 0 && request_.scalar_resources.empty();
  }

  const Resource request_;
  std::vector<const PodInfo*> added_;
  const NodeInfo* added_to_ = nullptr;
};

// fitsRequest.
Status FitFilter::Filter(const NodeInfo& node) const {
  std::span<const PodInfo* const> added;
  if (&node == added_to_) added = added_;
  const Resource& allocatable = node.allocatable;
  Code code = Code::kUnschedulable;
  std::vector<std::string> reasons;
  if (static_cast<std::int64_t>(node.pods.size() + added.size()) + 1 >
      allocatable.allowed_pod_number) {
    reasons.emplace_back(NodeResourcesFit::kReasonTooManyPods);
  }
  if (!RequestsNothing()) {
    PodResource with_added;
    if (!added.empty()) with_added = RequestedOn(node, added);
    const Resource& used =
        (added.empty() ? node.requested : with_added).resource;
    const auto check = [&](std::string_view name, std::int64_t request,
                           std::int64_t capacity, std::int64_t in_use) {
      if (request <= 0 || request <= GoSubtract(capacity, in_use)) return;
      reasons.push_back(
          std::string(NodeResourcesFit::kReasonInsufficient).append(name));
      // No removal of pods helps if the node is too small.
      if (request > capacity) code = Code::kUnschedulableAndUnresolvable;
    };
    check(kResourceCpu, request_.milli_cpu, allocatable.milli_cpu,
          used.milli_cpu);
    check(kResourceMemory, request_.memory, allocatable.memory, used.memory);
    check(kResourceEphemeralStorage, request_.ephemeral_storage,
          allocatable.ephemeral_storage, used.ephemeral_storage);
    for (const auto& [name, request] : request_.scalar_resources) {
      check(name, request, allocatable.Scalar(name), used.Scalar(name));
    }
  }
  return reasons.empty() ? Status() : Status(code, std::move(reasons));
}

}  // namespace

PreFilterResult NodeResourcesFit::PreFilter(const ClusterState& cluster,
                                            const PodInfo& pod) const {
  Resource request;
  request.SetMaxResource(PodRequests(pod.pod, {.release = cluster.release()}));
  std::erase_if(request.scalar_resources, [this](const auto& scalar) {
    return IsIgnored(args_, scalar.first);
  });
  PreFilterResult result;
  result.filter = std::make_unique<FitFilter>(std::move(request));
  return result;
}

}  // namespace vicinal
