#include "server/kubernetes/bearer_token.h"

#include <glog/logging.h>
#include <sys/stat.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "server/kubernetes/header_text.h"
#include "server/kubernetes/read_file.h"

namespace vicinal {
namespace {

constexpr std::chrono::seconds kRereadAfter(60);

absl::StatusOr<std::string> ReadToken(const std::string& path) {
  absl::StatusOr<std::string> content = ReadSmallFile(path);
  if (!content.ok()) {
    return absl::Status(
        content.status().code(),
        absl::StrCat("token file ", path, ": ", content.status().message()));
  }
  absl::StripAsciiWhitespace(&*content);
  if (content->empty() || !IsHeaderText(*content)) {
    return absl::InvalidArgumentError(
        absl::StrCat("token file ", path, ": contains no token"));
  }
  return content;
}

}  // namespace

BearerToken::BearerToken(std::string token, std::string file)
    : file_(std::move(file)), token_(std::move(token)) {}

absl::StatusOr<std::string> BearerToken::Get(TimePoint now) {
  if (file_.empty()) return token_;
  const Version version = CurrentVersion();
  if (trusted_ && version == version_ && now - read_at_ < kRereadAfter)
    return token_;
  const absl::StatusOr<std::string> content = ReadToken(file_);
  if (content.ok()) {
    token_ = *content;
  } else if (token_.empty()) {
    return content.status();
  } else {
    LOG(WARNING) << content.status().message()
                 << "; the previous token stays in use";
  }
  trusted_ = true;
  read_at_ = now;
  version_ = version;
  return token_;
}

BearerToken::Version BearerToken::CurrentVersion() const {
  struct stat info = {};
  if (stat(file_.c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec,
          info.st_mtim.tv_nsec};
}

}  // namespace vicinal
