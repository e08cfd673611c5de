#include "server/kubernetes/kubectl_config.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/kubernetes/exec_credential.h"
#include "server/kubernetes/kubeconfig.h"

namespace vicinal {
namespace {

constexpr std::chrono::seconds kPluginTimeout{60};

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

}  // namespace

std::vector<std::string> KubectlFiles() {
  std::vector<std::string> files;
  const char* const list = std::getenv("KUBECONFIG");
  if (list != nullptr && *list != '\0') {
    for (const std::string& file : std::vector<std::string>(
             absl::StrSplit(list, ':', absl::SkipEmpty()))) {
      if (Exists(file)) files.push_back(file);
    }
    return files;
  }
  const char* const home = std::getenv("HOME");
  if (home == nullptr) return files;
  std::string file = absl::StrCat(home, "/.kube/config");
  if (Exists(file)) files.push_back(std::move(file));
  return files;
}

absl::StatusOr<KubectlConfig> LoadKubectlConfig(const std::string& kubeconfig,
                                                const std::string& context) {
  const std::vector<std::string> files =
      kubeconfig.empty() ? KubectlFiles()
                         : std::vector<std::string>{kubeconfig};
  if (files.empty()) {
    return absl::NotFoundError(
        "there is no kubeconfig: neither --kubeconfig nor $KUBECONFIG nor "
        "~/.kube/config names a file that is there");
  }
  absl::StatusOr<Kubeconfig> read = LoadKubeconfigs(files, context);
  if (!read.ok()) return read.status();
  KubectlConfig config;
  config.client = std::move(read->client);
  config.namespace_name =
      read->namespace_name.empty() ? "default" : read->namespace_name;
  if (read->exec) {
    absl::Status status =
        UseExecPlugin(*read->exec, kPluginTimeout, config.client);
    if (!status.ok()) return status;
    // It would be read again without the plugin.
    config.client.kubeconfig_file.clear();
    config.client.kubeconfig_context.clear();
  }
  return config;
}

}  // namespace vicinal
