// The claims of a pod, as the volume plugins look for them.
#ifndef VICINAL_CORE_PLUGINS_POD_CLAIMS_H_
#define VICINAL_CORE_PLUGINS_POD_CLAIMS_H_

#include <string>
#include <string_view>

#include "core/model/pod.h"
#include "core/model/pod_extras.h"
#include "core/model/storage.h"
#include "core/plugins/status.h"

namespace vicinal {

// The claim that a volume of the pod is made of: named by it, or made for the
// pod (`pod-volume`); empty if it is made of none.
// Source: k8s.io/component-helpers/storage/ephemeral.
std::string ClaimName(std::string_view pod_name, const PodVolume& volume);

// Null if it is not there.
const PersistentVolumeClaim* FindClaim(const StorageObjects& storage,
                                       const std::string& namespace_name,
                                       const std::string& name);
const PersistentVolume* FindVolume(const StorageObjects& storage,
                                   const std::string& name);
const StorageClass* FindClass(const StorageObjects& storage,
                              const std::string& name);

// `persistentvolumeclaim "data" not found`, as the API machinery words it.
std::string NotFound(std::string_view resource, std::string_view name);
Status ClaimNotFound(std::string_view name);

inline std::string ClassOf(const PersistentVolumeClaim& claim) {
  return claim.class_name.value_or("");
}

// A claim made for a pod must be controlled by it.
bool IsFor(const PersistentVolumeClaim& claim, const Pod& pod);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_POD_CLAIMS_H_
