// ImageLocality: better where the pod's images are already, by their sizes and
// by how many nodes have them.
//
// Source: pkg/scheduler/framework/plugins/imagelocality/image_locality.go.
#ifndef VICINAL_CORE_PLUGINS_IMAGELOCALITY_IMAGELOCALITY_H_
#define VICINAL_CORE_PLUGINS_IMAGELOCALITY_IMAGELOCALITY_H_

#include <span>
#include <string>
#include <string_view>

#include "core/plugins/framework.h"

namespace vicinal {

class ImageLocality : public ScorePlugin {
 public:
  static constexpr std::string_view kName = "ImageLocality";

  std::string_view Name() const override { return kName; }

  // Cost: O(nodes + images of the pod), O(images of the pod) for each node.
  PreScoreResult PreScore(const ClusterState& cluster, const PodInfo& pod,
                          const CandidateNodes& nodes) const override;
};

// The name with the tag ":latest" if it has neither tag nor digest.
std::string NormalizedImageName(std::string_view name);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_IMAGELOCALITY_IMAGELOCALITY_H_
