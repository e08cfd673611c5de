#ifndef VICINAL_SERVER_KUBERNETES_CHANGE_TIME_H_
#define VICINAL_SERVER_KUBERNETES_CHANGE_TIME_H_

#include <simdjson.h>

#include <chrono>
#include <optional>
#include <string_view>

#include "server/kubernetes/raw_object.h"

namespace vicinal {

// When an object was last changed, as far as it says so itself: the latest of
//   * metadata.creationTimestamp,
//   * the times of metadata.managedFields (the API server writes one with each
//     create, update, patch and apply),
//   * the lastTransitionTime of its conditions (binding a pod writes no managed
//     field, but sets PodScheduled),
//   * metadata.deletionTimestamp less the grace period.
// All of them are of the API server's or a component's clock and have whole
// seconds, rounded down. Nothing if there is none, or if the text is no object.
//
// `kind` is that of the object: "Pod". Cost: O(object), one pass; of protobuf
// only the fields that are named above and those beside them are looked at.
// Years up to 9999 are read: more than system_clock::time_point can tell.
std::optional<std::chrono::sys_seconds> ChangeTime(
    const RawObject& object, std::string_view kind,
    simdjson::ondemand::parser& parser);

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_CHANGE_TIME_H_
