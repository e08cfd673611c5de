// A pod of the cluster as ClusterState keeps it: what is its own, and the rest
// shared with others.
#ifndef VICINAL_CORE_INDEX_STORED_POD_H_
#define VICINAL_CORE_INDEX_STORED_POD_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/index/pod_group.h"
#include "core/index/pod_template.h"
#include "core/model/labels.h"
#include "core/model/pod.h"
#include "core/model/pod_resources.h"

namespace vicinal {

struct NodeInfo;

// Small: there are millions. Good until the next change of the cluster.
class StoredPod {
 public:
  std::string_view name() const {
    return std::string_view(name_and_uid_).substr(0, name_size_);
  }
  std::string_view uid() const {
    return std::string_view(name_and_uid_).substr(name_size_);
  }
  const std::string& namespace_name() const {
    return template_->pod.meta.namespace_name;
  }
  std::int32_t Priority() const { return PodPriority(template_->pod); }
  // What the pod takes from its node.
  const PodResource& resource() const { return template_->resource; }
  // Being deleted.
  bool terminating() const { return group_->terminating(); }
  // Null if the pod has no such label. Cost: O(labels).
  const std::string* FindLabel(std::string_view key) const {
    return group_->FindLabel(key);
  }

  // In seconds since 1970; absent until the kubelet has seen the pod.
  std::optional<std::int64_t> start_time() const {
    if (start_time_ == kNotStarted) return std::nullopt;
    return start_time_;
  }
  // Empty for most.
  std::string_view nominated_node_name() const {
    return rare_ == nullptr ? std::string_view() : rare_->nominated_node_name;
  }

  // The pod without what tells it apart from the others of its controller: no
  // name, uid, labels, deletion timestamp, phase, start time, node or nominated
  // node.
  const Pod& common() const { return template_->pod; }

  // Whether the other pod has the same labels, rules and requests, so that the
  // two may go to the same places. Cost: O(pod).
  bool IsLike(const Pod& other) const {
    return HaveTheSameRules(common(), other) && labels() == other.meta.labels;
  }

  // The node that the pod is bound to, which need not be there; null if none.
  const NodeInfo* node() const { return node_; }

  // Cost of both: O(what is returned).
  Labels labels() const { return group_->labels(); }
  Pod ToPod() const;

 private:
  friend class ClusterState;

  StoredPod() = default;

  // What few pods have.
  struct Rare {
    std::optional<std::string> deletion_timestamp;
    std::string phase;
    std::string nominated_node_name;
  };

  static constexpr std::int64_t kNotStarted =
      std::numeric_limits<std::int64_t>::min();

  std::string name_and_uid_;
  std::int64_t start_time_ = kNotStarted;
  std::uint32_t name_size_ = 0;
  mutable std::uint32_t position_ = 0;  // In the pods of the node.
  PodTemplate* template_ = nullptr;
  PodGroup* group_ = nullptr;
  NodeInfo* node_ = nullptr;
  std::unique_ptr<const Rare> rare_;  // Null: running, and nothing else.
};

}  // namespace vicinal

#endif  // VICINAL_CORE_INDEX_STORED_POD_H_
