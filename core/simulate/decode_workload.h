// Reads workloads from JSON.
#ifndef VICINAL_CORE_SIMULATE_DECODE_WORKLOAD_H_
#define VICINAL_CORE_SIMULATE_DECODE_WORKLOAD_H_

#include "absl/status/status.h"
#include "core/model/json.h"
#include "core/simulate/simulated_workload.h"

namespace vicinal {

// Reads a workload and fills in what an API server would: the namespace
// "default", one replica, the selector from the template's labels where the
// kind allows that. `metadata.name` and a template are required. A KubeVirt
// virtual machine takes what it asks for in spec.domain; the launcher's own
// overhead is not counted.
// Errors name the field.
absl::Status DecodeWorkload(JsonValue value, const JsonPath& path,
                            WorkloadKind kind, Workload* out);

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_DECODE_WORKLOAD_H_
