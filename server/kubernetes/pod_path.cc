#include "server/kubernetes/pod_path.h"

#include <algorithm>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/model/field_error.h"

namespace vicinal {
namespace {

bool IsName(std::string_view text) {
  return !text.empty() && text != "." && text != ".." &&
         std::ranges::all_of(text, [](unsigned char c) {
           return absl::ascii_isalnum(c) || c == '-' || c == '.';
         });
}

}  // namespace

absl::StatusOr<std::string> PodPath(const std::string& namespace_name,
                                    const std::string& name) {
  for (const std::string& part : {namespace_name, name}) {
    if (!IsName(part)) {
      return absl::InvalidArgumentError(
          "not the name of a pod or its namespace: " + Quoted(part));
    }
  }
  return absl::StrCat("/api/v1/namespaces/", namespace_name, "/pods/", name);
}

}  // namespace vicinal
