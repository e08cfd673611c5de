// What the scheduler asks of an extender that binds pods.
// Source: k8s.io/kube-scheduler/extender/v1/types.go (ExtenderBindingArgs).
#ifndef VICINAL_SERVER_LISTENERS_EXTENDER_BINDING_ARGS_H_
#define VICINAL_SERVER_LISTENERS_EXTENDER_BINDING_ARGS_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace vicinal {

struct BindingArgs {
  std::string pod_name;
  std::string pod_namespace;
  std::string pod_uid;
  std::string node;
};

// Reads a request's body, which must have SIMDJSON_PADDING readable bytes
// behind it. As in Go the names of the fields may be in any case. Errors name
// the field and the value: all are required, and names must be such as an API
// server takes, since they become part of a path.
absl::StatusOr<BindingArgs> ReadBindingArgs(std::string_view body);

// Whether a value is the name of an object; the error names the field.
absl::Status CheckObjectName(const char* field, const std::string& value);

// {"Error":"…"}, an ExtenderBindingResult. An empty error: the pod is bound.
std::string BindingResultJson(std::string_view error);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_EXTENDER_BINDING_ARGS_H_
