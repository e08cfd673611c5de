#include "core/model/resource_name.h"

#include <string>

#include "core/model/label_validation.h"

namespace vicinal {
namespace {

constexpr std::string_view kDefaultNamespacePrefix = "kubernetes.io/";
constexpr std::string_view kQuotaPrefix = "requests.";
constexpr std::string_view kAttachableVolumesPrefix = "attachable-volumes-";

bool IsPrefixedNativeResource(std::string_view name) {
  return name.find(kDefaultNamespacePrefix) != name.npos;
}

}  // namespace

bool IsExtendedResourceName(std::string_view name) {
  if (name.find('/') == name.npos || IsPrefixedNativeResource(name) ||
      name.starts_with(kQuotaPrefix)) {
    return false;
  }
  // It must be a valid name in a quota as well.
  return LabelKeyErrors(std::string(kQuotaPrefix).append(name)).empty();
}

bool IsScalarResourceName(std::string_view name) {
  return IsExtendedResourceName(name) || name.starts_with(kHugePagesPrefix) ||
         IsPrefixedNativeResource(name) ||
         name.starts_with(kAttachableVolumesPrefix);
}

bool IsSupportedPodLevelResource(std::string_view name) {
  return name == kResourceCpu || name == kResourceMemory ||
         name.starts_with(kHugePagesPrefix);
}

}  // namespace vicinal
