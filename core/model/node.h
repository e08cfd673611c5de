// v1.Node: the fields that decide which pods may come.
#ifndef VICINAL_CORE_MODEL_NODE_H_
#define VICINAL_CORE_MODEL_NODE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/object_meta.h"
#include "core/model/quantity.h"
#include "core/model/taint.h"

namespace vicinal {

inline constexpr char kHostnameLabel[] = "kubernetes.io/hostname";
inline constexpr char kRegionLabel[] = "topology.kubernetes.io/region";
inline constexpr char kZoneLabel[] = "topology.kubernetes.io/zone";

struct ContainerImage {
  std::vector<std::string> names;
  std::int64_t size_bytes = 0;

  friend bool operator==(const ContainerImage&,
                         const ContainerImage&) = default;
};

struct Node {
  ObjectMeta meta;
  bool unschedulable = false;          // spec.unschedulable
  std::vector<Taint> taints;           // spec.taints
  ResourceList allocatable;            // status.allocatable
  std::vector<ContainerImage> images;  // status.images

  friend bool operator==(const Node&, const Node&) = default;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_NODE_H_
