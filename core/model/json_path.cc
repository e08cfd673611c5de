#include "core/model/json_path.h"

#include "absl/strings/str_cat.h"

namespace vicinal {

std::string JsonPath::ToString() const {
  if (parent_ == nullptr) return "";
  std::string path = parent_->ToString();
  if (index_ != kField) {
    absl::StrAppend(&path, "[", index_, "]");
  } else {
    if (!path.empty()) path += '.';
    path += name_;
  }
  return path;
}

absl::Status FieldError(const JsonPath& path, std::string_view problem) {
  std::string message = path.ToString();
  if (!message.empty()) message += ": ";
  message += problem;
  return absl::InvalidArgumentError(message);
}

}  // namespace vicinal
