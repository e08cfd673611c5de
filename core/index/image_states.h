// Which container images are on which nodes.
// Source: pkg/scheduler/backend/cache/cache.go (addNodeImageStates,
// removeNodeImageStates).
#ifndef VICINAL_CORE_INDEX_IMAGE_STATES_H_
#define VICINAL_CORE_INDEX_IMAGE_STATES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/model/node.h"

namespace vicinal {

struct NodeInfo;

struct ImageState {
  // As the first node said that had an image of this name; other nodes may say
  // otherwise. Forgotten when no node has it any more.
  std::int64_t size_bytes = 0;
  absl::flat_hash_set<const NodeInfo*> nodes;
};

// Not thread-safe. `info` only stands for the node; it is not looked into.
class ImageStates {
 public:
  // Cost of both: O(image names of the node).
  void Add(const NodeInfo* info, const Node& node);
  // `node` as it was added.
  void Remove(const NodeInfo* info, const Node& node);

  // Gives the images that `other` knows too the sizes that it has: those of a
  // copy do not depend on the order in which its nodes came.
  // Cost: O(image names).
  void TakeSizes(const ImageStates& other);

  // Null if no node has an image of this name.
  const ImageState* Find(std::string_view name) const;

 private:
  absl::flat_hash_map<std::string, ImageState> states_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_IMAGE_STATES_H_
