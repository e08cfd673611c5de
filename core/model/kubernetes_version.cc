#include "core/model/kubernetes_version.h"

#include <charconv>
#include <system_error>

namespace vicinal {

std::optional<int> KubernetesMinorOf(std::string_view version) {
  if (version.starts_with('v')) version.remove_prefix(1);
  if (!version.starts_with("1.")) return std::nullopt;
  version.remove_prefix(2);
  version = version.substr(0, version.find('.'));
  int minor = 0;
  const char* const end = version.data() + version.size();
  const auto [parsed, error] = std::from_chars(version.data(), end, minor);
  if (error != std::errc() || parsed != end || minor < 0) return std::nullopt;
  return minor;
}

}  // namespace vicinal
