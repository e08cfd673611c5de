// The kinds of object, one after the other.
#ifndef VICINAL_SERVER_LISTENERS_GRPC_OBJECT_KINDS_H_
#define VICINAL_SERVER_LISTENERS_GRPC_OBJECT_KINDS_H_

#include <cstddef>
#include <variant>

#include "core/model/object.h"

namespace vicinal {

// Object(Kind()).index().
template <typename Kind>
std::size_t IndexOfKind() {
  return Object(Kind()).index();
}

// Calls `visit(Kind*)`, with a null pointer, for each alternative of Object.
template <typename Visit>
void ForEachKind(Visit visit) {
  [&]<typename... Kinds>(std::variant<Kinds...>*) {
    (visit(static_cast<Kinds*>(nullptr)), ...);
  }(static_cast<Object*>(nullptr));
}

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_GRPC_OBJECT_KINDS_H_
