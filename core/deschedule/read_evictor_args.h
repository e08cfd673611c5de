// Reads the args of the plugin DefaultEvictor.
#ifndef VICINAL_CORE_DESCHEDULE_READ_EVICTOR_ARGS_H_
#define VICINAL_CORE_DESCHEDULE_READ_EVICTOR_ARGS_H_

#include "absl/status/status.h"
#include "core/deschedule/policy.h"
#include "core/model/json.h"

namespace vicinal {

// Both spellings of what is protected, podProtections and the deprecated fields
// evict… and ignore…; read_policy.h says what is refused. Errors name the field
// and the value. Thread-safe. Cost: O(the args).
// Source: sigs.k8s.io/descheduler pkg/framework/plugins/defaultevictor.
absl::Status ReadEvictorArgs(JsonValue value, const JsonPath& path,
                             EvictorArgs* out);

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_READ_EVICTOR_ARGS_H_
