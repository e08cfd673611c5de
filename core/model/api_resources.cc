#include "core/model/api_resources.h"

namespace vicinal {

std::string ApiResource::Path() const {
  const std::string version = api_version;
  const bool is_core = version.find('/') == std::string::npos;
  return (is_core ? "/api/" : "/apis/") + version + "/" + name;
}

std::string KindNames(std::size_t first) {
  std::string names(kApiResources[first].kind);
  for (std::size_t i = first + 1; i < kApiResources.size(); ++i) {
    names += i + 1 == kApiResources.size() ? " or " : ", ";
    names += kApiResources[i].kind;
  }
  return names;
}

std::string ClusterFileCommand() {
  std::string command = "kubectl get ";
  for (const ApiResource& resource : kApiResources) {
    if (command.back() != ' ') command += ',';
    command += resource.name;
  }
  return command + " -A -o json";
}

}  // namespace vicinal
