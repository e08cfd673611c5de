// What the filters say of many nodes. Few answers differ, so each that does is
// kept once.
#ifndef VICINAL_CORE_PLUGINS_NODE_STATUSES_H_
#define VICINAL_CORE_PLUGINS_NODE_STATUSES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/plugins/status.h"

namespace vicinal {

class NodeStatuses {
 public:
  // Stands for a status that has been added.
  using Id = std::uint32_t;
  static constexpr Id kSuccess = 0;

  // Success for each node.
  explicit NodeStatuses(std::size_t nodes = 0) : ids_(nodes, kSuccess) {}

  std::size_t size() const { return ids_.size(); }
  bool empty() const { return ids_.empty(); }
  const Status& operator[](std::size_t i) const { return distinct_[ids_[i]]; }
  bool ok(std::size_t i) const { return ids_[i] == kSuccess; }

  // The positions of success. Cost: O(nodes).
  std::vector<std::size_t> Passed() const {
    std::vector<std::size_t> passed;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (ids_[i] == kSuccess) passed.push_back(i);
    }
    return passed;
  }

  Id id(std::size_t i) const { return ids_[i]; }
  // By id.
  const std::vector<Status>& distinct() const { return distinct_; }

  // Who speaks from now on: the plugin of the statuses that are added.
  void set_plugin(std::string_view plugin) { plugin_ = plugin; }

  // Makes a status known. Cost: O(distinct statuses), at most 64.
  Id Add(Status status) {
    status.set_plugin(plugin_);
    // The latest are the likeliest.
    const std::size_t window = std::min<std::size_t>(distinct_.size(), 64);
    const auto known =
        std::find(distinct_.rbegin(), distinct_.rbegin() + window, status);
    if (known != distinct_.rbegin() + window) {
      return static_cast<Id>(distinct_.rend() - known - 1);
    }
    distinct_.push_back(std::move(status));
    return static_cast<Id>(distinct_.size() - 1);
  }
  void Set(std::size_t i, Id id) { ids_[i] = id; }
  // Gives each node the same status, with the plugin that it names itself.
  void SetAll(Status status) {
    distinct_.push_back(std::move(status));
    ids_.assign(ids_.size(), static_cast<Id>(distinct_.size() - 1));
  }
  // Calls `replace(Status&)` for each distinct status but success.
  template <typename Replace>
  void ReplaceEach(Replace&& replace) {
    std::for_each(distinct_.begin() + 1, distinct_.end(), replace);
  }

 private:
  std::string_view plugin_;
  std::vector<Status> distinct_ = {Status()};
  std::vector<Id> ids_;  // By node.
};

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_NODE_STATUSES_H_
