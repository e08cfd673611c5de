#include "core/index/image_states.h"

#include "absl/strings/string_view.h"

namespace vicinal {

void ImageStates::Add(const NodeInfo* info, const Node& node) {
  for (const ContainerImage& image : node.images) {
    for (const std::string& name : image.names) {
      const auto [it, added] = states_.try_emplace(name);
      if (added) it->second.size_bytes = image.size_bytes;
      it->second.nodes.insert(info);
    }
  }
}

void ImageStates::Remove(const NodeInfo* info, const Node& node) {
  for (const ContainerImage& image : node.images) {
    for (const std::string& name : image.names) {
      const auto it = states_.find(name);
      if (it == states_.end()) continue;
      it->second.nodes.erase(info);
      if (it->second.nodes.empty()) states_.erase(it);
    }
  }
}

void ImageStates::TakeSizes(const ImageStates& other) {
  for (auto& [name, state] : states_) {
    const ImageState* const same = other.Find(name);
    if (same != nullptr) state.size_bytes = same->size_bytes;
  }
}

const ImageState* ImageStates::Find(std::string_view name) const {
  const auto it = states_.find(absl::string_view(name.data(), name.size()));
  return it == states_.end() ? nullptr : &it->second;
}

}  // namespace vicinal
