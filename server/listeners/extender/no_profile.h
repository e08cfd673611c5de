#ifndef VICINAL_SERVER_LISTENERS_EXTENDER_NO_PROFILE_H_
#define VICINAL_SERVER_LISTENERS_EXTENDER_NO_PROFILE_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/model/pod.h"

namespace vicinal {

// The error of a question about a pod of no profile.
inline absl::Status NoProfile(const Pod& pod) {
  return absl::InvalidArgumentError(absl::StrCat(
      "spec.schedulerName: the configuration of the scheduler has no profile "
      "\"",
      pod.spec.scheduler_name, "\""));
}

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_EXTENDER_NO_PROFILE_H_
