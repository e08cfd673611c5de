#include "core/model/object_meta.h"

namespace vicinal {

std::string IdentityOf(const ObjectMeta& meta) {
  return meta.uid.empty() ? meta.namespace_name + "/" + meta.name : meta.uid;
}

const OwnerReference* ControllerOf(const ObjectMeta& meta) {
  for (const OwnerReference& owner : meta.owner_references) {
    if (owner.controller) return &owner;
  }
  return nullptr;
}

}  // namespace vicinal
