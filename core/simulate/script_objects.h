// Reads manifests, workloads included.
#ifndef VICINAL_CORE_SIMULATE_SCRIPT_OBJECTS_H_
#define VICINAL_CORE_SIMULATE_SCRIPT_OBJECTS_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/simulate/script_object.h"

namespace vicinal {

struct ScriptObjects {
  std::vector<ScriptObject> items;  // As they stand in the text.
  // Kinds that do not matter to placement, and how often they were there.
  std::map<std::string, int> ignored;
};

// Reads what a user would apply. See ReadObjects for the form of the text and
// of the errors.
absl::StatusOr<ScriptObjects> ReadScriptObjects(std::string_view text);

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_SCRIPT_OBJECTS_H_
