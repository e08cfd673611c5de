#include "core/model/resource.h"

#include <algorithm>

#include "core/model/go_int64.h"
#include "core/model/resource_name.h"

namespace vicinal {
namespace {

auto LowerBound(auto& scalars, std::string_view name) {
  return std::lower_bound(
      scalars.begin(), scalars.end(), name,
      [](const auto& entry, std::string_view n) { return entry.first < n; });
}

}  // namespace

void Resource::Add(const ResourceList& list) {
  for (const auto& [name, quantity] : list) {
    if (name == kResourceCpu) {
      milli_cpu = GoAdd(milli_cpu, quantity.MilliValue());
    } else if (name == kResourceMemory) {
      memory = GoAdd(memory, quantity.Value());
    } else if (name == kResourcePods) {
      allowed_pod_number = GoAdd(allowed_pod_number, quantity.Value());
    } else if (name == kResourceEphemeralStorage) {
      ephemeral_storage = GoAdd(ephemeral_storage, quantity.Value());
    } else if (IsScalarResourceName(name)) {
      std::int64_t& amount = MutableScalar(name);
      amount = GoAdd(amount, quantity.Value());
    }
  }
}

void Resource::Add(const Resource& other) {
  milli_cpu = GoAdd(milli_cpu, other.milli_cpu);
  memory = GoAdd(memory, other.memory);
  ephemeral_storage = GoAdd(ephemeral_storage, other.ephemeral_storage);
  allowed_pod_number = GoAdd(allowed_pod_number, other.allowed_pod_number);
  for (const auto& [name, more] : other.scalar_resources) {
    std::int64_t& amount = MutableScalar(name);
    amount = GoAdd(amount, more);
  }
}

void Resource::Subtract(const Resource& other) {
  milli_cpu = GoSubtract(milli_cpu, other.milli_cpu);
  memory = GoSubtract(memory, other.memory);
  ephemeral_storage = GoSubtract(ephemeral_storage, other.ephemeral_storage);
  allowed_pod_number = GoSubtract(allowed_pod_number, other.allowed_pod_number);
  for (const auto& [name, less] : other.scalar_resources) {
    std::int64_t& amount = MutableScalar(name);
    amount = GoSubtract(amount, less);
  }
}

void Resource::SetMaxResource(const ResourceList& list) {
  for (const auto& [name, quantity] : list) {
    if (name == kResourceCpu) {
      milli_cpu = std::max(milli_cpu, quantity.MilliValue());
    } else if (name == kResourceMemory) {
      memory = std::max(memory, quantity.Value());
    } else if (name == kResourceEphemeralStorage) {
      ephemeral_storage = std::max(ephemeral_storage, quantity.Value());
    } else if (IsScalarResourceName(name)) {
      std::int64_t& amount = MutableScalar(name);
      amount = std::max(amount, quantity.Value());
    }
  }
}

const std::int64_t* Resource::FindScalar(std::string_view name) const {
  const auto it = LowerBound(scalar_resources, name);
  return it != scalar_resources.end() && it->first == name ? &it->second
                                                           : nullptr;
}

std::int64_t Resource::Scalar(std::string_view name) const {
  const std::int64_t* amount = FindScalar(name);
  return amount == nullptr ? 0 : *amount;
}

std::int64_t& Resource::MutableScalar(std::string_view name) {
  auto it = LowerBound(scalar_resources, name);
  if (it == scalar_resources.end() || it->first != name) {
    it = scalar_resources.emplace(it, name, 0);
  }
  return it->second;
}

}  // namespace vicinal
