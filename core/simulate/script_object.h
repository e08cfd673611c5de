// One object of a manifest.
#ifndef VICINAL_CORE_SIMULATE_SCRIPT_OBJECT_H_
#define VICINAL_CORE_SIMULATE_SCRIPT_OBJECT_H_

#include <variant>

#include "core/model/object.h"
#include "core/simulate/simulated_workload.h"

namespace vicinal {

// A workload, also of the kinds that Object has; or an object that is none.
using ScriptObject = std::variant<Object, Workload>;

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_SCRIPT_OBJECT_H_
