// Reads from JSON what decides whether a pod may be evicted.
#ifndef VICINAL_CORE_DESCHEDULE_DECODE_POD_FACTS_H_
#define VICINAL_CORE_DESCHEDULE_DECODE_POD_FACTS_H_

#include "absl/status/status.h"
#include "core/deschedule/pod_facts.h"
#include "core/model/json.h"

namespace vicinal {

// Of a v1.Pod. `status` is null if it would be a PodStatusFacts(). The QoS
// class is status.qosClass, or follows from the resources of the containers.
// Errors name the field.
absl::Status Decode(JsonValue value, const JsonPath& path, PodFacts* out);

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_DECODE_POD_FACTS_H_
