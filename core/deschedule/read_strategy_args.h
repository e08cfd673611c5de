// Reads the args of a strategy's plugin.
#ifndef VICINAL_CORE_DESCHEDULE_READ_STRATEGY_ARGS_H_
#define VICINAL_CORE_DESCHEDULE_READ_STRATEGY_ARGS_H_

#include "absl/status/status.h"
#include "core/deschedule/policy.h"
#include "core/model/json.h"

namespace vicinal {

// `out->kind` says which strategy it is. Errors name the field and the value;
// fields of other strategies are unknown. Thread-safe. Cost: O(the args).
// Source: types.go and validation.go of the plugins of
// sigs.k8s.io/descheduler.
absl::Status ReadStrategyArgs(JsonValue value, const JsonPath& path,
                              Strategy* out);

// What is wrong with the args as a whole; ReadStrategyArgs looks too. For
// strategies without args, of which some need them.
absl::Status CheckStrategyArgs(const Strategy& strategy, const JsonPath& path);

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_READ_STRATEGY_ARGS_H_
