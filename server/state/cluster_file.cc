#include "server/state/cluster_file.h"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "core/model/object_list.h"

namespace vicinal {
namespace {

// A pipe will do as well, such as bash's <(kubectl get …).
absl::StatusOr<std::string> ReadAll(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) return absl::NotFoundError(std::strerror(errno));
  std::string text;
  char buffer[64 << 10];
  while (const std::size_t size =
             std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, size);
  }
  if (std::ferror(file.get()) != 0) {
    return absl::UnknownError(std::strerror(errno));
  }
  return text;
}

}  // namespace

absl::StatusOr<std::vector<Object>> ReadClusterFile(const std::string& path) {
  const auto error = [&path](const absl::Status& status) {
    return absl::Status(status.code(),
                        path + ": " + std::string(status.message()));
  };
  const absl::StatusOr<std::string> text = ReadAll(path);
  if (!text.ok()) return error(text.status());
  absl::StatusOr<std::vector<Object>> objects = ReadObjects(*text);
  if (!objects.ok()) return error(objects.status());
  return objects;
}

}  // namespace vicinal
