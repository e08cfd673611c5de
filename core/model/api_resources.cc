#include "core/model/api_resources.h"

namespace vicinal {

std::string ApiResource::Path() const {
  const std::string version = api_version;
  const bool is_core = version.find('/') == std::string::npos;
  return (is_core ? "/api/" : "/apis/") + version + "/" + name;
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
