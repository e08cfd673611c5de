#include "server/state/cluster_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "core/model/object_list.h"

namespace vicinal {
namespace {

absl::StatusOr<std::string> ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = file.tellg();
  std::string text;
  if (file && size >= 0) {
    text.resize(static_cast<std::size_t>(size));
    file.seekg(0);
    file.read(text.data(), size);
  }
  if (!file) return absl::NotFoundError(std::strerror(errno));
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
