// A sum of resources in the units that the scheduler calculates with.
// Source: pkg/scheduler/framework/types.go (Resource).
#ifndef VICINAL_CORE_MODEL_RESOURCE_H_
#define VICINAL_CORE_MODEL_RESOURCE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/quantity.h"

namespace vicinal {

struct Resource {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;             // In bytes.
  std::int64_t ephemeral_storage = 0;  // In bytes.
  std::int64_t allowed_pod_number = 0;
  // By ascending name; see IsScalarResourceName. A name may be there with the
  // amount 0.
  std::vector<std::pair<std::string, std::int64_t>> scalar_resources;

  // Adds amounts, each rounded up to its unit.
  void Add(const ResourceList& list);
  void Add(const Resource& other);
  // Takes back an Add of the same. Names stay, with what is left.
  void Subtract(const Resource& other);

  // Raises each amount to that of the list; allowed_pod_number is left alone.
  void SetMaxResource(const ResourceList& list);

  // Null if the resource is not there. Cost: O(log scalar resources).
  const std::int64_t* FindScalar(std::string_view name) const;
  // 0 if it is not there.
  std::int64_t Scalar(std::string_view name) const;

  friend bool operator==(const Resource&, const Resource&) = default;

 private:
  std::int64_t& MutableScalar(std::string_view name);
};

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_RESOURCE_H_
