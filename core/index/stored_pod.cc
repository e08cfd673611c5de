#include "core/index/stored_pod.h"

#include <utility>

#include "core/index/node_info.h"

namespace vicinal {

Pod StoredPod::ToPod() const {
  Pod pod = template_->pod;
  OwnFields own;
  own.name = name();
  own.uid = uid();
  own.labels = labels();
  if (node_ != nullptr) own.node_name = node_->name;
  own.phase = kRunning;
  own.start_time = start_time();
  if (rare_ != nullptr) {
    own.phase = rare_->phase;
    own.deletion_timestamp = rare_->deletion_timestamp;
    own.nominated_node_name = rare_->nominated_node_name;
  }
  own.SwapWith(pod);
  return pod;
}

}  // namespace vicinal
