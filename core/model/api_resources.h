// The resources of the API server that vicinal reads, one row for each kind of
// Object.
//
// To add one: its struct and decoder, its place in Object, its row, and its
// message in proto/vicinal/v1/objects.proto.
#ifndef VICINAL_CORE_MODEL_API_RESOURCES_H_
#define VICINAL_CORE_MODEL_API_RESOURCES_H_

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/model/object.h"

namespace vicinal {

struct ApiResource {
  const char* name;  // As in paths and roles.
  const char* api_version;
  std::string_view kind;
  bool namespaced = true;
  // As the scheduler's informers select them.
  const char* field_selector = "";

  // Of all namespaces: "/apis/apps/v1/replicasets".
  std::string Path() const;
};

// In the order of Object's alternatives. Nodes come first: pods then find
// theirs. All are to be listed and watched, as the roles in manifests/ allow.
inline constexpr std::array<ApiResource, std::variant_size_v<Object>>
    kApiResources = {{
        {"nodes", "v1", "Node", false},
        // Finished pods count nowhere.
        {"pods", "v1", "Pod", true,
         "status.phase!=Succeeded,status.phase!=Failed"},
        {"namespaces", "v1", "Namespace", false},
        {"services", "v1", "Service"},
        {"replicationcontrollers", "v1", "ReplicationController"},
        {"replicasets", "apps/v1", "ReplicaSet"},
        {"statefulsets", "apps/v1", "StatefulSet"},
        {"poddisruptionbudgets", "policy/v1", "PodDisruptionBudget"},
    }};

// Object(Kind()).index().
template <typename Kind>
constexpr std::size_t IndexOfKind() {
  return []<typename... Kinds>(std::variant<Kinds...>*) {
    std::size_t index = 0;
    (void)((std::is_same_v<Kind, Kinds> || (++index, false)) || ...);
    return index;
  }(static_cast<Object*>(nullptr));
}

template <typename Kind>
constexpr const ApiResource& ApiResourceOf() {
  return kApiResources[IndexOfKind<Kind>()];
}

// Calls `visit(Kind*)`, with a null pointer, for each alternative of Object.
template <typename Visit>
void ForEachKind(Visit&& visit) {
  [&]<typename... Kinds>(std::variant<Kinds...>*) {
    (visit(static_cast<Kinds*>(nullptr)), ...);
  }(static_cast<Object*>(nullptr));
}

// The same but for Node and Pod, which ClusterState keeps apart.
template <typename Visit>
void ForEachOtherKind(Visit&& visit) {
  [&]<typename... Kinds>(std::variant<Node, Pod, Kinds...>*) {
    (visit(static_cast<Kinds*>(nullptr)), ...);
  }(static_cast<Object*>(nullptr));
}

inline constexpr std::size_t kFirstOtherKind = 2;

// "Node, Pod … or StatefulSet": the kinds from that row on.
std::string KindNames(std::size_t first = 0);

// The kubectl command that prints all of them for --cluster-file.
std::string ClusterFileCommand();

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_API_RESOURCES_H_
