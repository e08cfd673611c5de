#include "core/plugins/pod_claims.h"

#include <utility>
#include <vector>

namespace vicinal {

std::string ClaimName(std::string_view pod_name, const PodVolume& volume) {
  if (volume.claim) return *volume.claim;
  if (!volume.ephemeral) return "";
  return std::string(pod_name) + "-" + volume.name;
}

const PersistentVolumeClaim* FindClaim(const StorageObjects& storage,
                                       const std::string& namespace_name,
                                       const std::string& name) {
  const auto it = storage.claims.find({namespace_name, name});
  return it == storage.claims.end() ? nullptr : &it->second;
}

const PersistentVolume* FindVolume(const StorageObjects& storage,
                                   const std::string& name) {
  const auto it = storage.volumes.find(name);
  return it == storage.volumes.end() ? nullptr : &it->second;
}

const StorageClass* FindClass(const StorageObjects& storage,
                              const std::string& name) {
  const auto it = storage.classes.find(name);
  return it == storage.classes.end() ? nullptr : &it->second;
}

std::string NotFound(std::string_view resource, std::string_view name) {
  return std::string(resource) + " \"" + std::string(name) + "\" not found";
}

Status ClaimNotFound(std::string_view name) {
  return Status(Code::kUnschedulableAndUnresolvable,
                std::vector{NotFound("persistentvolumeclaim", name)});
}

bool IsFor(const PersistentVolumeClaim& claim, const Pod& pod) {
  return claim.namespace_name == pod.meta.namespace_name &&
         claim.controller_uid == pod.meta.uid;
}

}  // namespace vicinal
