#include "core/plugins/imagelocality/imagelocality.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/index/image_states.h"
#include "core/model/go_int64.h"

namespace vicinal {
namespace {

constexpr std::int64_t kMegabyte = 1024 * 1024;
constexpr std::int64_t kMinThreshold = 23 * kMegabyte;
constexpr std::int64_t kMaxContainerThreshold = 1000 * kMegabyte;

// One of the pod's images that some node has, and what it is worth there.
struct PodImage {
  const ImageState* state;
  std::int64_t score;
};

// scaledImageScore.
std::int64_t ScaledImageScore(const ImageState& state,
                              std::size_t total_nodes) {
  const double spread = static_cast<double>(state.nodes.size()) /
                        static_cast<double>(total_nodes);
  return GoToInt64(static_cast<double>(state.size_bytes) * spread);
}

class ImageLocalityScore : public PreparedScore {
 public:
  ImageLocalityScore(std::vector<PodImage> images, std::int64_t image_count)
      : images_(std::move(images)),
        max_threshold_(kMaxContainerThreshold * image_count) {}

  std::int64_t Score(const NodeInfo& node) const override {
    std::int64_t sum = 0;
    for (const PodImage& image : images_) {
      if (image.state->nodes.contains(&node)) sum = GoAdd(sum, image.score);
    }
    return Priority(sum);
  }

  void ScoreNodes(const CandidateNodes& nodes,
                  std::span<std::int64_t> scores) const override {
    if (images_.empty()) {  // No node has any of them.
      std::ranges::fill(scores, Priority(0));
      return;
    }
    PreparedScore::ScoreNodes(nodes, scores);
  }

 private:
  // calculatePriority.
  std::int64_t Priority(std::int64_t sum) const {
    if (sum < kMinThreshold) {
      sum = kMinThreshold;
    } else if (sum > max_threshold_) {
      sum = max_threshold_;
    }
    return kMaxNodeScore * (sum - kMinThreshold) /
           (max_threshold_ - kMinThreshold);
  }

  const std::vector<PodImage> images_;
  const std::int64_t max_threshold_;
};

}  // namespace

std::string NormalizedImageName(std::string_view name) {
  std::string normalized(name);
  // A colon before the last slash belongs to a port. Absent counts as -1.
  const auto colon = static_cast<std::ptrdiff_t>(name.rfind(':'));
  const auto slash = static_cast<std::ptrdiff_t>(name.rfind('/'));
  if (colon <= slash) normalized += ":latest";
  return normalized;
}

PreScoreResult ImageLocality::PreScore(const ClusterState& cluster,
                                       const PodInfo& pod,
                                       const CandidateNodes& /*nodes*/) const {
  const std::size_t total_nodes = cluster.Nodes().size();
  const PodSpec& spec = pod.pod.spec;
  std::vector<PodImage> images;
  std::int64_t image_count = 0;
  const auto add = [&](std::string_view name) {
    ++image_count;
    if (const ImageState* state =
            cluster.images().Find(NormalizedImageName(name))) {
      images.push_back({state, ScaledImageScore(*state, total_nodes)});
    }
  };
  for (const Container& container : spec.init_containers) add(container.image);
  for (const Container& container : spec.containers) add(container.image);
  const ImageVolumes volumes = cluster.release().image_volumes;
  if (volumes != ImageVolumes::kIgnored) {
    const std::int64_t containers = image_count;
    for (const std::string& reference : spec.image_volumes) add(reference);
    if (volumes == ImageVolumes::kScored) image_count = containers;
  }
  PreScoreResult result;
  result.score =
      std::make_unique<ImageLocalityScore>(std::move(images), image_count);
  return result;
}

}  // namespace vicinal
