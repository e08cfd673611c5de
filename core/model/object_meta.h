// metav1.ObjectMeta: what every object carries.
#ifndef VICINAL_CORE_MODEL_OBJECT_META_H_
#define VICINAL_CORE_MODEL_OBJECT_META_H_

#include <optional>
#include <string>
#include <vector>

#include "core/model/labels.h"

namespace vicinal {

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  bool controller = false;

  friend bool operator==(const OwnerReference&,
                         const OwnerReference&) = default;
};

struct ObjectMeta {
  std::string name;
  std::string namespace_name;  // metadata.namespace
  std::string uid;             // Empty: never went through an API server.
  Labels labels;
  std::vector<OwnerReference> owner_references;
  std::optional<std::string> deletion_timestamp;  // Set: terminating.

  friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

// What tells two objects of a kind apart for good: the uid, or, for objects
// that never went through an API server, namespace and name.
std::string IdentityOf(const ObjectMeta& meta);

// The owner reference with controller=true (metav1.GetControllerOf), or null.
const OwnerReference* ControllerOf(const ObjectMeta& meta);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_OBJECT_META_H_
